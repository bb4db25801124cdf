import type { ScoresAnswer } from '../../api.ts';
import { stagePath } from '../connection/ask.ts';
import { useAnswer } from '../connection/use-answer.ts';
import { Answer, Nothing, Panel, Table } from '../frame/answer.tsx';
import { linkTo, route } from '../connection/route.ts';
import { cli, CommandLine } from '../words/outcome.tsx';
import { Time } from '../words/time.tsx';
import { stateWord } from '#operator/run-state/run-groups.ts';
import { roughly } from '#operator/readable.ts';
import { toMedianWords } from '#operator/scores/score-words.ts';
import { ScoreLine } from './score-line.tsx';

/** What the last runs of each name found: a line of their scores with a mark for each change, and the same as a table. */
export function RunsScreen() {
  const asked = useAnswer<ScoresAnswer>(stagePath(route.value.stage, 'scores'), { isFollowed: true });
  return (
    <>
      <Answer asked={asked}>
        {({ runs }) => (
          <>
            {runs.map((one) => (
              <RunPanel key={one.run} {...one} />
            ))}
            {runs.some(({ ends }) => ends.some(({ changed }) => changed.length > 0)) ? (
              <p class="dim">A dashed line in a drawing: something changed before that run. Its table says what.</p>
            ) : null}
            {runs.every(({ ends }) => ends.length === 0) ? <Nothing>No run that is read has ended yet.</Nothing> : null}
          </>
        )}
      </Answer>
      <CommandLine line={cli('scores')} />
    </>
  );
}

function RunPanel({ run, ends }: ScoresAnswer['runs'][number]) {
  if (ends.length === 0) return null;
  return (
    <Panel title={run}>
      <ScoreLine run={run} ends={ends} />
      <Table label={`Runs of ${run}`} head={['began', 'state', 'took', 'score', 'changed before it']}>
        {ends.map(({ startId, startAt, state, lastedMs, score, toMedian, changed }) => (
          <tr key={startId}>
            <th scope="row">
              <a href={linkTo(route.value.stage, 'run', startId)}>
                <Time at={startAt} />
              </a>
            </th>
            <td>{stateWord(state)}</td>
            <td>{roughly(lastedMs)}</td>
            <td>{score === undefined ? '–' : `${score} ${toMedianWords(toMedian)}`}</td>
            <td>{changed.join('; ')}</td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}

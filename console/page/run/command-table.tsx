import { roughly } from '#operator/readable.ts';
import type { HistoryAnswer } from '../../api.ts';
import { linkTo, route } from '../connection/route.ts';
import { Table } from '../frame/answer.tsx';
import { Badge, OutcomeWord } from '../words/outcome.tsx';
import { Sentence, Time } from '../words/time.tsx';
import { RunChip } from './run-line.tsx';

type Entry = HistoryAnswer['history'][number];

/** Commands as rows: when, what, how it ended and why, who asked. */
export function CommandTable({ entries }: { readonly entries: readonly Entry[] }) {
  return (
    <Table label="Commands" look="brief" head={['ended', 'command', 'outcome', 'why', 'requested by']}>
      {entries.map((entry) => (
        <tr key={`${entry.id} ${entry.at}`}>
          <td>
            <Time at={entry.run?.endedAt ?? entry.run?.startAt ?? entry.at} />
          </td>
          <th scope="row">
            <RunLink entry={entry} />
          </th>
          <td class="result">
            <Result entry={entry} />
            {entry.isObserved ? <Badge>observed</Badge> : null}
            {entry.lateMs === undefined ? null : <Badge tone="warn">{`${roughly(entry.lateMs)} late`}</Badge>}
          </td>
          <td class="words">
            <Why entry={entry} />
          </td>
          <td class="dim">
            {entry.askedBy.name} <span class="dim">{entry.askedBy.kind}</span>
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** Of a start how its run stands; of another command its result. */
function Result({ entry: { run, outcome, reason, resolutions } }: { readonly entry: Entry }) {
  if (run !== undefined) return <RunChip run={run} />;
  return <OutcomeWord outcome={outcome} reason={reason} isDecided={resolutions !== undefined} />;
}

/** A start leads to its story; other commands have none. */
function RunLink({ entry: { action, name, campaignRunId, id } }: { readonly entry: Entry }) {
  const text = `${action} ${name ?? campaignRunId ?? ''}`;
  return action === 'start' ? <a href={linkTo(route.value.stage, 'run', id)}>{text}</a> : <span>{text}</span>;
}

function Why({ entry: { run, detail: kept, refusals, askedBecause, resolutions } }: { readonly entry: Entry }) {
  const detail = run?.says ?? kept;
  const said = refusals.filter(({ detail: words }) => words !== undefined && words !== detail);
  return (
    <>
      <Sentence text={detail} />
      {said.map(({ guard, verdict, detail: words }) => (
        <div key={guard}>
          <code>{guard}</code> {verdict}: <Sentence text={words} />
        </div>
      ))}
      {askedBecause === undefined ? null : <div class="dim">reason: {askedBecause}</div>}
      {resolutions?.map(({ decision, as, by, reason, at }) => (
        <div key={at}>
          {decision}
          {as === undefined ? null : ` as ${as}`} by {by}: {reason}
        </div>
      ))}
    </>
  );
}

import { useEffect, useState } from 'preact/hooks';
import type { HistoryAnswer } from '../../api.ts';
import { stagePath, withQuery } from '../connection/ask.ts';
import { useAnswer } from '../connection/use-answer.ts';
import { Answer, Nothing, Pages, Table } from '../frame/answer.tsx';
import { linkTo, route, setQuery } from '../frame/route.ts';
import { RunChip } from '../run/run-line.tsx';
import { Badge, cli, CommandLine, OutcomeWord } from '../words/outcome.tsx';
import { Instant, Sentence, Time } from '../words/time.tsx';
import { roughly } from '#operator/readable.ts';

type Entry = HistoryAnswer['history'][number];

const pageSize = '100';

/** Every command that ended, newest first; the search is the server's, over all that is kept. */
export function HistoryScreen() {
  const { stage, query } = route.value;
  // In the address, so that what was found can be handed on.
  const search = query.get('search') ?? '';
  const [typed, setTyped] = useState(search);
  const [before, setBefore] = useState<string>();
  // A link to this screen that is opened while it is shown.
  useEffect(() => {
    setTyped(search);
    setBefore(undefined);
  }, [search]);
  const asked = useAnswer<HistoryAnswer>(withQuery(stagePath(stage, 'history'), { search, before, limit: pageSize }), {
    isFollowed: before === undefined && search === '',
  });
  // One answer reads so many rows and no more: a search that found nothing in them goes on with the rows before.
  const goesOnBefore = asked.answer?.history.length === 0 ? asked.answer.nextBefore : undefined;
  useEffect(() => {
    if (goesOnBefore !== undefined) setBefore(goesOnBefore);
  }, [goesOnBefore]);
  return (
    <>
      <form
        class="form"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          setBefore(undefined);
          setQuery({ search: typed });
        }}
      >
        <label>
          Search: a run, an operator, a reason, a word of a detail
          <input type="search" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
        </label>
        <button type="submit">Search</button>
      </form>
      {asked.answer !== undefined || before === undefined || search === '' ? null : (
        <p class="dim">
          Searching what ended before <Instant at={before} />.
        </p>
      )}
      <Answer asked={asked}>
        {({ history, nextBefore }) => (
          <>
            {history.length > 0 ? <HistoryTable entries={history} /> : null}
            {history.length === 0 && nextBefore === undefined ? <Nothing>Nothing is found.</Nothing> : null}
            <Pages before={before} nextBefore={nextBefore} open={setBefore} />
          </>
        )}
      </Answer>
      <CommandLine line={cli('history', ...(search === '' ? [] : ['--search', search]), '--limit', pageSize)} />
    </>
  );
}

/** Commands as rows: when, what, how it ended and why, who asked. */
export function HistoryTable({ entries }: { readonly entries: readonly Entry[] }) {
  return (
    <Table label="Commands" head={['ended', 'command', 'outcome', 'why', 'requested by']}>
      {entries.map((entry) => (
        <tr key={`${entry.id} ${entry.at}`}>
          <td>
            <Time at={entry.stands?.endedAt ?? entry.stands?.startAt ?? entry.at} />
          </td>
          <th scope="row">
            <RunLink entry={entry} />
          </th>
          <td>
            <Result entry={entry} />
            {entry.isObserved ? <Badge>observed</Badge> : null}
            {entry.lateMs === undefined ? null : <Badge tone="warn">{`${roughly(entry.lateMs)} late`}</Badge>}
          </td>
          <td class="words">
            <Why entry={entry} />
          </td>
          <td>
            {entry.askedBy.name} <span class="dim">{entry.askedBy.kind}</span>
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** Of a start how its run stands; of another command what became of it. What was decided since is not red. */
function Result({ entry: { stands, outcome, reason, resolutions } }: { readonly entry: Entry }) {
  if (stands !== undefined) return <RunChip run={stands} />;
  const isDecided = outcome === 'parked' && resolutions !== undefined;
  return <OutcomeWord outcome={isDecided ? 'decided' : outcome} reason={reason} />;
}

/** A start leads to its story; other commands have none. */
function RunLink({ entry: { action, run, campaignRunId, id } }: { readonly entry: Entry }) {
  const text = `${action} ${run ?? campaignRunId ?? ''}`;
  return action === 'start' ? <a href={linkTo(route.value.stage, 'run', id)}>{text}</a> : <span>{text}</span>;
}

function Why({ entry: { stands, detail: kept, refusals, askedBecause, resolutions } }: { readonly entry: Entry }) {
  const detail = stands?.says ?? kept;
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

import { useEffect, useState } from 'preact/hooks';
import type { HistoryAnswer } from '../../api.ts';
import { stagePath, withQuery } from '../connection/ask.ts';
import { useAnswer } from '../connection/use-answer.ts';
import { Answer, Nothing, Pages } from '../frame/answer.tsx';
import { live } from '../connection/live.ts';
import { route, setQuery } from '../connection/route.ts';
import { isNarrow } from '../frame/narrow.ts';
import { CommandTable } from '../run/command-table.tsx';
import { cli, CommandLine } from '../words/outcome.tsx';
import { Instant } from '../words/time.tsx';
import { stateWord } from '#operator/run-state/run-groups.ts';
import { Export } from './export.tsx';

const pageSize = '100';

/** What can be chosen, each in the address, so that what was found can be handed on. */
const choices = ['search', 'state', 'run', 'person', 'of'] as const;

/** Runs that were asked for, newest first, or every command; the search is the server's, over every command that is kept. */
export function HistoryScreen() {
  const { stage, query } = route.value;
  const chosen = Object.fromEntries(choices.map((name) => [name, query.get(name) ?? '']));
  const text = JSON.stringify(chosen);
  const [typed, setTyped] = useState(chosen);
  const [before, setBefore] = useState<string>();
  // A link to this screen that is opened while it is shown.
  useEffect(() => {
    setTyped(JSON.parse(text) as typeof chosen);
    setBefore(undefined);
  }, [text]);
  const isChosen = choices.some((name) => chosen[name] !== '');
  const path = stagePath(stage, 'history');
  const asked = useAnswer<HistoryAnswer>(withQuery(path, { ...chosen, before, limit: pageSize }), {
    isFollowed: before === undefined && !isChosen,
  });
  // One answer reads so many rows and no more: a search that found nothing in them goes on with the rows before.
  const goesOnBefore = asked.answer?.history.length === 0 ? asked.answer.nextBefore : undefined;
  useEffect(() => {
    if (goesOnBefore !== undefined) setBefore(goesOnBefore);
  }, [goesOnBefore]);
  const choose = (name: string, value: string) => {
    setBefore(undefined);
    setQuery({ ...chosen, search: typed['search'], person: typed['person'], [name]: value });
  };
  return (
    <>
      <form
        class="form"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          choose('search', typed['search'] ?? '');
        }}
      >
        <label>
          Search: a run, a person, a reason, a word of a detail
          <input
            type="search"
            value={typed['search']}
            onInput={({ currentTarget }) => setTyped({ ...typed, search: currentTarget.value })}
          />
        </label>
        <button type="submit">Search</button>
        <details
          class="filters"
          open={!isNarrow.value || choices.some((name) => name !== 'search' && chosen[name] !== '')}
        >
          <summary>Filters</summary>
          <div class="form">
            <Choice label="State" value={chosen['state']} of={states} choose={(value) => choose('state', value)} />
            <Choice label="Run" value={chosen['run']} of={runNames()} choose={(value) => choose('run', value)} />
            <label>
              Person
              <input
                value={typed['person']}
                onInput={({ currentTarget }) => setTyped({ ...typed, person: currentTarget.value })}
              />
            </label>
            {chosen['search'] === '' ? (
              <Choice
                label="Show"
                all="runs"
                value={chosen['of']}
                of={['commands']}
                choose={(value) => choose('of', value)}
              />
            ) : null}
          </div>
        </details>
      </form>
      {asked.answer !== undefined || before === undefined || !isChosen ? null : (
        <p class="dim">
          Searching what ended before <Instant at={before} />.
        </p>
      )}
      <Answer asked={asked}>
        {({ history, nextBefore }) => (
          <>
            {history.length > 0 ? <CommandTable entries={history} /> : null}
            {history.length === 0 && nextBefore === undefined ? <Nothing>Nothing is found.</Nothing> : null}
            <Pages before={before} nextBefore={nextBefore} open={setBefore} />
          </>
        )}
      </Answer>
      <Export path={withQuery(path, { ...chosen, limit: '500' })} />
      <CommandLine
        line={cli('history', ...(chosen['search'] ? ['--search', chosen['search']] : []), '--limit', pageSize)}
      />
    </>
  );
}

/** States of a run, as they stand in the address. */
const states = 'failed complete stopped cancelled over not-started may-have-run unconfirmed running observed'.split(
  ' ',
);

function runNames(): readonly string[] {
  const { runs = [], ids = [] } = live.value.now ?? {};
  return [...new Set([...runs, ...ids].map(({ run }) => run))].toSorted();
}

function Choice({
  label,
  all = 'all',
  value = '',
  of,
  choose,
}: {
  readonly label: string;
  readonly all?: string;
  readonly value: string | undefined;
  readonly of: readonly string[];
  readonly choose: (value: string) => void;
}) {
  return (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        <option value="">{all}</option>
        {[...new Set([...of, ...(value === '' ? [] : [value])])].map((each) => (
          <option key={each} value={each}>
            {stateWord(each)}
          </option>
        ))}
      </select>
    </label>
  );
}

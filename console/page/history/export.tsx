import { useState } from 'preact/hooks';
import type { HistoryAnswer } from '../../api.ts';
import { ask, problemFrom, type ShownProblem } from '../connection/ask.ts';
import { ProblemNote } from '../frame/answer.tsx';
import { save } from '../frame/save.ts';
import { csvOf } from './history-csv.ts';

type Entry = HistoryAnswer['history'][number];

/** A file holds no more: what is older is exported with a search. */
const mostEntries = 10_000;

/** Saves what was chosen, whole, as CSV or as JSON. */
export function Export({ path }: { readonly path: string }) {
  const [problem, setProblem] = useState<ShownProblem>();
  const write = async (ending: 'csv' | 'json') => {
    setProblem(undefined);
    try {
      const entries = await readAll(path);
      const text = ending === 'csv' ? csvOf(entries) : JSON.stringify(entries, null, 2);
      save(text, ending === 'csv' ? 'text/csv' : 'application/json', `history.${ending}`);
    } catch (error) {
      setProblem(problemFrom(error));
    }
  };
  return (
    <>
      <p class="buttons">
        <button type="button" onClick={() => void write('csv')}>
          Save as CSV
        </button>
        <button type="button" onClick={() => void write('json')}>
          Save as JSON
        </button>
      </p>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
    </>
  );
}

async function readAll(path: string): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  let before: string | undefined = '';
  while (before !== undefined && entries.length < mostEntries) {
    const next: string = before === '' ? path : `${path}&before=${encodeURIComponent(before)}`;
    const { history, nextBefore } = await ask<HistoryAnswer>(next);
    entries.push(...history);
    before = nextBefore;
  }
  return entries;
}

import { evidenceDocument } from '#operator/evidence/document/evidence-document.ts';
import { readEvidence } from '#operator/evidence/read-evidence.ts';
import { type HistoryEntry, historyPage } from '#operator/history/history-entry.ts';
import { searchHistory } from '#operator/history/history-search.ts';
import { readScores } from '#operator/scores/run-scores.ts';
import type { HistoryAnswer, RunAnswer, ScoresAnswer } from '../api.ts';
import { evidencePage } from '../html-file.ts';
import type { OperatorDeps } from '#operator/stage/operator-deps.ts';
import { answer, type ConsoleApp, depsOf } from '../server/served-stage.ts';
import { RequestProblem } from '../server/problems.ts';

/** Entries of one answer. */
const mostEntries = 500;

/** A search reads no more rows for one answer; the next answer continues it. */
const mostRead = 2_000;

/** What was asked and what became of it; and the whole story of one start. */
export function addHistoryRoutes(app: ConsoleApp): void {
  app.get('/api/stages/:stage/history', async (c) => {
    const limit = countParameter(c.req.query('limit'), { name: 'limit', otherwise: 100, most: mostEntries });
    const before = instantOf(c.req.query('before'), 'before');
    const found = await filteredHistory({ before, limit, wanted: (name) => c.req.query(name) ?? '' }, depsOf(c));
    return answer<HistoryAnswer>({ asOf: c.var.asOf, ...found });
  });
  app.get('/api/stages/:stage/scores', async (c) => {
    return answer<ScoresAnswer>({ asOf: c.var.asOf, runs: await readScores(undefined, depsOf(c)) });
  });
  app.get('/api/stages/:stage/runs/:command', async (c) => {
    const evidence = await readEvidence(c.req.param('command'), depsOf(c));
    const lines = evidenceDocument(evidence);
    return answer<RunAnswer>({
      asOf: c.var.asOf,
      evidence,
      markdown: lines.join('\n'),
      html: await evidencePage(lines),
    });
  });
}

/** What a person chose: words, a run, who asked, a state; commands that start nothing only with words or `of=commands`. */
interface Chosen {
  readonly before: Date | undefined;
  readonly limit: number;
  readonly wanted: (name: 'search' | 'run' | 'person' | 'state' | 'of') => string;
}

/** How many pages one answer reads at most, to find runs of a state. */
const mostPages = 5;

/** An answer of the history. The state of a run is known once its rows are read, so pages are read on until the answer is full. */
async function filteredHistory(
  { before: from, limit, wanted }: Chosen,
  deps: OperatorDeps,
): Promise<Omit<HistoryAnswer, 'asOf'>> {
  const hasWords = searchHistory(wanted('search'));
  const [run, person, state] = [wanted('run'), wanted('person').toLowerCase(), wanted('state')];
  const matches = (entry: HistoryEntry) =>
    (wanted('of') === 'commands' || wanted('search') !== '' || entry.action === 'start') &&
    (run === '' || entry.name === run) &&
    (person === '' || entry.askedBy.name.toLowerCase().includes(person)) &&
    hasWords(entry);
  const isOfState = ({ run: stands, outcome }: HistoryEntry) => state === '' || (stands?.state ?? outcome) === state;
  const history: HistoryEntry[] = [];
  let before = from;
  for (let pages = 1; ; pages += 1) {
    const range = { before, matches, mostRead, hasWholeInstants: true } as const;
    const { entries, nextBefore } = await historyPage(range, limit, deps);
    history.push(...entries.filter(isOfState));
    const isLast = state === '' || history.length >= limit || pages === mostPages;
    if (nextBefore === undefined || isLast) return { history, nextBefore };
    before = new Date(nextBefore);
  }
}

// Texts of an address as what they mean.

/** An instant in RFC 3339; `undefined` if it is not there. */
export function instantOf(text: string | undefined, name: string): Date | undefined {
  if (text === undefined || text === '') return undefined;
  const at = new Date(text);
  if (/^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(at.getTime())) return at;
  throw new RequestProblem(400, 'USAGE', `${name} takes a time, such as 2026-11-20T22:00:00Z`);
}

/** A count from 1 to `most`. */
export function countParameter(
  text: string | undefined,
  { name, otherwise, most }: { readonly name: string; readonly otherwise: number; readonly most: number },
): number {
  if (text === undefined || text === '') return otherwise;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= most) return count;
  throw new RequestProblem(400, 'USAGE', `${name} takes a number from 1 to ${most}`);
}

/** A text that has to be there. */
export function neededText(text: string | undefined, name: string): string {
  if (text !== undefined && text.trim() !== '') return text;
  throw new RequestProblem(400, 'USAGE', `${name} is missing`);
}

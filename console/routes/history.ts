import type { HistoryEntry } from '#operator/history/history-entry.ts';
import { historyEntry } from '#operator/history/history-entry.ts';
import { readHistory } from '#operator/history/history.ts';
import { evidenceDocument } from '#operator/evidence/document/evidence-document.ts';
import { readEvidence } from '#operator/evidence/read-evidence.ts';
import { historyAnswer, runAnswer } from '../api.ts';
import { answer, type ConsoleApp, type ServedStage } from '../server/app.ts';
import { machineTime } from '../server/read-now.ts';
import { countOf, instantOf } from './queries.ts';

/** Entries of one answer. */
const most = 500;

/** A search reads no more rows for one answer; the next answer goes on where it ended. */
const mostRead = 2_000;

/** What was asked and what became of it; and the whole story of one start. */
export function addHistoryRoutes(app: ConsoleApp): void {
  app.get('/api/stages/:stage/history', async (c) => {
    const asOf = machineTime();
    const limit = countOf(c.req.query('limit'), { name: 'limit', otherwise: 100, most });
    const before = instantOf(c.req.query('before'), 'before');
    const page = await searchHistory(c.var.stage, { before, limit, search: c.req.query('search') ?? '' });
    return answer(historyAnswer, { asOf, ...page });
  });
  app.get('/api/stages/:stage/runs/:command', async (c) => {
    const asOf = machineTime();
    const deps = { ...c.var.stage.deps, signal: c.req.raw.signal };
    const evidence = await readEvidence(c.req.param('command'), undefined, deps);
    return answer(runAnswer, { asOf, evidence, markdown: evidenceDocument(evidence).join('\n') });
  });
}

/** A page of entries that hold the words of a search. It ends between two instants, so that the next page leaves none out. */
async function searchHistory(
  { deps }: ServedStage,
  { before, limit, search }: { readonly before?: Date | undefined; readonly limit: number; readonly search: string },
): Promise<{ readonly history: readonly HistoryEntry[]; readonly isMore: boolean; readonly nextBefore?: string }> {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const history: HistoryEntry[] = [];
  let read = 0;
  let last = '';
  for await (const { row, run } of readHistory(await deps.stage.ledger(), { before })) {
    const entry = historyEntry(row, run);
    // `before` is an instant and leaves it out: an answer never ends among entries of one instant.
    const isFull = history.length >= limit || read >= mostRead;
    if (isFull && entry.at !== last) return { history, isMore: true, nextBefore: last };
    read += 1;
    last = entry.at;
    if (words.every((word) => textOf(entry).includes(word))) history.push(entry);
  }
  return { history, isMore: false };
}

/** All words of an entry that a person may search for. */
function textOf({
  id,
  action,
  run,
  campaignRunId,
  outcome,
  reason,
  detail,
  askedBy,
  askedBecause,
}: HistoryEntry): string {
  return [id, action, run, campaignRunId, outcome, reason, detail, askedBy.kind, askedBy.name, askedBecause]
    .filter((part) => part !== undefined)
    .join(' ')
    .toLowerCase();
}

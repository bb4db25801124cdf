import { type HistoryEntry, historyPage } from '#operator/history/history-entry.ts';
import { evidenceDocument } from '#operator/evidence/document/evidence-document.ts';
import { readEvidence } from '#operator/evidence/read-evidence.ts';
import { historyAnswer, runAnswer } from '../api.ts';
import { answer, type ConsoleApp } from '../server/serving.ts';
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
    const words = (c.req.query('search') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const matches = (entry: HistoryEntry) => words.every((word) => textOf(entry).includes(word));
    const range = { before, matches, mostRead, hasWholeInstants: true } as const;
    const { entries: history, ...page } = await historyPage(range, limit, c.var.stage.deps());
    return answer(historyAnswer, { asOf, history, ...page });
  });
  app.get('/api/stages/:stage/runs/:command', async (c) => {
    const asOf = machineTime();
    const deps = { ...c.var.stage.deps(), signal: c.req.raw.signal };
    const evidence = await readEvidence(c.req.param('command'), undefined, deps);
    return answer(runAnswer, { asOf, evidence, markdown: evidenceDocument(evidence).join('\n') });
  });
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

import { csvRow } from '#operator/readable.ts';
import type { HistoryAnswer } from '../../api.ts';

type Entry = HistoryAnswer['history'][number];

const head = [
  'begins',
  'ended',
  'action',
  'run',
  'campaignRunId',
  'state',
  'score',
  'says',
  'askedBy',
  'because',
  'id',
];

/** A line for each entry. A program that opens it takes no cell for a formula. Pure. */
export function csvOf(entries: readonly Entry[]): string {
  const rows = entries.map(({ run, name, at, action, campaignRunId, outcome, detail, askedBy, askedBecause, id }) => [
    run?.startAt,
    run === undefined ? at : run.endedAt,
    action,
    name,
    campaignRunId,
    run?.state ?? outcome,
    run?.score,
    run?.says ?? detail,
    `${askedBy.kind} ${askedBy.name}`,
    askedBecause,
    id,
  ]);
  return [head, ...rows].map(csvRow).join('\r\n');
}

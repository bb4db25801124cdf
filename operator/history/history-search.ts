import type { HistoryEntry } from './history-entry.ts';

/**
 * Tells which entries a search finds: those that hold each of its words, in any order and case.
 * @param search - words between spaces; none find every entry
 */
export function searchHistory(search: string): (entry: HistoryEntry) => boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return (entry) => {
    const text = textOf(entry);
    return words.every((word) => text.includes(word));
  };
}

function textOf({
  id,
  action,
  name,
  campaignRunId,
  outcome,
  reason,
  detail,
  askedBy,
  askedBecause,
}: HistoryEntry): string {
  return [id, action, name, campaignRunId, outcome, reason, detail, askedBy.kind, askedBy.name, askedBecause]
    .filter((part) => part !== undefined)
    .join(' ')
    .toLowerCase();
}

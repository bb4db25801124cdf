import type { ChangeSet, FoundInChunk, PackageChange } from '../../shared/ledger/items.ts';

/** More changes than these are counted and not listed: the row stays far below DynamoDB's 400 KB. */
const maxListed = 500;

/** A change set before anything is found for it: its id and its instant stay, so what is sent for it can be sent again. */
export function openChangeSet(identity: Pick<ChangeSet, 'id' | 'since'>): ChangeSet {
  return { ...identity, changes: [], more: 0, starts: [], isClosing: false };
}

/** What one chunk has for a change set, with more of it: the same package and kind is one change, its fields are joined. */
export function addFound(before: FoundInChunk | undefined, found: FoundInChunk): FoundInChunk {
  if (before?.changeSet !== found.changeSet) return found;
  const changes = new Map(before.changes.map((change) => [keyOf(change), change]));
  for (const change of found.changes) {
    const same = changes.get(keyOf(change));
    changes.set(keyOf(change), { ...change, fields: union(same?.fields ?? [], change.fields) });
  }
  return { ...found, changes: [...changes.values()], starts: union(before.starts, found.starts) };
}

/** The set with all that the chunks have for it; nothing is added to it any more. */
export function closingChangeSet(set: ChangeSet, inChunks: readonly FoundInChunk[]): ChangeSet {
  const found = inChunks.filter((one) => one.changeSet === set.id);
  const changes = found.flatMap((one) => one.changes);
  return {
    ...set,
    changes: changes.slice(0, maxListed),
    more: Math.max(0, changes.length - maxListed),
    starts: union(
      [],
      found.flatMap((one) => one.starts),
    ),
    isClosing: true,
  };
}

/** How many changes a set stands for. */
export function countOf(set: ChangeSet): number {
  return set.changes.length + set.more;
}

/** How many changes of each kind: `2 changed, 1 added`. */
export function describeCounts(set: ChangeSet): string {
  const counts = (['changed', 'added', 'removed'] as const)
    .map((kind) => [set.changes.filter((change) => change.kind === kind).length, kind] as const)
    .filter(([count]) => count > 0)
    .map(([count, kind]) => `${count} ${kind}`);
  return [...counts, ...(set.more > 0 ? [`${set.more} more`] : [])].join(', ');
}

/** A set in one line: `2 changed, 1 added: Prompt Injection Guard (availableUpdate), Toxicity, …`. */
export function describeChangeSet(set: ChangeSet, maxLength: number): string {
  const names = set.changes.map(({ name, fields }) => (fields.length > 0 ? `${name} (${fields.join(', ')})` : name));
  const text = `${describeCounts(set)}: ${names.join(', ')}`;
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}

function keyOf({ kind, packageId }: PackageChange): string {
  return `${kind} ${packageId}`;
}

function union(before: readonly string[], added: readonly string[]): readonly string[] {
  return [...new Set([...before, ...added])];
}

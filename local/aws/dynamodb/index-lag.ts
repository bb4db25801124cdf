/**
 * Changes of global indexes that come later than those of their rows, as on AWS. They are stored
 * with the rows, so a kill loses none of them.
 */
import { asList, asText, isJsonObject, type Json } from '../../template/assembly.ts';
import type { Change, DynaliteStore } from './dynalite-store.ts';

/** How the keys of rows of global indexes begin in dynalite. */
const indexKeys = 'index-global~';

/** Keys of the changes that do not show yet, in the order in which they were made. */
const waiting = { prefix: 'late-index~', gte: 'late-index~', lt: 'late-index~~' };

/** Stores changes. */
export interface IndexLag {
  /** Stores changes in one batch; those of indexes show later. */
  store(store: Pick<DynaliteStore, 'store'>, changes: readonly Change[]): Promise<void>;
  /** Shows everything that waits. */
  showAll(store: Pick<DynaliteStore, 'store' | 'values'>): Promise<void>;
  /** Shows nothing more until the next start. */
  stop(): void;
}

/**
 * Creates one.
 * @param lagMs - 0 shows every change at once
 * @param later - runs work while no other writer does
 */
export function createIndexLag(
  lagMs: number,
  later: (work: (store: Pick<DynaliteStore, 'store'>) => Promise<void>) => void,
): IndexLag {
  const timers = new Set<NodeJS.Timeout>();
  let count = 0;
  return {
    async store(store, changes) {
      const ofIndexes = changes.filter(({ key }) => lagMs > 0 && key.startsWith(indexKeys));
      if (ofIndexes.length === 0) return store.store(changes);
      const key = `${waiting.prefix}${String((count += 1)).padStart(12, '0')}`;
      const atOnce = changes.filter((change) => !ofIndexes.includes(change));
      await store.store([...atOnce, { type: 'put', key, value: { key, changes: ofIndexes.map(toJson) } }]);
      const timer = setTimeout(() => {
        timers.delete(timer);
        later(async (open) => open.store([...ofIndexes, { type: 'del', key }]));
      }, lagMs);
      timers.add(timer);
      return undefined;
    },
    async showAll(store) {
      const batches = await store.values(waiting);
      await store.store(batches.flatMap(changesOf));
    },
    stop() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

function toJson(change: Change): Json {
  return { ...change };
}

function changesOf(batch: Json): Change[] {
  if (!isJsonObject(batch)) return [];
  const changes = asList(batch['changes']).flatMap((change): Change[] => {
    const { type, key, value = null } = isJsonObject(change) ? change : {};
    const name = asText(key) ?? '';
    return [type === 'put' ? { type, key: name, value } : { type: 'del', key: name }];
  });
  return [...changes, { type: 'del', key: asText(batch['key']) ?? '' }];
}

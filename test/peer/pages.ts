import { invalid } from './fields.ts';

/** A page of a listing. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
  readonly prev: string | null;
}

/** Which page is asked for. */
export interface PageRequest {
  readonly cursor: string | undefined;
  readonly limit: number;
}

/** What a cursor says: the page begins behind this item, or ends before it. */
interface Place {
  readonly side: 'after' | 'before';
  readonly id: string;
}

/** The page of a list that is sorted already. A cursor whose item is gone is refused. */
export function pageOf<T extends { readonly id: string }>(list: readonly T[], { cursor, limit }: PageRequest): Page<T> {
  const [begin, end] = cursor === undefined ? [0, limit] : rangeOf(list, placeIn(cursor), limit);
  const items = list.slice(begin, end);
  const last = items.at(-1);
  const first = items.at(0);
  return {
    items,
    next: last !== undefined && end < list.length ? cursorOf({ side: 'after', id: last.id }) : null,
    prev: first !== undefined && begin > 0 ? cursorOf({ side: 'before', id: first.id }) : null,
  };
}

function rangeOf(list: readonly { readonly id: string }[], { side, id }: Place, limit: number): [number, number] {
  const at = list.findIndex((item) => item.id === id);
  if (at === -1) throw refused();
  return side === 'after' ? [at + 1, at + 1 + limit] : [Math.max(0, at - limit), at];
}

function cursorOf({ side, id }: Place): string {
  return Buffer.from(`${side} ${id}`).toString('base64url');
}

/** Takes what an answer had as `next` or `prev`, also if that is a whole URL. */
function placeIn(cursor: string): Place {
  const text = URL.canParse(cursor) ? (new URL(cursor).searchParams.get('cursor') ?? '') : cursor;
  const [side, id] = Buffer.from(text, 'base64url').toString('utf8').split(' ');
  if ((side === 'after' || side === 'before') && id !== undefined) return { side, id };
  throw refused();
}

function refused() {
  return invalid(['query', 'cursor'], 'Input should be the next or prev of an answer');
}

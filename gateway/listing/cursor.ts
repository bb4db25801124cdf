/** The listing's cursors: opaque to callers; inside, where a page begins, how long it is, and which way it was reached. */

/** One page of a walk. */
export interface Cursor {
  readonly offset: number;
  readonly limit: number;
  readonly direction: 'next' | 'prev';
}

/** The text that `next` and `prev` carry. */
export function encodeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

/** Reads a cursor back; nothing where this gateway cannot have made it. */
export function decodeCursor(text: string): Cursor | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return isCursor(value) && encodeCursor(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

function isCursor(value: unknown): value is Cursor {
  if (typeof value !== 'object' || value === null) return false;
  const { offset, limit, direction } = value as Partial<Record<keyof Cursor, unknown>>;
  return (
    isWithin(offset, 0, Number.MAX_SAFE_INTEGER) &&
    isWithin(limit, 1, 100) &&
    (direction === 'next' || direction === 'prev')
  );
}

function isWithin(value: unknown, minimum: number, maximum: number): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum && value <= maximum;
}

/** A page cut out of `items`, with the cursors of its neighbours; null at either end. */
export function pageOf<T>(
  items: readonly T[],
  at: Pick<Cursor, 'offset' | 'limit'>,
): { items: readonly T[]; next: string | null; prev: string | null } {
  const { offset, limit } = at;
  const after = offset + limit;
  const before = Math.max(0, Math.min(offset, Math.ceil(items.length / limit) * limit) - limit);
  return {
    items: items.slice(offset, after),
    next: after < items.length ? encodeCursor({ offset: after, limit, direction: 'next' }) : null,
    prev: offset > 0 ? encodeCursor({ offset: before, limit, direction: 'prev' }) : null,
  };
}

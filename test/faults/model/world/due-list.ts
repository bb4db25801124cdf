/** What falls due at some time: earliest first, and in the order in which it was added where the time is the same. */
export interface DueList<T> {
  readonly add: (atMs: number, what: T) => void;
  /** Takes the first that is due at `untilMs`. */
  readonly take: (untilMs: number) => { readonly atMs: number; readonly what: T } | undefined;
}

interface Due<T> {
  readonly atMs: number;
  /** Counts up: two of one instant keep their order. */
  readonly order: number;
  readonly what: T;
}

/** An empty list: a binary heap, so that a million events cost no more each than a thousand do. */
export function createDueList<T>(): DueList<T> {
  const heap: Due<T>[] = [];
  let added = 0;

  function rise(due: Due<T>): void {
    let place = heap.length - 1;
    for (let parent = (place - 1) >> 1; place > 0; parent = (place - 1) >> 1) {
      const above = heap[parent];
      if (above === undefined || !isBefore(due, above)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = due;
  }

  function sink(due: Due<T>): void {
    let place = 0;
    for (let child = 1; child < heap.length; child = 2 * place + 1) {
      const left = heap[child];
      const right = heap[child + 1];
      if (left === undefined) break;
      const isRight = right !== undefined && isBefore(right, left);
      const below = isRight ? right : left;
      if (!isBefore(below, due)) break;
      heap[place] = below;
      place = isRight ? child + 1 : child;
    }
    heap[place] = due;
  }

  return {
    add(atMs, what) {
      const due = { atMs, order: added, what };
      added += 1;
      heap.push(due);
      rise(due);
    },
    take(untilMs) {
      const [first] = heap;
      if (first === undefined || first.atMs > untilMs) return undefined;
      const last = heap.pop();
      if (last !== undefined && heap.length > 0) sink(last);
      return first;
    },
  };
}

function isBefore(one: Due<unknown>, other: Due<unknown>): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}

/** Things with a place each, of which the n-th can be asked for: how a queue of a million messages gives out any of them. */
export interface RankedSet<T> {
  /** Adds what is not there yet; places are whole numbers from 0. */
  readonly add: (place: number, what: T) => void;
  readonly remove: (place: number) => void;
  /** The one with so many places taken before its own. */
  readonly at: (rank: number) => T | undefined;
  readonly size: () => number;
}

/** An empty set: a Fenwick tree over the places, every step of the logarithm of their number. */
export function createRankedSet<T>(): RankedSet<T> {
  const members = new Map<number, T>();
  let tree = new Int32Array(1024 + 1);

  function count(place: number, change: 1 | -1): void {
    for (let node = place + 1; node < tree.length; node += node & -node) tree[node] = (tree[node] ?? 0) + change;
  }

  function grow(place: number): void {
    let places = tree.length - 1;
    while (places <= place) places *= 2;
    tree = new Int32Array(places + 1);
    for (const member of members.keys()) count(member, 1);
  }

  return {
    add(place, what) {
      if (members.has(place)) return;
      if (place >= tree.length - 1) grow(place);
      members.set(place, what);
      count(place, 1);
    },
    remove(place) {
      if (members.delete(place)) count(place, -1);
    },
    at(rank) {
      let node = 0;
      let left = rank;
      for (let step = tree.length - 1; step > 0; step >>= 1) {
        const taken = tree[node + step];
        if (taken === undefined || taken > left) continue;
        node += step;
        left -= taken;
      }
      return members.get(node);
    },
    size: () => members.size,
  };
}

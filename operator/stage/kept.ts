/** How long a value is kept; for ever if nothing is said. */
export interface Keeping {
  readonly forMs: number;
  /** Real milliseconds from an arbitrary start. */
  readonly elapsedMs: () => number;
}

/**
 * Makes a value when it is first asked for and keeps it. Callers at the same time share one making. A making that failed is forgotten: the
 * next call tries again, so that a process that lives long comes back when the stage does.
 * @param keeping - after this time the value is made again, at the next call
 */
export function kept<Value>(make: () => Promise<Value>, keeping?: Keeping): () => Promise<Value> {
  let held: { readonly value: Promise<Value>; readonly madeAtMs: number } | undefined;

  return () => {
    const nowMs = keeping?.elapsedMs() ?? 0;
    if (held !== undefined && nowMs - held.madeAtMs < (keeping?.forMs ?? Infinity)) return held.value;
    const made = { value: make(), madeAtMs: nowMs };
    held = made;
    made.value.catch(() => {
      if (held === made) held = undefined;
    });
    return made.value;
  };
}

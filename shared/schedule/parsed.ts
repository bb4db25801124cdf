/** What reading a text gives: its value, or one sentence for the person who wrote it. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** A text that could be read. */
export function parsed<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

/** A text that could not be read, and why. */
export function problem(sentence: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem: sentence };
}

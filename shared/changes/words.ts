import type { ChangeSet, ProjectChange, ProjectChangeSet } from '../ledger/rows/watch-row.ts';

/** Of a value or a name in an event or a log line. */
const maxWordsLength = 80;

/** Between the parts of a list of changes. */
const separator = '; ';

/** A value of a configuration as a text: `true` and `'true'`, 3 and `'3'` are the same one. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value);
  } catch {
    return '(too many levels)';
  }
}

/** A value of a configuration as one short line. */
export function wordsOf(value: unknown): string {
  return shortLine(textOf(value)) || '(empty)';
}

/** One short line of a gateway's name for something, of whole characters. */
export function shortLine(text: string): string {
  return cut(text.replaceAll(/[\s\p{Cc}]+/gu, ' '), maxWordsLength);
}

/** Stands for a field that was not set, or no longer is. */
export const notSet = '(not set)';

/**
 * One change in one line.
 * @example describeChange({ kind: 'changed', field: 'scanners.ID.version', before: '2026-01', after: '2026-02' }) // 'scanners.ID.version: 2026-01 → 2026-02'
 */
export function describeChange({ kind, field, before, after }: ProjectChange): string {
  if (after === undefined) return `${field}: ${kind}`;
  return before === undefined ? `${field}: changed to ${after}` : `${field}: ${before} → ${after}`;
}

/** A set in one line of at most so many characters. */
export function describeChangeSet({ changes, more }: ProjectChangeSet, maxLength: number): string {
  const text = [...changes.map(describeChange), ...(more > 0 ? [`and ${more} more`] : [])].join(separator);
  return cut(text, maxLength);
}

/** How many changes a set stands for. */
export function countOf({ changes, more }: Pick<ChangeSet<unknown>, 'changes' | 'more'>): number {
  return changes.length + more;
}

function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1).toWellFormed()}…` : text.toWellFormed();
}

/**
 * Whether a text matches a pattern of a rule, in which `*` stands for anything, in any case of
 * letters; no pattern matches everything.
 * @example isLike('scanners.019ba000.version', 'scanners.*.version') // true
 */
export function isLike(text: string | undefined, pattern: string | undefined): boolean {
  if (pattern === undefined) return true;
  if (text === undefined) return false;
  // Without a regular expression: a pattern of many stars would make one run for minutes.
  const [first = '', ...rest] = pattern.toLowerCase().split('*');
  const last = rest.pop();
  const subject = text.toLowerCase();
  if (last === undefined) return subject === first;
  if (!subject.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const found = subject.indexOf(part, from);
    if (found === -1) return false;
    from = found + part.length;
  }
  return subject.length - last.length >= from && subject.endsWith(last);
}

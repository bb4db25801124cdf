/** What a watch, or a deployment, changed last: a score is read beside it. Pure. */
import type { LedgerRowBase } from '../rows/row-base.ts';
import { ledgerKeys } from '../rows/row-keys.ts';

/** The last changes that one watch found, the latest first. */
export interface ChangesRow extends LedgerRowBase {
  readonly kind: 'changes';
  /** As commands name the watch; `stage` is the configuration of the stage. */
  readonly watch: string;
  /** Of the stage: its configuration as the watcher saw it last. */
  readonly digest?: string;
  readonly lines: readonly ChangeLine[];
}

/** A set of changes in one line. */
export interface ChangeLine {
  /** Of the set: none is kept twice. */
  readonly id: string;
  readonly at: string;
  readonly says: string;
}

const mostLines = 50;

/** The place of a watch's changes, and of those of the stage itself. */
export const stageChanges = 'stage';

/** With one more line; the same row if its set is known. */
export function withChange(row: ChangesRow | undefined, watch: string, line: ChangeLine): ChangesRow {
  const lines = row?.lines ?? [];
  const isKnown = lines.some(({ id }) => id === line.id);
  const next = isKnown ? lines : [line, ...lines].slice(0, mostLines);
  return { ...row, pk: ledgerKeys.changes(watch), kind: 'changes', watch, lines: next };
}

/** With the configuration of the stage as it is now. @returns `undefined` if it is the same as before */
export function withDigest(row: ChangesRow | undefined, digest: string, at: string): ChangesRow | undefined {
  if (row?.digest === digest) return undefined;
  // The first one that is seen is no change.
  const says = "the stage's configuration was changed";
  const next = row === undefined ? undefined : withChange(row, stageChanges, { id: digest, at, says });
  const empty = { pk: ledgerKeys.changes(stageChanges), kind: 'changes', watch: stageChanges, lines: [] } as const;
  return { ...(next ?? empty), digest };
}

/** The changes of these rows within a time, the earliest first: after `from`, until `until`. */
export function changesWithin(
  rows: readonly (ChangesRow | undefined)[],
  { from, until }: { readonly from: string; readonly until: string },
): readonly (ChangeLine & { readonly watch: string })[] {
  return rows
    .flatMap((row) => row ?? [])
    .flatMap(({ watch, lines }) => lines.map((line) => ({ ...line, watch })))
    .filter(({ at }) => Date.parse(at) > Date.parse(from) && Date.parse(at) <= Date.parse(until))
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

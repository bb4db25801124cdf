import type { BenchRow, Figure, RowResult } from './bench-row.ts';
import { type Verdict, verdictOf } from './verdict.ts';

/** A figure and what is said of it. */
export type JudgedFigure = Figure & { readonly verdict: Verdict };

/** A row after its measurement. */
export interface MeasuredRow
  extends Pick<BenchRow, 'id' | 'title' | 'peer' | 'isNoiseFree'>, Pick<RowResult, 'notes' | 'asides' | 'sameTwice'> {
  readonly figures: readonly JudgedFigure[];
  /** How long the measurement took. */
  readonly seconds: number;
}

/**
 * Puts a row and its result together, with a verdict on each figure. @throws Error if there is none
 */
export function measuredRow(
  { id, title, peer, isNoiseFree }: BenchRow,
  result: RowResult,
  seconds: number,
): MeasuredRow {
  if (result.figures.length === 0) throw new Error(`the row ${id} has no figure`);
  const figures = result.figures.map((figure) => ({ ...figure, verdict: verdictOf(figure, result) }));
  return { ...result, id, title, peer, isNoiseFree, figures, seconds };
}

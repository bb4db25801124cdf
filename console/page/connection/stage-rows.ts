import { signal } from '@preact/signals';
import type { StageRow, StagesAnswer } from '../../api.ts';
import { ask, problemFrom, type Problem } from './ask.ts';

/** All stages of this console, worst first: read at the start, and again while their screen is open. */
export const stageRows = signal<{ readonly rows?: readonly StageRow[]; readonly problem?: Problem }>({});

/** Reads them once more. After a failure the last rows stay. */
export async function readStageRows(): Promise<void> {
  try {
    const { stages } = await ask<StagesAnswer>('/api/stages');
    stageRows.value = { rows: worstFirst(stages) };
  } catch (error) {
    stageRows.value = { ...stageRows.value, problem: problemFrom(error) };
  }
}

/** What is known of one stage of this console. */
export function stageRow(name: string): StageRow | undefined {
  return stageRows.value.rows?.find((row) => row.name === name);
}

/** A stage that cannot be read stands first, then what needs a person; equal ones stay in the order of the command line. */
export function worstFirst(rows: readonly StageRow[]): readonly StageRow[] {
  return rows.toSorted((a, b) => rank(a) - rank(b));
}

function rank({ problem, worst }: StageRow): number {
  if (problem !== undefined) return 0;
  return worst === undefined ? 2 : 1;
}

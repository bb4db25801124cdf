import type { BenchRow } from './bench-row.ts';
import { drainRow } from './drain/rows.ts';
import { awsCalls } from './rows/aws-calls.ts';
import { bundles } from './rows/bundles.ts';
import { cold } from './rows/cold.ts';
import { consolePage } from './rows/console.ts';
import { costIdle, costUploads, ledgerWrites } from './rows/cost.ts';
import { clientLayer, record } from './rows/cpu.ts';
import { ready } from './rows/ready.ts';
import { watch } from './rows/watch.ts';

/** Every row of docs/reference/performance.md, in its order. */
export const benchRows: readonly BenchRow[] = [
  record,
  clientLayer,
  drainRow,
  watch,
  cold,
  bundles,
  awsCalls,
  ledgerWrites,
  ready,
  costUploads,
  costIdle,
  consolePage,
];

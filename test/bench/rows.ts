import type { BenchRow } from './bench-row.ts';
import { drainRow } from './drain/rows.ts';
import { awsCalls } from './rows/aws-calls.ts';
import { bundles } from './rows/bundles.ts';
import { clientLayer } from './rows/client-layer.ts';
import { cold } from './rows/cold.ts';
import { consolePage } from './rows/console.ts';
import { costCommands, costIdle, costUploads } from './rows/cost.ts';
import { ledgerWrites, secretFetches } from './rows/counts.ts';
import { ready } from './rows/ready.ts';
import { record } from './rows/record.ts';
import { watch } from './rows/watch.ts';
import { scaleRows } from './scale/rows.ts';

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
  secretFetches,
  ready,
  costUploads,
  costCommands,
  costIdle,
  ...scaleRows,
  consolePage,
];

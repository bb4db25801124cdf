import type { Mutant } from '../mutant.ts';
import { alarmMutants, permissionMutants } from './permissions.ts';
import { deployMutants } from './deploying.ts';
import { gatewayMutants } from './gateway-calls.ts';
import { neighbourMutants, writtenByOthersMutants } from './neighbours.ts';
import { projectMutants } from './projects.ts';
import { budgetMutants } from './runs/blackouts-and-budgets.ts';
import { dueMutants } from './runs/due-commands.ts';
import { guardMutants } from './runs/guards.ts';
import { observeMutants, planMutants } from './runs/plans.ts';
import { resultMutants } from './runs/results.ts';
import { idMutants, runRowMutants } from './runs/run-rows.ts';
import { settledStopMutants } from './runs/settled-stops.ts';
import { doubtMutants } from './runs/starts-in-doubt.ts';
import { startMutants } from './runs/starts.ts';
import { stopMutants } from './runs/stops.ts';
import { waitMutants } from './runs/waiting.ts';
import { consoleMutants } from './the-console.ts';
import { stageMutants } from './the-stage.ts';
import { tokenMutants } from './the-token.ts';
import { uploadMutants } from './uploads.ts';
import { watchMutants } from './watches.ts';
import { toldMutants } from './what-is-told.ts';

/** Every mutant. */
export const mutants: readonly Mutant[] = [
  ...alarmMutants,
  ...deployMutants,
  ...gatewayMutants,
  ...neighbourMutants,
  ...writtenByOthersMutants,
  ...permissionMutants,
  ...projectMutants,
  ...budgetMutants,
  ...dueMutants,
  ...guardMutants,
  ...observeMutants,
  ...planMutants,
  ...idMutants,
  ...runRowMutants,
  ...resultMutants,
  ...settledStopMutants,
  ...doubtMutants,
  ...startMutants,
  ...stopMutants,
  ...waitMutants,
  ...consoleMutants,
  ...stageMutants,
  ...tokenMutants,
  ...uploadMutants,
  ...watchMutants,
  ...toldMutants,
];

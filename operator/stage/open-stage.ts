import type { StageDeps } from './operator-deps.ts';
import { createLocalClock, stageTime } from './local-clock.ts';
import { createStageAccess } from './stage-access.ts';
import { clientSettings, type Target } from '../target.ts';

/** A stage that a process has opened. Each call is for one caller; all share the connections. */
export type OpenStage = (signal?: AbortSignal) => StageDeps;

/**
 * Opens a stage for as long as the process lives; nothing is sent before the first question. A process may open several, in several regions
 * and accounts.
 * @param machineTime - the time of this machine
 * @example const prod = openStage({ kind: 'aws', stage: 'prod', region: 'eu-west-1' }); await readStageMode(prod(request.signal));
 */
export function openStage(target: Target, machineTime: () => Date = () => new Date()): OpenStage {
  const access = createStageAccess(target.stage, clientSettings(target));
  return (signal) => {
    const localClock = target.kind === 'local' ? createLocalClock(target, signal) : undefined;
    return {
      target,
      stage: signal === undefined ? access : access.until(signal),
      localClock,
      now: stageTime(localClock, machineTime),
      signal,
    };
  };
}

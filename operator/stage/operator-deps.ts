import { clientSettings, type Target } from '../target.ts';
import { createLocalClock, type LocalClock, stageTime } from './local-stage.ts';
import { createStageAccess, type StageAccess } from './stage-access.ts';

/** What the work for an operator may touch: a stage, a clock and a person who waits, all of it replaceable in a test. */
export interface OperatorDeps {
  readonly target: Target;
  readonly stage: StageAccess;
  /** The clock of the local run; absent against AWS. */
  readonly localClock?: LocalClock;
  /** The zone in which the person wants times. @default that of the stage */
  readonly zone?: string | undefined;
  /** The stage's time, by which a command is stamped: that of AWS, or the clock of the local run, which can be moved. */
  readonly now: () => Promise<Date>;
  /**
   * Aborts when the person presses Ctrl-C. After the first call, one Ctrl-C ends the current work
   * in good order and a second ends the process. Without a call the first one does.
   */
  readonly interruption: () => AbortSignal;
  /** Ends questions to the stage when the person who waits for the answer leaves. Absent if that cannot happen. */
  readonly signal?: AbortSignal;
  /** Real milliseconds from an arbitrary start, for waiting. */
  readonly elapsedMs: () => number;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** A part of an id that no other id has. */
  readonly unique: () => string;
  /** Who works with the stage. */
  readonly operator: string;
  /** Tells a waiting person something, beside the result. */
  readonly progress: (line: string) => void;
  /** Writes a time in a line of progress as the result has its times. @default RFC 3339 in UTC */
  readonly written?: (at: string) => string;
  /** Shows a person at a terminal what goes on, until it is disposed of. Absent if no terminal is: in a pipe, and for one document. */
  readonly working?: (what: () => string) => Disposable;
}

/** What of it belongs to the stage, and not to the person. */
export type StageDeps = Pick<OperatorDeps, 'target' | 'stage' | 'localClock' | 'now' | 'signal'>;

/** What a question to the stage needs. */
export type AskingDeps = Pick<OperatorDeps, 'stage' | 'signal'>;

/** A stage that a process has opened. Each call is for one caller; all share the connections. */
export type OpenStage = (signal?: AbortSignal) => StageDeps;

/**
 * Opens a stage for as long as the process lives; nothing is sent before the first question. A process may open several, in several regions
 * and accounts.
 * @example const prod = openStage({ kind: 'aws', stage: 'prod', region: 'eu-west-1' }); await readStageStatus(prod(request.signal));
 */
export function openStage(target: Target, machineTime: () => Date = () => new Date()): OpenStage {
  const access = createStageAccess(target.stage, clientSettings(target));
  return (signal) => {
    const localClock = target.kind === 'local' ? createLocalClock(target, signal) : undefined;
    return {
      target,
      stage: signal === undefined ? access : access.until(signal),
      localClock,
      now: stageTime(localClock, access.clockOffsetMs, machineTime),
      signal,
    };
  };
}

/** How a run stands, from its rows: the one table of it. Each surface shows what this says, and none judges again. Pure. */
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { ZonedClock } from '../times/typed-times.ts';
import { endedLines } from './ended-lines.ts';
import { lookAt, type Look, type RunStateName, type StateWords } from './look.ts';
import { openLines } from './open-lines.ts';
import type { RunRows } from './run-rows.ts';

/** How a run stands. */
export interface RunState extends StateWords {
  /** When it begins, or is to begin, by the request that counts. */
  readonly startAt: string;
  /** Of a run that may go on: its planned stop. */
  readonly stopsAt?: string | undefined;
  /** Whether it began. `unknown`: the gateway took the start, or may have, and nothing shows the run. */
  readonly begun: 'yes' | 'no' | 'unknown';
  readonly score?: number | undefined;
  /** Model providers that failed, by their names. */
  readonly failedProviders?: readonly string[] | undefined;
}

/** Tells a run by the first line that fits. */
export function runState(facts: RunRows, clock: ZonedClock): RunState {
  const look = lookAt(facts, clock);
  for (const line of [...endedLines, ...openLines]) {
    const words = line(look);
    if (words !== undefined) return stateOf(words, look);
  }
  throw new Error('the last line of the table fits every run');
}

const neverSent: ReadonlySet<RunStateName> = new Set(['observed', 'not-started', 'deferred', 'waiting']);

/** Whether a request of this start left that may have had its effect. */
export function wasSent(start: CommandRow): boolean {
  return !neverSent.has(runState({ start }, { now: new Date(start.command.issuedAt), zone: 'UTC' }).state);
}

const neverBegan: ReadonlySet<RunStateName> = new Set([...neverSent, 'cancelled', 'scheduled']);

/** In these a stop is still to come, or is what one asks for. */
const goesOn: ReadonlySet<RunStateName> = new Set([
  'stopping',
  'stop-due',
  'running',
  'unanswered',
  'scheduled',
  'unconfirmed',
  'awaited',
  'accepted',
]);

function stateOf(words: StateWords, { startAt, stopsAt, reading, isShown }: Look): RunState {
  const isNever = neverBegan.has(words.state) || reading?.status === 'schedule_error';
  return {
    ...words,
    startAt,
    stopsAt: goesOn.has(words.state) ? stopsAt : undefined,
    begun: isNever ? 'no' : isShown ? 'yes' : 'unknown',
    score: reading?.score,
    failedProviders: words.state === 'failed' ? failedOf(reading) : undefined,
  };
}

function failedOf(reading: Look['reading']): readonly string[] | undefined {
  const failed = (reading?.providers ?? []).flatMap((provider) => (provider.failed ? [provider.name] : []));
  return failed.length === 0 ? undefined : failed;
}

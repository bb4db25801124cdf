/** What the lines of the table look at, and what each of them says. Pure. */
import { hasBegun, type RunRead } from '#shared/ledger/rows/run-reading.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import type { Step } from '#shared/text/step.ts';
import type { ZonedClock } from '../times/typed-times.ts';
import { timeIn } from '#shared/schedule/written-times.ts';
import { lastReading, type RunRows } from './run-rows.ts';

/** How a run stands, in one word. */
export type RunStateName =
  | 'observed'
  | 'not-started'
  | 'failed'
  | 'complete'
  | 'cancelled'
  | 'stopped'
  | 'over'
  | 'not-stopped'
  | 'stopping'
  | 'stop-due'
  | 'may-have-run'
  | 'running'
  | 'deferred'
  | 'waiting'
  | 'unanswered'
  | 'scheduled'
  | 'unconfirmed'
  | 'awaited'
  | 'accepted';

/** `bad`: a person must act or should have known. `warn`: it may become so. `plain`: it is as it was meant or asked for. */
export type Tone = 'good' | 'plain' | 'warn' | 'bad';

/** What a line of the table says of a run. */
export interface StateWords {
  readonly state: RunStateName;
  readonly tone: Tone;
  /** One sentence without the name of the run. */
  readonly says: string;
  readonly endedAt?: string | undefined;
  readonly next?: Step | undefined;
}

/** What the lines of the table look at. */
export interface Look extends RunRows {
  readonly now: Date;
  /** Writes a time of a sentence. */
  readonly at: (instant: string) => string;
  readonly startAt: string;
  readonly reading: RunRead | undefined;
  /** Its planned stop, while that is to come. */
  readonly stopsAt: string | undefined;
  /** The gateway or its campaign has shown it as begun. */
  readonly isShown: boolean;
}

/** A line of the table: what it says of a run that fits. */
export type Line = (look: Look) => StateWords | undefined;

/** Looks at the rows of a run. */
export function lookAt(facts: RunRows, { now, zone }: ZonedClock): Look {
  const { start, entry, noted } = facts;
  const reading = lastReading(facts);
  const { plansStop = false, endsAt } = start.facts ?? entry ?? {};
  return {
    ...facts,
    now,
    at: (instant) => timeIn(instant, zone, now),
    startAt: startAtOf(facts),
    reading,
    stopsAt: plansStop ? endsAt : undefined,
    isShown: noted?.confirmed !== undefined || (reading !== undefined && hasBegun(reading)),
  };
}

/** When a run begins: by the request that counts, else by its command. */
function startAtOf({ start, entry }: RunRows): string {
  const { startAt, facts, deferred, command, mayHaveRun } = start;
  const known = startAt ?? facts?.due ?? entry?.due ?? mayHaveRun?.from;
  if (known !== undefined) return known;
  const dueMs = Date.parse(command.issuedAt) + (durationMs(command.startDelay ?? '') ?? 0);
  return new Date(Math.max(dueMs, Date.parse(deferred?.until ?? command.issuedAt))).toISOString();
}

import type { Ledger } from '#shared/ledger/ledger.ts';
import { listOpenOfKind, openRows } from '#shared/ledger/open-rows.ts';
import { campaignHeldBy, isOnAt, setSwitch, type Switched, type SwitchSubject } from '#shared/ledger/switches.ts';
import type { PastSwitchRow, SwitchRow } from '#shared/ledger/rows/stage-rows.ts';
import { OperatorError } from '../errors.ts';
import type { HistoryRange } from '../history/history.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';

/** What a person wants of a switch. */
export interface WantedSwitch {
  readonly isOn: boolean;
  readonly reason: string | undefined;
  /** When it ends automatically. @default a person lifts it */
  readonly until?: Date | undefined;
  /** Of an alarm that goes on ringing: since when. @default it is none */
  readonly ringsSince?: string | undefined;
}

/**
 * Sets a switch for the person at the keyboard. Twice is once.
 * @throws OperatorError LOST_RACE if others keep switching it
 */
export async function switchTo(
  subject: SwitchSubject,
  wanted: WantedSwitch,
  deps: OperatorDeps,
): Promise<Switched & { readonly now: Date }> {
  const [now, ledger] = await Promise.all([deps.now(), deps.stage.ledger()]);
  const reason = wanted.reason ?? 'no reason given';
  const switched = await setSwitch(ledger, subject, { ...wanted, by: deps.operator, reason, at: now });
  if (switched !== undefined) return { ...switched, now };
  throw new OperatorError(`others keep switching ${switchTitle(subject)}: nothing was changed, try again`, {
    code: 'LOST_RACE',
  });
}

/** A switch that is on, as `status` tells it. */
export interface SwitchReport extends Pick<SwitchRow, 'scope' | 'name' | 'by' | 'reason' | 'at' | 'until'> {}

/** Tells who switched what, when and why. */
export function toSwitchReport({ scope, name, by, reason, at, until }: SwitchRow): SwitchReport {
  return { scope, name, by, reason, at, until };
}

/** `FROZEN`, `PAUSED campaign chat-bot`, or `HELD campaign chat-bot`. */
export function stateWords(subject: SwitchSubject): string {
  if (subject.scope === 'alarm') return `HELD campaign ${campaignHeldBy(subject)}`;
  return subject.scope === 'stage' ? 'FROZEN' : `PAUSED ${switchTitle(subject)}`;
}

/** What is held back while it is on. */
export function heldBack({ scope }: SwitchSubject): string {
  if (scope === 'stage') return 'no start of this stage is sent, but stops are';
  if (scope === 'alarm') return 'none of its starts is sent, and its runs are stopped';
  return scope === 'campaign'
    ? 'none of its starts is sent, but stops are'
    : 'none of the starts that it asks for is sent';
}

/** The words of the command that ends it. */
export function liftingCommand({ scope, name }: SwitchSubject): readonly string[] {
  return scope === 'stage' ? ['autopilot', 'thaw'] : ['autopilot', 'resume', scope, name];
}

/** `the stage`, or `campaign chat-bot`. */
export function switchTitle({ scope, name }: SwitchSubject): string {
  return scope === 'stage' ? 'the stage' : `${scope} ${name}`;
}

/** As a finding names it: `freeze`, `campaign chat-bot's pause`, or `alarm chat-bot/target-5xx`. */
export function switchSubject({ scope, name }: SwitchSubject): string {
  if (scope === 'alarm') return `alarm ${name}`;
  return scope === 'stage' ? 'freeze' : `${scope} ${name}'s pause`;
}

/** Who switched what, when, why and until when, on a screen that writes instants in its own way. */
export function switchedWords(one: SwitchReport, at: (instant: string) => string): string {
  return `${stateWords(one)} ${saidBy(one, at)}`;
}

/** `by grace 22:00, 3 h ago: CHG-1042 (until 06:00, in 5 h)`. */
export function saidBy(
  { by, at, until, reason }: Pick<SwitchRow, 'by' | 'at' | 'until' | 'reason'>,
  write: (instant: string) => string,
): string {
  return `by ${by} ${write(at)}: ${reason}${until === undefined ? '' : ` (until ${write(until)})`}`;
}

/** A freeze or a pause, from its beginning to its end: a band of a calendar. */
export interface SwitchBand extends Pick<
  PastSwitchRow,
  'scope' | 'name' | 'by' | 'reason' | 'from' | 'until' | 'lifted'
> {
  /** Absent while it lasts. */
  readonly to?: string;
}

/**
 * Reads every freeze and pause that held starts back in a range, the newest beginning first. One that ended by itself has no row of its own until
 * its switch is used again: the row of the switch still tells it.
 */
export async function readSwitchBands(
  ledger: Pick<Ledger, 'listOpen'>,
  { since, before }: Pick<HistoryRange, 'since' | 'before'>,
  now: Date,
): Promise<readonly SwitchBand[]> {
  const rows = (await listOpenOfKind(ledger, 'SWITCHED', 'switch')).filter(({ isOn }) => isOn);
  const bands = rows.map((row) => bandOf(row, now));
  for await (const row of openRows(ledger, 'SWITCHED_BEFORE', { since: since?.toISOString() })) {
    if (row.kind === 'past-switch') bands.push(pastBand(row));
  }
  // The index is a moment old: a switch that was just lifted may stand in both states.
  const known = new Map(bands.map((band) => [JSON.stringify([band.scope, band.name, band.from]), band]));
  return [...known.values()]
    .filter(({ from, to }) => isWithin(from, before, -1) && (to === undefined || isWithin(to, since, 1)))
    .toSorted((a, b) => b.from.localeCompare(a.from));
}

/** Whether an instant lies on that side of a bound, if there is one. */
function isWithin(instant: string, bound: Date | undefined, side: 1 | -1): boolean {
  return bound === undefined || (Date.parse(instant) - bound.getTime()) * side > 0;
}

function bandOf(row: SwitchRow, now: Date): SwitchBand {
  const { scope, name, by, reason, at, until } = row;
  return { scope, name, by, reason, from: at, to: isOnAt(row, now) ? undefined : until, until };
}

function pastBand({ scope, name, by, reason, from, to, until, lifted }: PastSwitchRow): SwitchBand {
  return { scope, name, by, reason, from, to, until, lifted };
}

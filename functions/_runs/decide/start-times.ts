/** When a start is due, what its PATCH holds, and what the guards are asked about it. Pure. */
import { hash } from 'node:crypto';
import type { ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import type { UpdateCampaignRunInput } from '#shared/gateway-client/index.ts';
import type { InTheWay, StartQuestion, StartTimes } from '#shared/guards/start-question.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { CalendarsRow } from '#shared/ledger/rows/stage-rows.ts';
import type { InFlight } from '#shared/ledger/rows/target-row.ts';
import { compareCommands, defaultValidFor } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { calendarsAsRead } from '#shared/schedule/calendars.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import { isShownOver } from './shown-run.ts';
import { entriesIn, orderOfStart, rowOf, storedOwn, targetRow } from './rows.ts';
import type { Moment } from './state.ts';

/** The moment of a start whose run the configuration knows. */
export interface StartMoment extends Moment {
  readonly run: ResolvedRun;
}

/** A run whose configuration says neither when it is stopped nor how long it lasts counts as in flight for a day. */
const unknownLength = 'P1D';

const ms = (duration: string | undefined) => durationMs(duration ?? '') ?? 0;

/** Whether this start came too late by its own validity, and is made up for. */
export function isMissed({ sent, madeUpBy, now }: Pick<Moment, 'sent' | 'madeUpBy' | 'now'>): boolean {
  return madeUpBy !== undefined && now.getTime() > Date.parse(sent.issuedAt) + ms(sent.validFor ?? defaultValidFor);
}

/** The instants of a start that has no entry. */
export function timesOf(moment: StartMoment): StartTimes {
  const { command, run } = moment;
  const { issuedAt, startDelay } = command;
  const deferredUntil = storedOwn(moment)?.deferred?.until;
  const dueMs = Math.max(
    Date.parse(issuedAt) + ms(startDelay),
    deferredUntil === undefined ? 0 : Date.parse(deferredUntil),
    isMissed(moment) ? moment.now.getTime() : 0,
  );
  const stopAfter = command.stopAfter ?? run.stopAfter;
  const endsMs = dueMs + ms(stopAfter ?? run.guards.longestRun ?? unknownLength);
  const due = new Date(dueMs);
  return { due, startAt: startAtOf(due, moment), endsAt: new Date(endsMs), plansStop: stopAfter !== undefined };
}

/** The instants of a start that has one: `due` and `endsAt` never move. */
export function timesOfEntry({ due, endsAt, plansStop }: InFlight, moment: Moment): StartTimes {
  return { due: new Date(due), startAt: startAtOf(new Date(due), moment), endsAt: new Date(endsAt), plansStop };
}

/** Far enough ahead to reach a gateway before it, also one whose clock is ahead. A word starts a run at once. */
function startAtOf(due: Date, moment: Moment): Date {
  const { now, config } = moment;
  const { status, startLead } = config.gateway;
  if (status.start !== undefined) return due > now ? due : now;
  const aheadMs = storedOwn(moment)?.attempt?.aheadMs ?? 0;
  return new Date(Math.max(due.getTime(), now.getTime() + ms(startLead) + aheadMs));
}

/** The PATCH of a start. */
export function startInput(
  moment: Moment,
  campaignRunId: string,
  { due, startAt }: StartTimes,
): UpdateCampaignRunInput {
  const { command, run, config, now } = moment;
  const { start: word } = config.gateway.status;
  // `2026-11-20`, the date on the wall of that zone.
  const date = new Intl.DateTimeFormat('en-CA', { timeZone: config.timezone, dateStyle: 'short' });
  return {
    campaignRunId,
    status: word,
    startAt: word === undefined || due > now ? startAt.toISOString() : undefined,
    name: run?.nameTemplate?.replaceAll('{date}', date.format(due)),
    preserve: run?.preserve,
    // The same for every try of one start. A digest, since a header has its limits and an id may be anything printable.
    idempotencyKey: hash('sha256', command.id),
  };
}

/** What the guards are asked about a start that has no entry. */
export function questionOf(moment: StartMoment, times: StartTimes): StartQuestion {
  const { run } = moment;
  const { campaign, campaignId, guards } = run;
  const target = targetRow(moment, guards.target);
  return { ...questionAtAll(moment, times), campaign, campaignId, guards, target, inTheWay: inTheWayOf(moment) };
}

/** What they are asked about a start in doubt: only those that look at no other run. */
export function questionOfEntry(moment: Moment, { campaign }: InFlight, times: StartTimes): StartQuestion {
  return { ...questionAtAll(moment, times), campaign, guards: {}, target: undefined, inTheWay: [] };
}

function questionAtAll(moment: Moment, times: StartTimes) {
  const { command, switches, config, now } = moment;
  const { timezone } = config;
  const deferredUntil = storedOwn(moment)?.deferred?.until;
  return { command, deferredUntil, switches, ...blackoutsOf(moment), timezone, now, times };
}

/** The blackouts, with what the calendars said that were read with the rows of the start. */
function blackoutsOf({
  rows,
  config: { blackouts },
  now,
}: Moment): Pick<StartQuestion, 'blackouts' | 'unreadCalendars'> {
  const key = ledgerKeys.calendars();
  if (!rows.has(key)) return { blackouts };
  const read = calendarsAsRead(blackouts, rowOf<CalendarsRow>(rows, key)?.readings ?? {}, now);
  return { blackouts: read.blackouts, unreadCalendars: read.unread };
}

/** The other runs of its target, and those of its own name that began under another target. One that has ended is in no way. */
function inTheWayOf(moment: StartMoment): readonly InTheWay[] {
  const { run, command, rows } = moment;
  const outcomeOf = (id: string) => rowOf<CommandRow>(rows, ledgerKeys.command(id))?.outcome;
  return entriesIn(moment)
    .filter(({ row, entry }) => row.target === run.guards.target || entry.run === run.name)
    .filter(({ entry }) => entry.startId !== command.id && !isShownOver(moment, entry))
    .map(({ entry }) => ({
      entry,
      isLater: compareCommands(orderOfStart(entry), command) > 0,
      isPlannedStopOver: outcomeOf(commandIds.plannedStop(entry.startId)) !== undefined,
      isEndRefused: entry.state === 'running' && outcomeOf(commandIds.end(entry.startId)) !== undefined,
    }));
}

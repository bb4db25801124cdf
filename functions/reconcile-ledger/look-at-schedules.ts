import { isDeepStrictEqual } from 'node:util';
import type { OutcomePublisher, OutcomeEvent } from '#shared/aws/outcome-bus.ts';
import type { Schedules } from '#shared/aws/schedules.ts';
import type { ConfigPart, WatchedSchedule } from '#shared/config/resolve/resolved-automation.ts';
import { toError } from '#shared/errors/app-error.ts';
import { type Ledger, rowAt, type Stored } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { ScheduleMemory, SilenceRow } from '#shared/ledger/rows/reconcile-row.ts';
import { listSwitches, type SwitchRow } from '#shared/ledger/switches.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { silenceMeaning, silenceNextStep, type SilenceReason } from '#shared/vocabulary/silence-reasons.ts';
import type { WorkerReports } from '../_handler/worker-reports.ts';
import { commandsToRead, judgeSchedule, type SilenceFacts } from './judge-silence.ts';

/** What is needed to see which schedules are silent. */
export interface SilenceDeps {
  readonly ledger: Ledger;
  readonly config: Pick<ConfigPart<'reconcile-ledger'>, 'mode' | 'blackouts' | 'silentAlso' | 'schedules'>;
  /** The schedules as they are deployed. */
  readonly deployed: Pick<Schedules, 'find'>;
  readonly bus: OutcomePublisher;
  readonly reports: Pick<WorkerReports, 'log' | 'level'>;
  readonly now: () => Date;
}

type Memories = Readonly<Record<string, ScheduleMemory>>;

/**
 * Judges every schedule that starts a run, tells people of those that are silent, and reminds them
 * of what is frozen or paused. What was published is remembered after it was sent. A notice that is
 * sent twice has the same id. To be called by one pass at a time.
 * @returns the schedules that are silent
 */
export async function lookAtSchedules(deps: SilenceDeps): Promise<readonly string[]> {
  const { ledger, config, reports } = deps;
  const now = deps.now();
  const before = await ledger.read<SilenceRow>(ledgerKeys.silence());
  const judged = await explained(await judgeAll(before?.schedules ?? {}, now, deps), deps);
  const silent = config.schedules.flatMap(({ name }) => (judged[name]?.silentSince === undefined ? [] : [name]));
  reports.level(metricNames.schedulesSilent, silent.length);

  const schedules = await tellSilence(judged, now, deps);
  const reminded = await remind(before?.reminded ?? {}, now, deps);
  await remember(before, { pk: ledgerKeys.silence(), kind: 'silence', schedules, reminded }, ledger);
  return silent;
}

async function judgeAll(before: Memories, now: Date, { ledger, config }: SilenceDeps): Promise<Memories> {
  const { mode, silentAlso: also, blackouts, schedules } = config;
  const ids = mode === 'observe' ? [] : schedules.flatMap((one) => commandsToRead(one, before[one.name], now));
  const rows = ids.length === 0 ? new Map() : await ledger.readMany(ids.map(ledgerKeys.command));
  const commandOf = (id: string) => rowAt<CommandRow>(rows, ledgerKeys.command(id));
  const facts: SilenceFacts = { now, mode, also, blackouts, commandOf };
  return Object.fromEntries(schedules.map((one) => [one.name, judgeSchedule(one, before[one.name], facts)]));
}

/** Why no command of a silent schedule came is asked of Scheduler, one request each. */
async function explained(judged: Memories, deps: SilenceDeps): Promise<Memories> {
  const explaining = deps.config.schedules.map(async (schedule): Promise<readonly [string, ScheduleMemory][]> => {
    const memory = judged[schedule.name];
    if (memory === undefined) return [];
    const { missed, silentSince } = memory;
    if (missed?.reason !== 'NO_MESSAGE' || silentSince === undefined) return [[schedule.name, memory]];
    return [[schedule.name, { ...memory, missed: { ...missed, reason: await whyNoMessage(schedule, deps) } }]];
  });
  return Object.fromEntries((await Promise.all(explaining)).flat());
}

/**
 * A stage in a private network may not reach Scheduler: then the reason stays open, and the
 * schedule rings all the same.
 */
async function whyNoMessage(schedule: WatchedSchedule, { deployed, reports }: SilenceDeps): Promise<SilenceReason> {
  try {
    const found = await deployed.find(schedule.name);
    if (found === undefined) return 'DELETED';
    if (!found.isEnabled) return 'DISABLED';
    const isSame = found.expression === schedule.expression && found.timezone === schedule.timezone;
    return isSame ? 'NO_MESSAGE' : 'CHANGED_BY_HAND';
  } catch (error) {
    const what = `the schedule ${schedule.name} could not be read: why no command of it came is not known`;
    reports.log.warn(logEvents.failed, what, { error: toError(error) });
    return 'NO_MESSAGE';
  }
}

async function tellSilence(judged: Memories, now: Date, { config, bus, reports }: SilenceDeps): Promise<Memories> {
  const remembered: Record<string, ScheduleMemory> = { ...judged };
  for (const schedule of config.schedules) {
    const memory = judged[schedule.name];
    if (memory === undefined) continue;
    const notice = silenceNotice(schedule, memory, now);
    if (notice === undefined) continue;
    await bus.publish(eventTypes.scheduleSilent, notice);
    const { reason, count, first } = memory.missed ?? {};
    reports.log.warn(
      logEvents.scheduleSilent,
      `the schedule ${schedule.name} starts nothing: ${String(notice['meaning'])}`,
      {
        schedule: schedule.name,
        run: schedule.run,
        reason,
        missed: count,
        since: first,
      },
    );
    remembered[schedule.name] = { ...memory, toldAt: now.toISOString() };
  }
  return remembered;
}

/** A switch that is off is forgotten. A stage that only observes holds nothing back. */
async function remind(
  before: Readonly<Record<string, string>>,
  now: Date,
  { ledger, config, bus }: SilenceDeps,
): Promise<Readonly<Record<string, string>> | undefined> {
  if (config.mode === 'observe') return undefined;
  const reminded: Record<string, string> = {};
  for (const row of await listSwitches(ledger, now)) {
    const reminder = switchReminder(row, before[row.pk], now);
    if (reminder !== undefined) await bus.publish(eventTypes.startsHeldBack, reminder);
    const at = reminder === undefined ? before[row.pk] : now.toISOString();
    if (at !== undefined) reminded[row.pk] = at;
  }
  return Object.keys(reminded).length === 0 ? undefined : reminded;
}

/**
 * Written only if it changed. If another pass was first, the next one tells it again, under the
 * same ids.
 */
async function remember(before: Stored<SilenceRow> | undefined, after: SilenceRow, ledger: Ledger): Promise<void> {
  if (before !== undefined && isDeepStrictEqual(asWritten(before), asWritten(after))) return;
  await ledger.write<SilenceRow>(before, after);
}

/** What a row remembers: without fields that a write drops. */
function asWritten({ schedules, reminded }: SilenceRow): unknown {
  return JSON.parse(JSON.stringify({ schedules, reminded }));
}

// What people are sent about schedules that are silent, and about a freeze or a pause that is
// forgotten. Pure.

const dayMs = 24 * 3_600_000;

/**
 * The notice about a silent schedule: at once, then once a day. A frozen or paused schedule is
 * reported once: each day the switch itself reminds.
 * @returns `undefined` if there is nothing to tell now
 */
export function silenceNotice(
  { name, run }: WatchedSchedule,
  { missed, silentSince, toldAt, startedAt }: ScheduleMemory,
  now: Date,
): OutcomeEvent | undefined {
  if (missed === undefined || silentSince === undefined) return undefined;
  const { reason, detail, count, first } = missed;
  const isHeldBack = reason === 'FROZEN' || reason === 'PAUSED';
  if (toldAt !== undefined && (isHeldBack || !isDayAgo(toldAt, now))) return undefined;
  return {
    eventId: `silent:${name}@${silentSince}#${toldAt === undefined ? 0 : daysSince(silentSince, now)}`,
    schedule: name,
    run,
    missed: count,
    since: first,
    lastStartAt: startedAt,
    reason,
    meaning: silenceMeaning(reason),
    detail,
    nextStep: silenceNextStep(reason),
    at: now.toISOString(),
  };
}

/**
 * The reminder of a freeze or a pause: once a day, the first after a day.
 * @returns `undefined` if it is not due
 */
export function switchReminder(row: SwitchRow, reminded: string | undefined, now: Date): OutcomeEvent | undefined {
  const { scope, name, by, reason, at, until } = row;
  const last = reminded !== undefined && reminded > at ? reminded : at;
  if (!isDayAgo(last, now)) return undefined;
  return {
    eventId: `held-back:${scope}:${name}@${at}#${daysSince(at, now)}`,
    scope,
    name,
    subject: scope === 'stage' ? 'the stage' : `${scope} ${name}`,
    by: plainWords(by),
    because: plainWords(reason),
    since: at,
    until,
    ends: until === undefined ? 'It has no end.' : `It ends by itself at ${until}.`,
    nextStep: scope === 'stage' ? 'autopilot thaw' : `autopilot resume ${scope} ${name}`,
    at: now.toISOString(),
  };
}

/**
 * A person's words as a notice may carry them: EventBridge escapes nothing, so only what can end no
 * text, line or link stays.
 */
export function plainWords(words: string): string {
  return words
    .replaceAll(/[^\p{L}\p{N} .,:;@/_+#()-]+/gu, ' ')
    .trim()
    .slice(0, mostWords)
    .toWellFormed();
}

const mostWords = 120;

function isDayAgo(instant: string, now: Date): boolean {
  return daysSince(instant, now) >= 1;
}

function daysSince(instant: string, now: Date): number {
  return Math.floor((now.getTime() - Date.parse(instant)) / dayMs);
}

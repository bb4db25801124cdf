import type { OutcomeEvent, OutcomePublisher } from '#shared/aws/outcome-bus.ts';
import type { Schedules } from '#shared/aws/schedules.ts';
import type { ConfigPart, WatchedSchedule } from '#shared/config/resolve/resolved-automation.ts';
import { toError } from '#shared/errors/app-error.ts';
import { type Ledger, rowAt } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type {
  MissedStarts,
  ObservedUntilRow,
  ReconcileRow,
  RecordedSilence,
} from '#shared/ledger/rows/reconcile-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { listSwitches } from '#shared/ledger/switches.ts';
import type { SwitchRow } from '#shared/ledger/rows/stage-rows.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { commandLine, npxWords } from '#shared/text/command-line.ts';
import { type Step, stepText } from '#shared/text/step.ts';
import { isHeldBack, silenceMeaning, silenceNextStep, type SilenceReason } from '#shared/vocabulary/silence-reasons.ts';
import { type Judged, judgeSchedule, lastOccurrences } from './judge-silence.ts';
import type { ReconcileTick } from './tick.ts';
import { dayMs } from '#shared/schedule/duration.ts';

/** What is needed to see which schedules are silent. */
export interface SilenceDeps extends Pick<ReconcileTick, 'now'> {
  readonly ledger: Ledger;
  readonly config: Pick<ConfigPart<'reconcile-ledger'>, 'mode' | 'blackouts' | 'silentAlso' | 'schedules'>;
  /** The schedules as they are deployed. */
  readonly deployed: Pick<Schedules, 'find'>;
  readonly bus: OutcomePublisher;
  /** What leads a printed command to this stage, as text of a shell: `--aws --stage prod --region eu-west-1`. */
  readonly way: string;
  readonly reports: Pick<ReconcileTick['reports'], 'log' | 'level'>;
}

/** What the reconciler's row has of schedules and switches. */
export type SchedulesSeen = Pick<ReconcileRow, 'schedules' | 'silent' | 'reminded'>;

type Silent = Readonly<Record<string, RecordedSilence>>;

/**
 * Judges every schedule that starts a run by the rows of its last commands. Tells people of those
 * that are silent, and reminds them of what is frozen or paused. What was published is remembered
 * after it was sent. A notice that is sent twice has the same id.
 */
export async function findSilentSchedules(deps: SilenceDeps, before: SchedulesSeen): Promise<SchedulesSeen> {
  const now = deps.now();
  if (deps.config.mode === 'observe') await rememberObserving(now, deps);
  const schedules = schedulesSince(deps.config.schedules, before.schedules ?? {}, now);
  const judged = await judgeAll(schedules, now, deps);
  const silent = await explained(judged, before.silent ?? {}, deps);
  deps.reports.level(metricNames.schedulesSilent, Object.keys(silent).length);
  const reported = await reportSilence(silent, now, deps);
  const reminded = await remind(before.reminded ?? {}, now, deps);
  return { schedules, silent: reported, reminded };
}

/** What was written concurrently is as new. */
async function rememberObserving(now: Date, { ledger }: Pick<SilenceDeps, 'ledger'>): Promise<void> {
  const pk = ledgerKeys.observedUntil();
  const row = { pk, kind: 'observed-until', until: now.toISOString() } as const;
  await ledger.write<ObservedUntilRow>(await ledger.read<ObservedUntilRow>(pk), row);
}

/** A schedule that is new, or whose times changed, begins now: what it did before is not known, or was another schedule. */
function schedulesSince(
  watched: readonly WatchedSchedule[],
  before: NonNullable<SchedulesSeen['schedules']>,
  now: Date,
): NonNullable<SchedulesSeen['schedules']> {
  return Object.fromEntries(
    watched.map(({ name, expression, timezone, startDate }) => {
      const times = [expression, timezone, startDate ?? ''].join(' ').trim();
      const seen = before[name];
      return [name, seen?.times === times ? seen : { times, since: now.toISOString() }];
    }),
  );
}

async function judgeAll(
  since: NonNullable<SchedulesSeen['schedules']>,
  now: Date,
  { ledger, config }: SilenceDeps,
): Promise<ReadonlyMap<string, Judged>> {
  const { mode, silentAlso: also, blackouts, schedules } = config;
  const looks = schedules.map((schedule) => ({ schedule, times: lastOccurrences(schedule, now) }));
  const ids = looks.flatMap(({ schedule, times }) => times.map((at) => commandIds.occurrence(schedule.name, at)));
  const observed = ledgerKeys.observedUntil();
  const rows = mode === 'observe' ? new Map() : await ledger.readMany([observed, ...ids.map(ledgerKeys.command)]);
  const observedUntil = rowAt<ObservedUntilRow>(rows, observed)?.until ?? '';
  const commandOf = (id: string) => rowAt<CommandRow>(rows, ledgerKeys.command(id));
  return new Map(
    looks.map(({ schedule, times }) => {
      const known = since[schedule.name]?.since ?? now.toISOString();
      const from = new Date(known > observedUntil ? known : observedUntil);
      return [schedule.name, judgeSchedule(schedule, times, { now, mode, also, blackouts, commandOf, since: from })];
    }),
  );
}

/** Why no command of a silent schedule came is asked of Scheduler, one request each. */
async function explained(judged: ReadonlyMap<string, Judged>, before: Silent, deps: SilenceDeps): Promise<Silent> {
  const explaining = deps.config.schedules.map(async (schedule): Promise<readonly [string, RecordedSilence][]> => {
    const { name } = schedule;
    const { silent, startedAt } = judged.get(name) ?? {};
    if (silent === undefined) return [];
    const reason = silent.reason === 'NO_MESSAGE' ? await whyNoMessage(schedule, deps) : silent.reason;
    return [[name, { ...sameSilence(silent, before[name], startedAt), reason }]];
  });
  return Object.fromEntries((await Promise.all(explaining)).flat());
}

/** A silence that goes on keeps its beginning, also if that lies before the occurrences that are judged. */
function sameSilence(
  silent: MissedStarts,
  before: RecordedSilence | undefined,
  lastStartAt: string | undefined,
): RecordedSilence {
  if (before === undefined || (lastStartAt !== undefined && lastStartAt > before.first)) {
    return { ...silent, lastStartAt };
  }
  const { first, silentSince, toldAt } = before;
  const missed = Math.max(silent.missed, before.missed + (silent.last > before.last ? 1 : 0));
  return { ...silent, missed, first, silentSince, toldAt, lastStartAt: lastStartAt ?? before.lastStartAt };
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

async function reportSilence(silent: Silent, now: Date, { config, bus, way, reports }: SilenceDeps): Promise<Silent> {
  const reported: Record<string, RecordedSilence> = { ...silent };
  for (const schedule of config.schedules) {
    const { name, run } = schedule;
    const one = silent[name];
    const notice = one && silenceNotice(schedule, one, { now, way });
    if (one === undefined || notice === undefined) continue;
    await bus.publish(eventTypes.scheduleSilent, notice);
    const { reason, missed, first: since } = one;
    const sentence = `the schedule ${name} starts nothing: ${silenceMeaning(reason)}`;
    reports.log.warn(logEvents.scheduleSilent, sentence, { schedule: name, run, reason, missed, since });
    reported[name] = { ...one, toldAt: now.toISOString() };
  }
  return reported;
}

/** A switch that is off is forgotten. A stage that only observes holds nothing back. */
async function remind(
  before: Readonly<Record<string, string>>,
  now: Date,
  { ledger, config, bus, way }: SilenceDeps,
): Promise<Readonly<Record<string, string>> | undefined> {
  if (config.mode === 'observe') return undefined;
  const reminded: Record<string, string> = {};
  for (const row of await listSwitches(ledger, now)) {
    const reminder = switchReminder(row, before[row.pk], { now, way });
    if (reminder !== undefined) await bus.publish(eventTypes.startsHeldBack, reminder);
    const at = reminder === undefined ? before[row.pk] : now.toISOString();
    if (at !== undefined) reminded[row.pk] = at;
  }
  return Object.keys(reminded).length === 0 ? undefined : reminded;
}

// What people are sent about schedules that are silent, and about a freeze or a pause that is
// forgotten. Pure.

/** When a notice is made, and what leads its command to the stage. */
type Telling = Pick<SilenceDeps, 'way'> & { readonly now: Date };

/**
 * The notice about a silent schedule: at once, then once a day. A frozen or paused schedule is
 * reported once: each day the switch itself reminds.
 * @returns `undefined` if there is nothing to tell now
 */
function silenceNotice(
  { name, run }: WatchedSchedule,
  silent: RecordedSilence,
  { now, way }: Telling,
): OutcomeEvent | undefined {
  const { reason, detail, missed, first, silentSince, lastStartAt, toldAt } = silent;
  if (toldAt !== undefined && (isHeldBack(reason) || !isDayAgo(toldAt, now))) return undefined;
  const eventId = `silent:${name}@${silentSince}#${toldAt === undefined ? 0 : daysSince(silentSince, now)}`;
  const about = { schedule: name, run, missed, since: first, lastStartAt, reason, detail, at: now.toISOString() };
  return {
    eventId,
    ...about,
    meaning: silenceMeaning(reason),
    nextStep: stepOfNotice(silenceNextStep(reason), way),
  };
}

/**
 * The reminder of a freeze or a pause: once a day, the first after a day.
 * @returns `undefined` if it is not due
 */
function switchReminder(row: SwitchRow, reminded: string | undefined, { now, way }: Telling): OutcomeEvent | undefined {
  const { scope, by, reason, at, until } = row;
  const name = plainWords(row.name);
  const last = reminded !== undefined && reminded > at ? reminded : at;
  if (!isDayAgo(last, now)) return undefined;
  const eventId = `held-back:${scope}:${name}@${at}#${daysSince(at, now)}`;
  const subject = scope === 'stage' ? 'the stage' : `${scope} ${name}`;
  const who = { by: plainWords(by), because: plainWords(reason), since: at, until, ends: endWords(row) };
  return { eventId, scope, name, subject, ...who, nextStep: nextStepOf(row, way), at: now.toISOString() };
}

function nextStepOf({ scope, name }: SwitchRow, way: string): string {
  const words = scope === 'alarm' ? ['status'] : scope === 'stage' ? ['thaw'] : ['resume', scope, name];
  return `${commandLine(npxWords(words))} ${way}`;
}

/** A notice is read far from the terminal: its command names its stage, and npx refuses it outside of the project's folder. */
function stepOfNotice({ says, command }: Step, way: string): string {
  return command === undefined ? says : `${stepText({ says, command: npxWords(command.slice(1)) })} ${way}`;
}

function endWords({ scope, until }: SwitchRow): string {
  if (scope === 'alarm') return 'It ends once the alarm is OK.';
  return until === undefined ? 'It has no end.' : `It ends automatically at ${until}.`;
}

/**
 * A person's words as a notice may carry them: EventBridge escapes nothing, so only what can end no
 * text, line or link stays.
 */
function plainWords(words: string): string {
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

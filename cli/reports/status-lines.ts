import { findingLines } from '../terminal/findings.ts';
import { columns, oneLine } from '../terminal/output.ts';
import type { TextScreen } from '../terminal/times.ts';
import type { Paint } from '#shared/text/terminal-writer.ts';
import { idsLines, pendingLines } from '../runs/run-lines.ts';
import { isInFlight } from '#operator/run-state/run-groups.ts';
import { beforeGateway, gatewayConnection, gatewayIsOpen } from '#operator/stage/gate-status.ts';
import { roughly } from '#operator/readable.ts';
import type { ScheduleStatus } from '#operator/status/schedule-status.ts';
import type { StageStatus, StatusInFlight } from '#operator/status/status.ts';
import { entryRows } from '../parked/list.ts';

/** More than these are counted, not shown. */
const maxShown = 10;

const tones = { good: 'green', warn: 'yellow', bad: 'red' } as const;

/**
 * One look at a stage: how it stands, what needs attention, what is under way, what comes next, and what was.
 * @param where - what kind of stage it is, and its address
 */
export function statusLines(status: StageStatus, where: string, whole: TextScreen): readonly string[] {
  const { paint, head, at } = whole;
  // Its sections are indented.
  const screen = { ...whole, width: (whole.width ?? Infinity) - 2 };
  const { headline, needs } = status;
  const count = needs.filter(({ causedBy }) => causedBy === undefined).length;
  return [
    `${paint('bold', `stage ${status.stage}`)}${status.version === undefined ? '' : ` (${status.version})`}, ${where}, ${head}`,
    ...clockLines(status, screen),
    paint(tones[headline.tone], `${headline.says}${headline.until === undefined ? '' : ` ${at(headline.until)}`}`),
    ...section(
      `Needs attention (${count})`,
      needs.length === 0 ? ['nothing to do'] : findingLines(needs, screen),
      paint,
    ),
    // The others are above.
    ...(needs.some(({ subject }) => subject === gatewayConnection || subject.startsWith(beforeGateway))
      ? []
      : section('Gateway connection', [gatewayIsOpen], paint)),
    ...elsewhereLines(status, screen),
    ...section(`Parked (${status.parked.length})`, parkedLines(status, screen), paint),
    ...section(`Retrying (${status.pending.length})`, pendingSection(status, screen), paint),
    ...section(`In flight (${status.inFlight.length})`, inFlightLines(status, screen), paint),
    ...section('Schedules', scheduleLines(status.schedules, screen), paint),
    ...idsSection(status, screen),
    ...section('Recent', recentLines(status, screen), paint),
    ...section('Queues', queueLines(status, paint), paint),
  ];
}

/** After a tour through a night, everything seems to happen in the future. */
function clockLines({ clock }: StageStatus, { paint, line }: TextScreen): readonly string[] {
  if (clock === undefined) return [];
  return [
    paint(
      'yellow',
      `The clock of this stage is ${roughly(clock.offsetMs)} ahead of this machine. To set it back, and forget the state:`,
    ),
    `  ${line(['autopilot', 'start', '--fresh'])}`,
  ];
}

function section(title: string, lines: readonly string[], paint: Paint): readonly string[] {
  return ['', paint('bold', title), ...(lines.length === 0 ? ['  none'] : lines.map((line) => `  ${line}`))];
}

/** The queues that hold something: a dead letter among seven empty queues is easily missed. */
function queueLines({ queues }: StageStatus, paint: Paint): readonly string[] {
  const full = queues.filter(({ waiting, inFlight, delayed }) => waiting + inFlight + delayed > 0);
  const rows = full.map(({ name, waiting, inFlight, delayed }) => [
    name,
    `${waiting} waiting`,
    `${inFlight} in flight`,
    delayed === 0 ? '' : `${delayed} delayed`,
  ]);
  const lines = columns(rows).map((line, index) => (full[index]?.isDeadLetter === true ? paint('red', line) : line));
  const empty = queues.length - full.length;
  return empty === 0 ? lines : [...lines, full.length === 0 ? 'all empty' : `${empty} empty`];
}

function scheduleLines(schedules: readonly ScheduleStatus[], screen: TextScreen): readonly string[] {
  const rows = schedules.map((schedule) => [
    schedule.name,
    nextOf(schedule, screen),
    schedule.expression,
    wallClockOf(schedule, screen),
  ]);
  return oneLine(rows, screen).map((line, index) =>
    schedules[index]?.isEnabled === false ? screen.paint('dim', line) : line,
  );
}

/** Only if there are any: the campaign's last run is none of this stage's. */
function elsewhereLines({ inFlight }: StageStatus, { at }: TextScreen): readonly string[] {
  return inFlight.flatMap(({ subject, lastRunElsewhere, lastRunElsewhereAt }) => {
    if (lastRunElsewhere === undefined) return [];
    const began = lastRunElsewhereAt === undefined ? '' : `, began ${at(lastRunElsewhereAt)}`;
    return ['', `The last run of the campaign of ${subject} was started elsewhere: ${lastRunElsewhere}${began}`];
  });
}

function idsSection({ ids = [], idsUnread }: StageStatus, screen: TextScreen): readonly string[] {
  const lines = idsUnread === undefined ? idsLines(ids, screen) : [`not read: ${idsUnread}`];
  return lines.length === 0 ? [] : section('Run ids', lines, screen.paint);
}

function nextOf({ isEnabled, next, expression, skipped }: ScheduleStatus, { at }: TextScreen): string {
  if (!isEnabled) return 'disabled';
  if (next === undefined) return expression.startsWith('rate(') ? 'counts from its creation' : 'never again';
  return `${at(next)}${skipped === undefined ? '' : `, will be skipped: ${skipped}`}`;
}

/** The wall clock of its zone, if that is another one; a rate has none. */
function wallClockOf({ isEnabled, next, expression, timezone }: ScheduleStatus, { elsewhere }: TextScreen): string {
  return next === undefined || !isEnabled || expression.startsWith('rate(') ? '' : elsewhere(next, timezone);
}

function parkedLines(status: StageStatus, screen: TextScreen): readonly string[] {
  const shown = entryRows(status.parked.slice(0, maxShown), screen);
  const more = status.parked.length - maxShown;
  return [...shown, ...(more > 0 ? [`and ${more} more: ${screen.line(['autopilot', 'parked', 'list'])}`] : [])];
}

function inFlightLines(status: StageStatus, screen: TextScreen): readonly string[] {
  const shown = status.inFlight.slice(0, maxShown);
  const lines = oneLine(
    shown.map((row) => [row.kind, row.subject, stateOf(row, status, screen)]),
    screen,
  );
  const more = status.inFlight.length - shown.length;
  return [...lines, ...(more > 0 ? [`and ${more} more`] : []), ...stopLines(status, screen)];
}

/** A stage that only observes sends no stop. */
function stopLines({ runs, mode }: StageStatus, { paint, line }: TextScreen): readonly string[] {
  if (mode === 'observe' || !runs.some(isInFlight)) return [];
  const command = line(['autopilot', 'stop', '--all-in-flight', '--reason', 'TEXT']);
  return [paint('dim', 'To see and stop every run, with your reason in the place of TEXT:'), `  ${command}`];
}

/** A run says how it stands, what else stops it and when it usually ends; other work, since when it is under way. */
function stateOf(row: StatusInFlight, { runs }: StageStatus, screen: TextScreen): string {
  const { at } = screen;
  const run = runs.find(({ startId }) => startId === (row.startCommandId ?? row.commandId));
  if (run === undefined) return sinceWords(row.since, screen);
  const { endsBy, endsAt = '', expectedEnd } = row;
  const scheduled = endsBy?.kind === 'schedule' ? `; the schedule ${endsBy.name} stops it ${at(endsAt)}` : '';
  const usual = expectedEnd === undefined ? '' : `; usually ends ${at(expectedEnd)}`;
  return `${run.says}${scheduled}${usual}`;
}

function pendingSection({ pending }: StageStatus, screen: TextScreen): readonly string[] {
  const more = pending.length - maxShown;
  return [...pendingLines(pending.slice(0, maxShown), screen), ...(more > 0 ? [`and ${more} more`] : [])];
}

/** Work that a blackout defers is in flight from an instant to come. */
function sinceWords(since: string, { now, at }: TextScreen): string {
  const ageMs = now.getTime() - Date.parse(since);
  return ageMs < 0 ? `from ${at(since)}` : `for ${roughly(ageMs)}`;
}

const isPast: ReadonlySet<string> = new Set(['not-started', 'observed', 'may-have-run']);

/** How the last runs ended, and the last uploads; the latest first. */
function recentLines(status: StageStatus, screen: TextScreen): readonly string[] {
  const runs = status.runs
    .filter(({ endedAt, state }) => endedAt !== undefined || isPast.has(state))
    .map(({ run, says, tone, endedAt, startAt }) => ({ at: endedAt ?? startAt, cells: [run, says], tone }));
  const others = status.recent.map(({ at, kind: outcome, subject, reason, detail, isDecided }) => {
    const kind = isDecided === true ? 'decided' : outcome;
    // The ledger keeps a short detail, which may end within an instant.
    const why = [reason, detail?.replace(/\s\S*…$/, ' …')].filter((part) => part !== undefined).join(': ');
    return { at, cells: [subject, [kind, why].filter(Boolean).join(' ')], tone: kind === 'parked' ? 'bad' : 'plain' };
  });
  const recent = [...runs, ...others].toSorted((a, b) => b.at.localeCompare(a.at)).slice(0, maxShown);
  return oneLine(
    recent.map(({ at, cells }) => [screen.at(at), ...cells]),
    screen,
  ).map((line, index) => (recent[index]?.tone === 'bad' ? screen.paint('red', line) : line));
}

import type { Command, CommandDeps, CommandResult } from '../command.ts';
import type { CommandArguments } from '../terminal/arguments.ts';
import { refuseDocument } from '../terminal/go-on.ts';
import { UsageError } from '#operator/errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { columns, localTime, outcomeWord } from '../terminal/output.ts';
import type { Paint } from '#shared/text/terminal-writer.ts';
import { groupsOf } from '#operator/parked/parked-rows.ts';
import { pendingLines } from '../runs/pending-lines.ts';
import { roughly } from '#operator/readable.ts';
import { standingWords } from '../runs/run-lines.ts';
import { stopWords } from '#operator/runs/runs-in-flight.ts';
import {
  readStageStatus,
  type ScheduleStatus,
  type StageStatus,
  type StatusInFlight,
} from '#operator/status/stage-status.ts';
import { heldBack, liftingLine, saidBy, stateWords } from '#operator/switches/switches.ts';
import { severalStatuses } from './several-stages.ts';
import { entryLines, groupLines } from '../parked/list.ts';

const help = `autopilot status [--watch]

One look at a stage: whether it acts or only observes, what is frozen or paused, whether its workers may
call the gateway, queues and dead letters, schedules with their next times (in the schedule's zone and in
UTC), what is parked and why, what is in flight or put off, commands and uploads that were tried and
have no outcome yet, the last outcomes.

Of several stages, a line each: those that cannot be read first, then those that need a person, and
beneath them what to do. --json is then a list.

  --watch                   again every two seconds, until Ctrl-C

Examples
  autopilot status
  autopilot status --watch
  autopilot status --aws --stage prod
  autopilot status --stage prod@eu-west-1:ops --stage dr@eu-west-2:ops
  autopilot status --json | jq '.queues[] | select(.isDeadLetter and .waiting > 0)'`;

/** More than these are counted, not shown. */
const maxShown = 10;

async function run(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  return watchable(args, async () => screen(deps));
}

async function runSeveral(...[args, stages]: Parameters<NonNullable<Command['runSeveral']>>): Promise<CommandResult> {
  return watchable(args, async () => severalStatuses(stages));
}

/** One look, or one after the other. */
async function watchable(args: CommandArguments, look: () => Promise<CommandResult>): Promise<CommandResult> {
  const [word] = args.positionals;
  if (word !== undefined)
    throw new UsageError(`status takes no words, and "${word}" is one: name a stage with --stage`);
  if (!args.flag('watch')) return look();
  refuseDocument('watch', args.flag('json'));
  const watched = async (): Promise<CommandResult> => ({
    ...(await look()),
    goesOn: { isRedrawn: true, next: watched },
  });
  return watched();
}

async function screen(deps: CommandDeps): Promise<CommandResult> {
  const status = await readStageStatus(deps);
  const where = deps.target.kind === 'local' ? `local run at ${deps.target.endpoint}` : 'AWS';
  return { exitCode: exitCodes.done, data: status, render: (paint) => statusLines(status, where, paint) };
}

function statusLines(status: StageStatus, where: string, paint: Paint): readonly string[] {
  const now = new Date(status.now);
  return [
    `${paint('bold', `stage ${status.stage}`)}${status.version === undefined ? '' : ` (${status.version})`}, ${where}, ${status.now}`,
    ...clockLines(status, paint),
    ...modeLines(status, now, paint),
    ...switchLines(status, now, paint),
    ...section('Gate', gateLines(status, now, paint), paint),
    ...section('Queues', queueLines(status, paint), paint),
    ...section('Schedules', scheduleLines(status.schedules, paint), paint),
    ...section(`Parked (${status.parked.length})`, parkedLines(status, now, paint), paint),
    ...section(`In flight (${status.inFlight.length})`, inFlightLines(status, now), paint),
    ...section(`Pending (${status.pending.length})`, pendingSection(status, paint), paint),
    ...section('Last outcomes', recentLines(status, now, paint), paint),
  ];
}

/** After a tour through a night, everything seems to happen in the future. */
function clockLines({ clock }: StageStatus, paint: Paint): readonly string[] {
  if (clock === undefined) return [];
  return [
    paint(
      'yellow',
      `the clock of this stage is ${roughly(clock.offsetMs)} ahead of this machine; npm start -- --fresh sets it back, and forgets the state`,
    ),
  ];
}

function section(title: string, lines: readonly string[], paint: Paint): readonly string[] {
  return ['', paint('bold', title), ...(lines.length === 0 ? ['  none'] : lines.map((line) => `  ${line}`))];
}

/** A stage that acts is what everybody expects: nothing is said of it. */
function modeLines(status: StageStatus, now: Date, paint: Paint): readonly string[] {
  if (status.mode === 'observe') {
    return [
      '',
      paint(
        'yellow',
        'OBSERVES: everything is read and judged; nothing is started, stopped, changed or registered at the gateway',
      ),
      ...goOnLines(status, now, paint),
    ];
  }
  if (status.mode === 'unknown') {
    const why = status.modeUnknownBecause;
    return ['', paint('yellow', `whether the stage acts or only observes is not known: ${why}`)];
  }
  return [];
}

/** What a stage began before it only observed runs at the gateway, and no stop is sent. */
function goOnLines({ inFlight }: StageStatus, now: Date, paint: Paint): readonly string[] {
  const runs = inFlight.filter(({ kind, isObserved }) => kind === 'run' && isObserved !== true);
  if (runs.length === 0) return [];
  const goOn =
    runs.length === 1
      ? '1 run that was started for real goes on'
      : `${runs.length} runs that were started for real go on`;
  return [
    paint('red', `${goOn}: no stop is sent while the stage observes`),
    ...runs.slice(0, maxShown).map(({ subject, stopDueAt }) => `  ${subject}: ${stopWords(stopDueAt, now)}`),
    ...(runs.length > maxShown
      ? [`  and ${runs.length - maxShown} more: autopilot stop --all-in-flight --reason TEXT`]
      : []),
  ];
}

/** Before everything else: a person who asks why nothing starts reads it first. */
function switchLines({ switches }: StageStatus, now: Date, paint: Paint): readonly string[] {
  if (switches.length === 0) return [];
  return [
    '',
    ...switches.map((one) => {
      return `${paint('red', `${stateWords(one)} ${saidBy(one, now)}`)}; ${heldBack(one)}: ${liftingLine(one)}`;
    }),
  ];
}

function gateLines({ gate }: StageStatus, now: Date, paint: Paint): readonly string[] {
  if (gate.state === 'open') return ['open: workers call the gateway'];
  const { state, since, reason, until } = gate;
  const next = state === 'closed' ? `next probe ${until}` : `until ${until}`;
  const line = `${state} ${sinceWords(since, now)}: ${reason} (since ${since}, ${next})`;
  return [paint(state === 'closed' ? 'red' : 'yellow', line)];
}

function queueLines(status: StageStatus, paint: Paint): readonly string[] {
  const rows = status.queues.map((queue) => [
    queue.name,
    `${queue.waiting} waiting`,
    `${queue.inFlight} in flight`,
    queue.delayed === 0 ? '' : `${queue.delayed} delayed`,
  ]);
  return columns(rows).map((line, index) => {
    const queue = status.queues[index];
    const isAlarming = queue?.isDeadLetter === true && queue.waiting + queue.inFlight > 0;
    return isAlarming ? paint('red', line) : line;
  });
}

function scheduleLines(schedules: readonly ScheduleStatus[], paint: Paint): readonly string[] {
  const rows = schedules.map((schedule) => [schedule.name, ...nextOf(schedule), schedule.expression]);
  return columns(rows).map((line, index) => (schedules[index]?.isEnabled === false ? paint('dim', line) : line));
}

/** Local time with its zone, and the same instant in UTC. */
function nextOf(schedule: ScheduleStatus): readonly [string, string] {
  if (!schedule.isEnabled) return ['disabled', ''];
  if (schedule.next === undefined) {
    return [schedule.expression.startsWith('rate(') ? 'counts from its creation' : 'never again', ''];
  }
  const next = new Date(schedule.next);
  return [`${localTime(next, schedule.timezone)} ${schedule.timezone}`, `${schedule.next.slice(0, 16)}Z`];
}

function parkedLines(status: StageStatus, now: Date, paint: Paint): readonly string[] {
  const shown = status.parked.slice(0, maxShown).flatMap((entry) => entryLines(entry, now, paint));
  const more = status.parked.length - maxShown;
  return [
    ...groupLines(groupsOf(status.parked), now, paint),
    ...shown,
    ...(more > 0 ? [`and ${more} more: autopilot parked list`] : []),
  ];
}

function inFlightLines(status: StageStatus, now: Date): readonly string[] {
  const shown = status.inFlight.slice(0, maxShown);
  const lines = columns(shown.map((row) => [row.kind, row.subject, ...stateOf(row, now)]));
  const more = status.inFlight.length - shown.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}

/** A run says how it stands and when its stop is due; other work, since when it is under way. */
function stateOf(row: StatusInFlight, now: Date): readonly string[] {
  const { state, since } = row;
  return state === undefined
    ? [sinceWords(since, now)]
    : [standingWords({ ...row, state }, now), stopWords(row.stopDueAt, now)];
}

function pendingSection({ pending }: StageStatus, paint: Paint): readonly string[] {
  const more = pending.length - maxShown;
  return [...pendingLines(pending.slice(0, maxShown), paint), ...(more > 0 ? [`and ${more} more`] : [])];
}

/** Work that a blackout defers is in flight from an instant to come. */
function sinceWords(since: string, now: Date): string {
  const ageMs = now.getTime() - Date.parse(since);
  return ageMs < 0 ? `from ${since}` : `for ${roughly(ageMs)}`;
}

function recentLines(status: StageStatus, now: Date, paint: Paint): readonly string[] {
  return status.recent.slice(0, maxShown).map((outcome) => {
    const why = [outcome.reason, outcome.detail].filter((part) => part !== undefined).join(': ');
    const age = paint('dim', `${roughly(now.getTime() - Date.parse(outcome.at))} ago`);
    const parts = [outcomeWord(paint, outcome.kind), outcome.subject, why, age];
    return parts.filter((part) => part !== '').join('  ');
  });
}

/** `autopilot status`. */
export const command: Command = { help, options: { watch: { type: 'boolean' } }, run, runSeveral };

import { type Command, type CommandResult, exitCodes } from './terminal/command.ts';
import { UsageError } from '#operator/errors.ts';
import type { ClockMove, ClockReading, Fired } from '#operator/stage/local-clock.ts';
import { columns } from './terminal/output.ts';
import { roughly } from '#operator/readable.ts';
import { durationArgument, instantIn, noInstant } from './terminal/arguments.ts';

const help = `autopilot clock [+D | --to INSTANT]

Shows or moves the clock of the run on this machine. Moving it forward fires
what falls due on the way, in order; it never goes back (autopilot start --fresh
begins again). AWS has no such clock.

Examples
  autopilot clock
  autopilot clock +8h
  autopilot clock --to 2026-12-24T22:00:00Z`;

async function run(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  const clock = deps.localClock;
  if (clock === undefined) throw new UsageError('only the run on this machine has a clock that moves: leave out --aws');
  const [ahead, ...more] = args.positionals;
  const to = args.text('to');
  if (more.length > 0)
    throw new UsageError(`clock takes one duration, and "${more[0]}" is one more (quote "+8 hours")`);
  if (ahead !== undefined && to !== undefined) throw new UsageError('give a duration or --to, not both');

  const by = ahead === undefined ? undefined : forwardBy(ahead);
  const target = to === undefined ? undefined : instant(to);
  const before = await clock.read();
  if (by === undefined && target === undefined) return result(before);
  const milliseconds = by ?? (target ?? before.now).getTime() - before.now.getTime();
  if (milliseconds < 0) {
    throw new UsageError(`the clock shows ${before.now.toISOString()} and only moves forward: ${to} is over`);
  }
  return result(await clock.forward(milliseconds));
}

function forwardBy(text: string): number {
  if (text.startsWith('-')) throw new UsageError('the clock only moves forward');
  return durationArgument('clock', text.replace(/^\+/, '')).milliseconds;
}

function instant(text: string): Date {
  const at = instantIn(text);
  if (at !== undefined) return at;
  throw noInstant('--to', text, '2026-12-24T22:00:00Z');
}

function result(reading: ClockReading | ClockMove): CommandResult {
  const { now, offsetMs } = reading;
  const fired = 'fired' in reading ? reading.fired : undefined;
  const ahead = offsetMs === 0 ? 'the time of this machine' : `${roughly(offsetMs)} ahead of this machine`;
  return {
    exitCode: exitCodes.done,
    data: { now: now.toISOString(), offsetMs, fired },
    render: (paint, times) => [
      `${paint('bold', times(now).head)}, ${ahead}`,
      ...(fired === undefined ? [] : firedLines(fired)),
    ],
  };
}

/** More occurrences of one schedule than these are one line: a watcher's ticks of a night would hide the start between them. */
const maxRepeats = 3;

/** One line each, in order; many of one schedule stand where its first one fell. */
function firedLines(fired: readonly Fired[]): readonly string[] {
  if (fired.length === 0) return ['  nothing fell due'];
  const bySchedule = Map.groupBy(fired, ({ schedule }) => schedule);
  const rows = fired.flatMap((one) => {
    const all = bySchedule.get(one.schedule) ?? [one];
    if (all.length <= maxRepeats) return [[one.schedule, one.at]];
    return one === all[0] ? [[one.schedule, `${one.at} to ${all.at(-1)?.at}, ${all.length} times`]] : [];
  });
  return columns(rows).map((line) => `  ${line}`);
}

/** `autopilot clock`. */
export const command: Command = { help, options: { to: { type: 'string' } }, run };

import type { Command, CommandDeps, CommandResult } from '../terminal/command.ts';
import { UsageError } from '#operator/errors.ts';
import { failedAfter } from '#operator/failures.ts';
import type { ClockMove, ClockReading, LocalClock } from '#operator/stage/local-stage.ts';
import { columns } from '../terminal/output.ts';
import { roughly } from '#operator/readable.ts';
import { durationArgument } from '../terminal/arguments.ts';
import { stageClock } from '#operator/run-state/run-report.ts';
import { timeWords, typedTime } from '#operator/times/typed-times.ts';
import type { TextScreen } from '../terminal/times.ts';
import { hourMs } from '#shared/schedule/duration.ts';

export const command: Command = {
  line: {
    says: 'Shows or moves the clock of the run on this machine. AWS has no such clock.',
    more: 'Moving it forward fires what falls due on the way, in order; Ctrl-C stops it on the way. It never goes back (autopilot start --fresh begins again).',
    words: { '[+D]': 'how far: +8h, +2d' },
    options: { '--to <TIME>': 'until then: 06:00 or 2026-11-27T03:00', '--yes': 'also further than 31 days at once' },
    examples: ['autopilot clock', 'autopilot clock +8h', 'autopilot clock --to 22:00'],
  },
  async run(args, deps) {
    const clock = deps.localClock;
    if (clock === undefined)
      throw new UsageError('only the run on this machine has a clock that moves: leave out --aws');
    const [ahead] = args.positionals;
    const to = args.text('to');
    if (ahead !== undefined && to !== undefined) throw new UsageError('give a duration or --to, not both');

    const milliseconds = ahead === undefined ? await upTo(to, clock, deps) : forwardBy(ahead);
    if (milliseconds === undefined) return result(await clock.read());
    refuseFar(milliseconds, args.flag('yes'));
    return result(await moved(clock, milliseconds, deps));
  },
};

async function upTo(to: string | undefined, clock: LocalClock, deps: CommandDeps): Promise<number | undefined> {
  if (to === undefined) return undefined;
  const { now } = await clock.read();
  const shown = { ...(await stageClock(deps)), now };
  const { at } = typedTime('--to', to, 'future', shown);
  if (at >= now) return at.getTime() - now.getTime();
  const past = `${timeWords(at, shown)} has passed`;
  throw new UsageError(`the clock shows ${timeWords(now, shown)} and only moves forward: ${past}`);
}

function refuseFar(milliseconds: number, isMeant: boolean): void {
  if (isMeant || milliseconds <= mostUnaskedMs) return;
  const how = 'with all that falls due on the way, and no way back';
  throw new UsageError(`that is ${roughly(milliseconds)}, ${how}: add --yes if you mean it`);
}

const mostUnaskedMs = 31 * 24 * hourMs;

/** Ten years hour by hour would be 90,000 requests. */
const mostSteps = 1000;

/**
 * A busy stage may take minutes for some hours, and no request waits so long. The move is made hour
 * by hour, and can be stopped between two of them.
 */
async function moved(clock: LocalClock, milliseconds: number, deps: CommandDeps): Promise<ClockMove> {
  const interruption = deps.interruption();
  const stepMs = Math.max(hourMs, Math.ceil(milliseconds / mostSteps));
  const fired: ClockMove['fired'] = [];
  let done = 0;
  const shown = deps.working?.(
    () => `moving the clock: ${roughly(done)} of ${roughly(milliseconds)} (Ctrl-C stops it)`,
  );
  try {
    for (;;) {
      const move = await clock.forward(Math.min(stepMs, milliseconds - done));
      fired.push(...move.fired);
      done += Math.min(stepMs, milliseconds - done);
      if (done >= milliseconds) return { ...move, fired };
      if (interruption.aborted) {
        deps.progress(`stopped: the clock was moved ${roughly(done)} of ${roughly(milliseconds)}`);
        return { ...move, fired };
      }
    }
  } catch (error) {
    if (done === 0) throw error;
    throw failedAfter(
      `the clock was moved at least ${roughly(done)} of ${roughly(milliseconds)} before this`,
      error,
      deps.target,
    );
  } finally {
    shown?.[Symbol.dispose]();
  }
}

function forwardBy(text: string): number {
  if (text.startsWith('-')) throw new UsageError('the clock only moves forward');
  return durationArgument('clock', text.replace(/^\+/, '')).milliseconds;
}

function result(reading: ClockReading | ClockMove): CommandResult {
  const { now, offsetMs } = reading;
  const fired = 'fired' in reading ? reading.fired : undefined;
  const ahead = offsetMs === 0 ? 'the time of this machine' : `${roughly(offsetMs)} ahead of this machine`;
  return {
    data: { now: now.toISOString(), offsetMs, fired },
    now,
    render: (screen) => [
      `${screen.paint('bold', screen.head)}, ${ahead}`,
      ...(fired === undefined ? [] : firedLines(fired, screen)),
    ],
  };
}

/** More occurrences of one schedule than these are one line: a watcher's ticks of a night would hide the start between them. */
const maxRepeats = 3;

/** One line each, in order; many of one schedule stand where its first one fell. */
function firedLines(fired: ClockMove['fired'], { at, span }: TextScreen): readonly string[] {
  if (fired.length === 0) return ['  nothing fell due'];
  const bySchedule = Map.groupBy(fired, ({ schedule }) => schedule);
  const rows = fired.flatMap((one) => {
    const all = bySchedule.get(one.schedule) ?? [one];
    if (all.length <= maxRepeats) return [[one.schedule, at(one.at)]];
    return one === all[0] ? [[one.schedule, `${span(one.at, all.at(-1)?.at ?? one.at)}, ${all.length} times`]] : [];
  });
  return columns(rows).map((line) => `  ${line}`);
}

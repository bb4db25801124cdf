/** Options that take a time, by the clock of the stage. */
import { UsageError } from '#operator/errors.ts';
import { timeWords, type TypedTime, typedTime, type ZonedClock } from '#operator/times/typed-times.ts';
import { type CommandArguments, durationArgument } from './arguments.ts';

/** Reads a time to come: `06:00` is the next one. */
export function timeToCome(option: string, text: string, clock: ZonedClock): Date {
  const { at } = typedTime(option, text, 'future', clock);
  if (at > clock.now) return at;
  throw new UsageError(`${option}: ${timeWords(at, clock)} has passed: it is ${timeWords(clock.now, clock)}`);
}

/** Reads a time that has passed, `22:00` for the last one, or a duration ago (`2h`). */
function timePassed(option: string, text: string, clock: ZonedClock): TypedTime {
  if (/^[\dp]/i.test(text.trim()) && !/^\d{4}-|:/.test(text))
    return { at: new Date(clock.now.getTime() - durationArgument(option, text).milliseconds), isFixed: false };
  const time = typedTime(option, text, 'past', clock);
  if (time.at <= clock.now) return time;
  throw new UsageError(
    `${option}: ${timeWords(time.at, clock)} is still to come: it is ${timeWords(clock.now, clock)}`,
  );
}

/** Reads `--since` and `--before`. */
export function pastRange(
  args: Pick<CommandArguments, 'text'>,
  clock: ZonedClock,
): { readonly since?: TypedTime; readonly before?: TypedTime } {
  const [since, before] = (['since', 'before'] as const).map((name) => {
    const text = args.text(name);
    return text === undefined ? undefined : timePassed(`--${name}`, text, clock);
  });
  if (since !== undefined && before !== undefined && since.at >= before.at) {
    const [first, last] = [since, before].map(({ at }) => timeWords(at, clock));
    throw new UsageError(
      `nothing lies between --since ${first} and --before ${last}: the first must be the earlier one`,
    );
  }
  return { since, before };
}

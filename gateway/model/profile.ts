/**
 * The two gateways that this one can be. `real` keeps to the API document that such a gateway
 * publishes. `interface` takes what the interface leaves open.
 */
import { typedDuration } from '#shared/schedule/duration.ts';

/** The profiles, the stricter one first. */
export const profileNames = ['real', 'interface'] as const;

/** What the gateway takes and refuses, and whether runs live by themselves. */
export type ProfileName = (typeof profileNames)[number];

/** The profile of a gateway that was not given one. */
export const defaultProfile: ProfileName = 'real';

/** What the profile `real` answers to a change that comes after the run has begun or ended. */
const lateAnswers = ['accept', 'refuse'] as const;

/** How the gateway behaves. */
export interface ProfileOptions {
  /** @default {@link defaultProfile} */
  readonly profile?: ProfileName;
  /** Profile `real`: how long each run lasts. @default 7 hours of the nightly campaign, else 45 minutes */
  readonly runLengthMs?: number;
  /** Profile `real`: a late change is answered 200 and changes nothing, or 409. @default accept */
  readonly late?: (typeof lateAnswers)[number];
}

/** The same as words of a command line. */
interface ProfileWords {
  readonly profile: string | undefined;
  readonly runLength: string | undefined;
  readonly late: string | undefined;
}

/**
 * Reads the options of a command line.
 * @param prefix - what the names of the options begin with, such as `gateway-`
 * @throws Error in one sentence
 */
export function readProfile(words: ProfileWords, prefix = ''): ProfileOptions {
  const profile = oneOf(`--${prefix}profile`, words.profile, profileNames);
  const late = oneOf(`--${prefix}late`, words.late, lateAnswers);
  const runLengthMs = lengthOf(`--${prefix}run-length`, words.runLength);
  const own = late === undefined ? 'run-length' : 'late';
  if ((profile ?? defaultProfile) === 'interface' && (late !== undefined || runLengthMs !== undefined)) {
    throw new Error(`--${prefix}${own} needs --${prefix}profile real: no run begins or ends by itself in the other.`);
  }
  return { profile, late, runLengthMs };
}

function oneOf<T extends string>(option: string, text: string | undefined, words: readonly T[]): T | undefined {
  if (text === undefined) return undefined;
  const found = words.find((word) => word === text);
  if (found === undefined) throw new Error(`${option} must be ${words.join(' or ')}, not "${text}".`);
  return found;
}

function lengthOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const length = typedDuration(text);
  if (length === undefined) throw new Error(`${option} "${text}" is not a duration: write one like 90s, 45m or 1h30m.`);
  return length.milliseconds;
}

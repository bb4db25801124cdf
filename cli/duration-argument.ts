import { type Duration, parseDuration } from '#shared/schedule/duration.ts';
import { UsageError } from './errors.ts';

const shortForm = /^(?:\d{1,9}[dhms])+$/i;
const unitNames: Readonly<Record<string, string>> = { d: 'days', h: 'hours', m: 'minutes', s: 'seconds' };

/**
 * Reads a duration of the command line: `90s`, `1h30m`, `8 hours`, `PT8H`.
 * @throws UsageError naming the option
 */
export function durationArgument(option: string, text: string): Duration {
  const trimmed = text.trim();
  const words = shortForm.test(trimmed)
    ? trimmed.replaceAll(
        /(\d+)([dhms])/gi,
        (_, digits: string, unit: string) => `${digits} ${unitNames[unit.toLowerCase()]} `,
      )
    : trimmed;
  const parsed = parseDuration(words);
  if (parsed.ok) return parsed.value;
  throw new UsageError(
    `${option}: "${text}" is no duration of a second to ten years: write one like 90s, 15m, 1h30m, "8 hours" or PT8H`,
  );
}

/** How long ago, or how long: `45 s`, `12 min`, `3 h 5 min`, `2 days`. */
export function roughly(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60)
    return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.round(minutes / 1440)} days`;
}

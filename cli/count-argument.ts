import { UsageError } from './errors.ts';

/**
 * Reads a number of things, from 1 up.
 * @throws UsageError naming the option
 */
export function countArgument(option: string, text: string, most = 999_999): number {
  if (/^[1-9]\d{0,5}$/.test(text) && Number(text) <= most) return Number(text);
  throw new UsageError(`${option} ${text}: give a number from 1 to ${most}`);
}

import type { NowAnswer } from '../../api.ts';

/** A stage on which nothing was done yet. Pure. */
export function isFirstMinute({ inFlight, pending, parked, recent }: NowAnswer): boolean {
  return inFlight.length + pending.length + parked.length + recent.length === 0;
}

/**
 * The last night in one sentence, without its first words. Pure.
 * @example '1 of 1 ran, confirmed.'
 */
export function lastNightWords({
  starts,
  sent,
  confirmed,
  missing,
  others,
}: NonNullable<NowAnswer['lastNight']>): string {
  if (starts === 0) return 'nothing was to start.';
  const all = `${sent} of ${starts}`;
  const rest = others.map(({ ended, count }) => `, ${count} ${ended}`).join('');
  if (sent === 0) return `${all} started${rest}.`;
  if (confirmed === sent) return `${all} ran, confirmed${rest}.`;
  const unshown = missing === 0 ? '' : `, ${missing} not shown by the gateway`;
  const waits = sent - confirmed - missing;
  return `${all} started, ${confirmed} confirmed${unshown}${waits === 0 ? '' : `, ${waits} not confirmed yet`}${rest}.`;
}

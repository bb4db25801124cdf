import type { TickAnswer } from '../../shared/messages/tick-answer.ts';
import type { CampaignsLooked } from './look-at-campaigns.ts';
import type { DeferredStart } from './send-deferred-starts.ts';
import type { DueStops } from './send-due-stops.ts';

/** What a tick came to: `1 run in flight, no stop due; smoke put off until 2027-01-04T00:00:00.000Z`. */
export function tickAnswerOf(parts: {
  readonly stops: DueStops;
  readonly deferred: readonly DeferredStart[];
  readonly looked: CampaignsLooked;
}): TickAnswer {
  const { stops, deferred, looked } = parts;
  const summary = [
    `${counted(stops.inFlight, 'run')} in flight, ${counted(stops.due, 'stop')} due`,
    ...deferred.map(({ run, until, blackout, isOver }) =>
      isOver ? `${run} starts: the blackout ${blackout} is over` : `${run} put off until ${until} (${blackout})`,
    ),
    ...looked.unconfirmed.map((run) => `the start of ${run} is not confirmed`),
    ...looked.elsewhere.map((campaign) => `${campaign} was started by nobody here`),
    ...(looked.unread === 0 ? [] : [`${counted(looked.unread, 'campaign')} not read this time`]),
  ].join('; ');
  return { summary, ...stops, deferred, ...looked };
}

function counted(count: number, noun: string): string {
  return `${count === 0 ? 'no' : count} ${noun}${count === 1 ? '' : 's'}`;
}

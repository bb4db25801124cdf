/** What cannot be done within a day needs a person: the promise of one outcome for everything has an end. */
const horizonMs = 24 * 60 * 60_000;

/** Whether a message has been tried for as long as anything is tried, counted from when it entered its queue or its row was opened. */
export function isPastHorizon(since: Date, now: Date): boolean {
  return now.getTime() - since.getTime() > horizonMs;
}

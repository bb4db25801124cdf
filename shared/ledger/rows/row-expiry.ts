const daySeconds = 86_400;

/** How long rows live, in days (reliability.md 4.1: queue + dead-letter queue + redrive + margin is 90; evidence is kept longer). */
export const rowLifeDays = {
  'link-test': 2, // it is looked at within minutes, or on the next morning
  'watch-walk': 30,
  command: 400,
  upload: 400,
  plan: 400,
  message: 90,
  dataset: 400,
  receipt: 400,
  handle: 400,
  confirmation: 400,
  'past-switch': 400,
} as const;

/** Epoch seconds for `expiresAt`. */
export function expiryOf(kind: keyof typeof rowLifeDays, now: Date): number {
  return Math.floor(now.getTime() / 1000) + rowLifeDays[kind] * daySeconds;
}

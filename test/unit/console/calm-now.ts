import type { NowAnswer } from '#console/api.ts';

const at = '2026-12-05T08:00:00Z';

/** A stage on which nothing happens, and all is well. */
export const calmNow: NowAnswer = {
  stage: 'prod',
  now: at,
  asOf: at,
  mode: 'act',
  switches: [],
  gate: { state: 'open' },
  queues: [],
  schedules: [],
  parked: [],
  inFlight: [],
  pending: [],
  recent: [],
  ids: [{ run: 'nightly', left: 9, isLow: false }],
  needs: [],
  headline: { says: 'Quiet: no start is scheduled', tone: 'good' },
  problems: [],
};

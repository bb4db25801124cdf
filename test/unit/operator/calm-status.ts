import type { ReadStatus } from '#operator/status/status.ts';

/** A stage at which nothing happens and nothing is wrong. */
export const calm: ReadStatus = {
  mode: 'act',
  stage: 'prod',
  now: '2026-12-05T20:00:00.000Z',
  switches: [],
  gate: { state: 'open' },
  queues: [],
  schedules: [],
  parked: [],
  findings: [],
  inFlight: [],
  runs: [],
  pending: [],
  recent: [],
  ids: [{ run: 'nightly', left: 9, isLow: false }],
  budgets: [],
};

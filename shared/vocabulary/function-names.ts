/** The deployed functions: each is a folder under `functions/` with a `handler.ts`. */
export const functionNames = [
  'poll-scanner-packages',
  'update-campaign-runs',
  'register-datasets',
  'send-run-plans',
  'park-dead-letters',
  'reconcile-ledger',
  'watch-campaigns',
  'watch-projects',
  'answer-questions',
] as const;

/** One of the deployed functions. */
export type FunctionName = (typeof functionNames)[number];

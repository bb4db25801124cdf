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

/** What a function is called in AWS. It is fixed, since the policies for people name functions of a stack that may be deployed after theirs. */
export function deployedFunctionName(stage: string, name: FunctionName): string {
  return `gateway-autopilot-${stage}-${name}`;
}

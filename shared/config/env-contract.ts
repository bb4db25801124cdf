import type { FunctionName } from '../vocabulary/resource-names.ts';

/** A worker writes rows, and events with their times in words. */
const worker = ['LEDGER_TABLE', 'EVENT_BUS_NAME', 'STAGE_TIME_ZONE'] as const;
/** A worker that calls the gateway, and sends commands. */
const caller = [...worker, 'TOKEN_SECRET_ARN', 'COMMANDS_QUEUE_URL'] as const;

/**
 * The environment variables of each function: infra sets exactly these, and a missing one fails its
 * cold start. Settings ship as `config.json`.
 */
export const envContract = {
  'poll-scanner-packages': caller,
  'update-campaign-runs': [...caller, 'ACTING_TABLE', 'COMMAND_SENDERS'],
  'register-datasets': [...caller, 'UPLOADS_QUEUE_URL', 'BUCKET_NAME'],
  'park-dead-letters': [...worker, 'COMMANDS_DLQ_ARN', 'UPLOADS_DLQ_ARN', 'SCHEDULES_DLQ_ARN', 'COMMAND_SENDERS'],
  'watch-projects': caller,
  'watch-campaigns': [...caller, 'ACTING_TABLE'],
  'answer-questions': ['LEDGER_TABLE', 'ACTING_TABLE', 'TOKEN_SECRET_ARN'],
  'reconcile-ledger': [...worker, 'ACTING_TABLE', 'BUCKET_NAME', 'UPLOADS_QUEUE_URL', 'STAGE_WAY'],
} as const satisfies Record<FunctionName, readonly string[]>;

/** The variables of every function: its stage, and the version of the product that deployed it. */
export const commonVariables = ['STAGE', 'AUTOPILOT_VERSION'] as const;

export type FunctionEnvironment<Name extends FunctionName> = Readonly<
  Record<(typeof envContract)[Name][number] | (typeof commonVariables)[number], string>
>;

/**
 * Reads a function's variables.
 * @throws Error naming every missing variable at once, never a value.
 */
export function readEnvironment<Name extends FunctionName>(
  name: Name,
  env: Readonly<Record<string, string | undefined>>,
): FunctionEnvironment<Name> {
  const wanted: readonly string[] = [...commonVariables, ...envContract[name]];
  const missing = wanted.filter((key) => !env[key]);
  if (missing.length > 0) throw new Error(`${name}: environment variables missing: ${missing.join(', ')}`);
  return Object.freeze(Object.fromEntries(wanted.map((key) => [key, env[key]]))) as FunctionEnvironment<Name>;
}

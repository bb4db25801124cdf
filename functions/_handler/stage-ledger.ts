import { createDynamoDbClient, createDynamoDbLedger } from '#shared/aws/dynamodb-ledger.ts';
import type { Queue } from '#shared/aws/queue.ts';
import type { ResolvedAutomation } from '#shared/config/resolve/resolved-automation.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { createObservedLedger } from '#shared/ledger/observed-ledger.ts';

/** Whether a stage acts, or only observes. */
export type Mode = ResolvedAutomation['mode'];

/** The table of the mode, and that of what is done for real. A stage that acts has one table. */
export interface StageLedger {
  readonly ledger: Ledger;
  readonly acting: Ledger;
}

/**
 * Opens the ledger of a function.
 * @param env - without `ACTING_TABLE` for a function that reads no switch and no run
 * @example const { ledger } = openLedger(env, config.mode);
 */
export function openLedger(
  env: { readonly LEDGER_TABLE: string; readonly ACTING_TABLE?: string },
  mode: Mode,
): StageLedger {
  const client = createDynamoDbClient();
  const table = createDynamoDbLedger({ client, tableName: env.LEDGER_TABLE });
  if (mode === 'act') return { ledger: table, acting: table };
  const { ACTING_TABLE: tableName = env.LEDGER_TABLE } = env;
  const acting = createDynamoDbLedger({ client, tableName });
  return { ledger: createObservedLedger(table, acting), acting };
}

/**
 * A command as a stage of this mode sends it. What an observing stage sends says so: should the
 * stage act by the time that it is handled, nothing is done.
 */
export function commandOfMode<Command extends object>(
  mode: Mode,
  command: Command,
): Command & { readonly isObserved?: true } {
  return mode === 'act' ? command : { ...command, isObserved: true };
}

/**
 * The commands queue of a stage, for commands of its mode.
 * @example commandsOfMode(config.mode, createQueue(sqs, env.COMMANDS_QUEUE_URL))
 */
export function commandsOfMode(mode: Mode, queue: Pick<Queue, 'send'>): Pick<Queue, 'send'> {
  if (mode === 'act') return queue;
  return { send: async (body) => queue.send(JSON.stringify(commandOfMode(mode, JSON.parse(body)))) };
}

import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { done, later, type RecordResult } from '../_handler/outcome.ts';
import { publishOutcome } from './apply/record-outcome.ts';
import type { CommandDeps } from './command-context.ts';

/**
 * How long a command that belongs to the acting stage waits while the stage observes. At a thousand receives it is in the dead-letter queue, and
 * so among what needs a person, after ten days; SQS would forget it after fourteen.
 */
const waitForActingMs = 15 * 60_000;

/**
 * Ends in a stage that acts what it sent while it only observed: that is never done, since nothing real led to it.
 * @returns `undefined` where it was sent by a stage that acts
 */
export function endOfObserved(command: CampaignRunCommand): RecordResult | undefined {
  if (command.isObserved !== true) return undefined;
  const detail = 'sent while the stage only observed, and it acts now: nothing is done';
  return done({ kind: 'ignored', subject: command.id, detail, fields: { action: command.action, run: command.run } });
}

/**
 * Ends in a stage that observes what it has begun while it acted, which is not judged afresh: a stop would count as told and be sent by nobody,
 * a start that was sent would be told as one that was not.
 * @returns `undefined` where nothing was begun for real
 */
export async function endOfActed(
  command: CampaignRunCommand,
  { acting, bus }: Pick<CommandDeps, 'acting' | 'bus'>,
): Promise<RecordResult | undefined> {
  const begun = await acting.read<CommandRow>(ledgerKeys.command(command.id));
  if (begun === undefined) return undefined;
  if (begun.outcome === undefined)
    return later(waitForActingMs, 'begun while the stage acted: waits until it acts again');
  await publishOutcome(begun, { bus });
  return done();
}

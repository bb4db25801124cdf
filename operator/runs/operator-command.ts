import { type CampaignRunCommand, checkCampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { UsageError } from '../errors.ts';
import type { OperatorDeps } from '../operator-deps.ts';
import { type CommandReport, type Patience, waitForCommand } from '../outcomes/outcome-report.ts';
import { issueInstant } from './run-subject.ts';

/** A command before it is stamped: everything but who, when and its id. */
export type UnstampedCommand = Omit<CampaignRunCommand, 'version' | 'id' | 'issuedAt' | 'origin' | 'isObserved'>;

/** What was sent, and what became of it. */
export interface SentCommand extends CommandReport {
  readonly command: CampaignRunCommand;
}

/**
 * Stamps a person's command, sends it and waits for its outcome.
 * @param verb - `send` or `fire`: with its subject the beginning of the id
 * @throws UsageError if no worker would take the command
 */
export async function sendOperatorCommand(
  wanted: UnstampedCommand,
  { verb, subject, patience }: { readonly verb: string; readonly subject: string; readonly patience: Patience },
  deps: OperatorDeps,
): Promise<SentCommand> {
  const now = await deps.now();
  const issuedAt = await issueInstant(wanted, now, await deps.stage.ledger());
  const checked = checkCampaignRunCommand(
    {
      ...wanted,
      version: 1,
      id: commandIds.operator(verb, subject, now, deps.unique()),
      issuedAt: issuedAt.toISOString(),
      origin: { kind: 'operator', name: deps.operator },
    },
    issuedAt,
  );
  if (!checked.ok) throw new UsageError(`this command would be refused: ${checked.problems.join('; ')}`);
  await deps.stage.send('commands', JSON.stringify(checked.command));
  return { command: checked.command, ...(await waitForCommand(checked.command.id, patience, deps)) };
}

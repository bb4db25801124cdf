/**
 * The model: every key that was accepted, what the ledger holds of it, and what the gateway did for
 * it.
 */
import { idempotencyKeyOf } from '#functions/register-datasets/upload-rows.ts';
import type { MessageRow, Resolution } from '#shared/ledger/rows/message-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { type CampaignRunCommand, parseCampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { stranger } from '../../builders/commands-by-sender.ts';
import type { Played } from './play.ts';
import { bucket } from './stage-config.ts';
import type { StoredObject } from './world/world.ts';

/** An object version that a message told us of. */
export interface UploadAsSent {
  readonly object: StoredObject;
  readonly row: Stored<UploadRow> | undefined;
  /** Datasets that the gateway made for it. */
  readonly made: readonly string[];
  readonly repeats: number;
}

/** A command that entered the queue, from any sender. */
interface CommandAsSent {
  readonly command: CampaignRunCommand;
  readonly row: Stored<CommandRow> | undefined;
}

/** Every upload of a history. */
export function uploadsOf({ stage }: Played): readonly UploadAsSent[] {
  const { world } = stage;
  const rows = new Map(world.ledger.all().map((row) => [row.pk, row]));
  return world.uploaded.map((object) => {
    const pk = ledgerKeys.upload(bucket, object.key, object.versionId);
    const found = rows.get(pk);
    const row = found?.kind === 'upload' ? found : undefined;
    const made = world.gateway.datasets.filter(({ key }) => key === idempotencyKeyOf(pk)).map(({ id }) => id);
    return { object, row, made, repeats: repeatsIn(row) };
  });
}

/** Every command of a history, once for each id. */
export function commandsOf(played: Played): readonly CommandAsSent[] {
  const { world } = played.stage;
  const rows = new Map(world.ledger.all().map((row) => [row.pk, row]));
  const commands = new Map<string, CampaignRunCommand>();
  for (const { body, senderId } of world.queues.commands.sent()) {
    if (senderId === stranger) continue;
    const command = commandOf(body, played);
    if (command !== undefined) commands.set(command.id, command);
  }
  return [...commands.values()].map((command) => {
    const found = rows.get(ledgerKeys.command(command.id));
    const row = found?.kind === 'command' ? found : undefined;
    return { command, row };
  });
}

function commandOf(body: string, { stage }: Played): CampaignRunCommand | undefined {
  const parsed = parseCampaignRunCommand(body, new Date(stage.world.time.nowMs()));
  return parsed.ok ? parsed.command : undefined;
}

/** Messages that SQS gave up, or that cannot be read: parked with what they carry. */
export function parkedMessagesOf({ stage }: Played): readonly MessageRow[] {
  return stage.world.ledger.all().filter((row) => row.kind === 'message');
}

function repeatsIn(row: { readonly resolutions?: readonly Resolution[] } | undefined): number {
  return (row?.resolutions ?? []).filter(({ decision }) => decision === 'repeat').length;
}

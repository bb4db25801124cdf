import { idempotencyKeyOf } from '../../../functions/register-datasets/upload-rows.ts';
import {
  type CommandItem,
  ledgerKeys,
  type MessageItem,
  type Resolution,
  type UploadItem,
} from '../../../shared/ledger/items.ts';
import type { Stored } from '../../../shared/ledger/ledger.ts';
import {
  type CampaignRunCommand,
  compareGenerations,
  type Generation,
  parseCampaignRunCommand,
} from '../../../shared/messages/campaign-run-command.ts';
import type { Played } from './play.ts';
import { bucket, processes } from './stage-config.ts';
import type { StoredObject } from './world.ts';

/** The model: every key that was accepted, what the ledger holds of it, and what the gateway did for it. */

/** An object version that a message told us of. */
export interface UploadAsSent {
  readonly object: StoredObject;
  readonly row: Stored<UploadItem> | undefined;
  /** Datasets that the gateway made for it. */
  readonly made: readonly string[];
  readonly repeats: number;
}

/** A command that entered the queue, whoever sent it. */
export interface CommandAsSent {
  readonly command: CampaignRunCommand;
  readonly row: Stored<CommandItem> | undefined;
  /** What the gateway knows it by: the ids of its requests. */
  readonly requestIds: ReadonlySet<string>;
  readonly repeats: number;
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
  for (const { body } of world.queues.commands.sent()) {
    const command = commandOf(body, played);
    if (command !== undefined) commands.set(command.id, command);
  }
  const attempts = Map.groupBy(world.attempts, ([, body]) => commandOf(body, played)?.id);
  return [...commands.values()].map((command) => {
    const found = rows.get(ledgerKeys.command(command.id));
    const row = found?.kind === 'command' ? found : undefined;
    const requestIds = new Set(attempts.get(command.id)?.map(([requestId]) => requestId));
    return { command, row, requestIds, repeats: repeatsIn(row) };
  });
}

function commandOf(body: string, { stage }: Played): CampaignRunCommand | undefined {
  const parsed = parseCampaignRunCommand(body, new Date(stage.world.time.nowMs()));
  return parsed.ok ? parsed.command : undefined;
}

/** Messages that SQS gave up, or that cannot be read: parked with what they carry. */
export function parkedMessagesOf({ stage }: Played): readonly MessageItem[] {
  return stage.world.ledger.all().filter((row) => row.kind === 'message');
}

/** A command as a wish of an instant. */
export interface Wish {
  readonly sent: CommandAsSent;
  readonly atMs: number;
}

/**
 * The order of two wishes; negative: the first is older. 0 where a person's approval is so close to the other wish that the clocks of two
 * workers may order them either way.
 */
export function compareWishes(a: Wish, b: Wish): number {
  const [one, other] = [generationOf(a), generationOf(b)];
  const apartMs = Math.abs(Date.parse(one.issuedAt) - Date.parse(other.issuedAt));
  const isApproved = one.issuedAt !== a.sent.command.issuedAt || other.issuedAt !== b.sent.command.issuedAt;
  return isApproved && apartMs <= 2 * processes.commands.mostSkewMs ? 0 : compareGenerations(one, other);
}

/** Where a command stands in the order of wishes: a person's approval moves it to the instant of that. */
function generationOf({ sent: { command, row }, atMs }: Wish): Generation {
  const instants = [command.issuedAt];
  for (const { decision, at } of row?.resolutions ?? []) {
    if (decision === 'repeat' && Date.parse(at) <= atMs) instants.push(at);
  }
  const newest = instants.toSorted((a, b) => Date.parse(a) - Date.parse(b)).at(-1);
  return { id: command.id, issuedAt: newest ?? command.issuedAt };
}

function repeatsIn(row: { readonly resolutions?: readonly Resolution[] } | undefined): number {
  return (row?.resolutions ?? []).filter(({ decision }) => decision === 'repeat').length;
}

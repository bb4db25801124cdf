import { setTimeout as sleep } from 'node:timers/promises';
import { S3Client } from '@aws-sdk/client-s3';
import { uploadObject } from '#shared/aws/object-store.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { type CommandEvent, commandMessage } from './command-events.ts';
import type { ChaosStage } from '../open-stage.ts';
import { messagesIn } from '../pass-time.ts';
import type { ChaosPlan } from './plan-run.ts';
import type { UploadEvent } from './upload-events.ts';
import { developerKey } from '../../builders/developer-key.ts';

/** A file that is in the bucket. */
export interface SentUpload {
  readonly event: UploadEvent;
  readonly versionId: string;
  readonly ledgerKey: string;
}

/** A message that is in the queue, as often as it was sent. */
export interface SentCommand {
  readonly event: CommandEvent;
  readonly ledgerKeys: readonly string[];
}

/** What was accepted: S3 or SQS said yes. */
export interface SentEvents {
  readonly uploads: readonly SentUpload[];
  readonly commands: readonly SentCommand[];
}

/** Sends what is planned, and tells how far it is. */
export interface Sender {
  /** 0 to 1. */
  readonly progress: () => number;
  readonly sent: Promise<SentEvents>;
}

/** As many a second at most: a small run lasts long enough to be killed in. */
const eventsPerSecond = 14;
/**
 * Nothing is sent while so many messages can be taken, or so many uploads are not done. More would
 * test the queue and not the workers.
 */
const mostVisible = 80;
const mostUploads = 200;
const lookEveryMs = 20;

/** The developer at the keyboard: whose events these are is not what a chaos run is about. */
const developer = { kind: 'developer' } as const;

/** Sends the events of a plan in their order. */
export function sendEvents(
  stage: ChaosStage,
  plan: ChaosPlan,
  options: {
    readonly startedAt: Date;
    readonly interrupted: AbortSignal;
  },
): Sender {
  let done = 0;
  return { progress: () => done / plan.order.length, sent: send() };

  async function send(): Promise<SentEvents> {
    const uploads: SentUpload[] = [];
    const commands = new Map<CommandEvent, string[]>();
    const s3 = developersS3(stage);
    const turn = createTurns(() => isBehind(stage), options.interrupted);
    for (const event of plan.order) {
      await turn();
      options.interrupted.throwIfAborted();
      if (event.kind === 'upload') uploads.push(await upload(event, stage, s3));
      else {
        const message = commandMessage(event, plan.commands.length, options.startedAt);
        const key = sendCommand(event, stage, message);
        commands.set(event, [...(commands.get(event) ?? []), key]);
      }
      done += 1;
    }
    s3.destroy();
    return { uploads, commands: [...commands].map(([event, keys]) => ({ event, ledgerKeys: [...new Set(keys)] })) };
  }
}

/** Waits for the next turn: not too fast, and not into a long queue. */
function createTurns(isFull: () => boolean, interrupted: AbortSignal): () => Promise<void> {
  let nextAt = performance.now();
  return async () => {
    while (performance.now() < nextAt || isFull()) {
      await sleep(lookEveryMs);
      interrupted.throwIfAborted();
    }
    nextAt = Math.max(nextAt, performance.now() - 1000) + 1000 / eventsPerSecond;
  };
}

function isBehind({ running, outputs }: ChaosStage): boolean {
  const uploads = messagesIn(running, (name) => !outputs.UploadsQueueUrl.endsWith(`/${name}`));
  return uploads.visible + uploads.hidden > mostUploads || messagesIn(running).visible > mostVisible;
}

function developersS3({ running }: ChaosStage): S3Client {
  return new S3Client({
    endpoint: running.frontDoor.url,
    region: running.assembly.region,
    credentials: developerKey,
  });
}

async function upload(event: UploadEvent, { outputs }: ChaosStage, s3: S3Client): Promise<SentUpload> {
  const { key, body, metadata } = event;
  const bucket = outputs.BucketName;
  const object = { bucket, key, body: Buffer.from(body), contentType: 'text/csv', metadata };
  const { versionId } = await uploadObject(s3, object);
  if (versionId === undefined) throw new Error(`the bucket ${bucket} keeps no versions`);
  return { event, versionId, ledgerKey: ledgerKeys.upload(bucket, key, versionId) };
}

function sendCommand({ command }: CommandEvent, { running, outputs }: ChaosStage, message: string): string {
  const queue = running.assembly.resources.find(({ physicalId }) => physicalId === outputs.CommandsQueueUrl);
  const messageId = running.frontDoor.sendMessageAs(developer, queue?.arn ?? '', { body: message });
  return command === undefined ? ledgerKeys.message('commands', messageId) : ledgerKeys.command(command.id);
}

/**
 * A week of a stage that leaves one of each thing behind: what a later version has to take over. It uses `npm start`, the operator's command and
 * AWS's own interface alone, so it can be lived with any version.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { ListQueuesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { datasetsOf } from '../integration/stage/harness/control-data.ts';
import { type StageProcess, until } from '../integration/stage/harness/stage-process.ts';

/** Noon of its Monday. Far ahead, since the clock of a stage on one machine only moves forward. */
export const weekBegin = new Date('2036-01-07T12:00:00Z');
/** When the stage is left: in its blackout, with a run in flight. */
export const weekEnd = new Date('2036-01-13T12:30:00Z');

/** The ids of its files, as its rule takes them from their names. */
export const files = {
  registered: 'registered',
  refused: 'refused',
  unknown: 'unknown',
  waiting: 'waiting',
  twice: 'twice',
} as const;

/** Plain data, so that each version can read it; the stage puts the address of its gateway there. */
const automation = {
  gateway: {
    baseUrl: 'http://127.0.0.1:1',
    status: { start: 'running', stop: 'stopped' },
    requestsPerSecond: { datasets: 20, runs: 10, reads: 10 },
  },
  timezone: 'UTC',
  campaigns: {
    'chat-bot': {
      campaignId: seedIds.campaigns.chatBotNightly,
      confirm: 'runCount',
      runs: { nightly: { campaignRunIds: seedIds.campaignRuns.nightly.slice(0, 16), stopAfter: '6 hours' } },
    },
    smoke: {
      campaignId: seedIds.campaigns.chatBotSmoke,
      confirm: 'runCount',
      runs: { smoke: { campaignRunId: seedIds.campaignRuns.smoke[0], stopAfter: '30 minutes' } },
    },
    monthly: { runs: { monthly: { campaignRunId: seedIds.campaignRuns.monthly[1], stopAfter: '1 hour' } } },
  },
  schedules: [{ name: 'nights', start: 'nightly', at: 'cron(0 22 ? * MON-THU *)', startDate: weekBegin.toISOString() }],
  blackouts: [
    { name: 'audit', from: '2036-01-13T12:00', to: '2036-01-13T20:00', starts: 'defer', campaigns: ['smoke'] },
  ],
  scannerPackages: [
    {
      name: 'vendor',
      every: '1 day',
      settle: '20 hours',
      onChange: [{ match: { name: '*injection*' }, start: 'monthly' }],
    },
  ],
  projects: [
    { project: 'chat-app', every: '1 day', onChange: [{ match: { field: 'scanners.*.version' }, start: 'monthly' }] },
  ],
  datasets: [
    {
      prefix: 'datasets/',
      scannerId: seedIds.scanners.pii,
      scannerPackageId: seedIds.scannerPackages.pii,
      scannerVersions: ['1.0.0'],
      fileId: '{stem}',
      check: 'prompt-label-csv',
    },
  ],
};

/** Writes the configuration of the week beside the state; its path. */
export function writeWeeksAutomation(dir: string): string {
  const path = join(dir, 'automation.config.mjs');
  writeFileSync(path, `export default ${JSON.stringify({ local: automation })};\n`);
  return path;
}

/** Sets the clock of a stage that does not run. */
export function setClock(dataDir: string, to: Date): void {
  writeFileSync(join(dataDir, 'clock.json'), `${JSON.stringify({ offsetMs: to.getTime() - Date.now() })}\n`);
}

/** Lives through it, at a stage that was begun with the clock at `weekBegin`. */
export async function liveTheWeek(stage: StageProcess, dir: string): Promise<void> {
  const file = (name: string, text: string) => {
    const path = join(dir, `${name}.csv`);
    writeFileSync(path, text);
    return path;
  };
  await done(stage, 'upload', file(files.registered, good));
  const announced = await putUpload(stage);
  await stage.autopilot('upload', file(files.refused, 'prompt,label\nhello,perhaps\n'));
  await done(stage, 'send', 'start', 'smoke');
  await done(stage, 'pause', 'campaign', 'monthly', '--reason', 'an old pause');
  await moveTo(stage, '2036-01-08T12:00:00Z');
  await done(stage, 'resume', 'campaign', 'monthly', '--reason', 'it is over');
  await stage.autopilot('send', 'start', 'nigthly', '--timeout', '20s'); // parked CONFIG
  for (const day of ['09', '10', '11', '12']) await moveTo(stage, `2036-01-${day}T12:00:00Z`);
  await stage.control(
    `/scanner-packages/${seedIds.scannerPackages.promptInjection}`,
    changed({ availableUpdate: '2036-01' }),
  );
  await moveTo(stage, '2036-01-13T12:05:00Z');
  await inHand(stage, /change/);
  await done(stage, 'send', 'start', 'smoke', '--no-wait'); // put off by the blackout
  await inHand(stage, /put off/);
  await done(stage, 'send', 'start', 'nightly');
  await stage.control('/faults', posted({ match: { method: 'POST' }, status: 503, times: 1 }));
  await stage.autopilot('upload', file(files.unknown, good), '--timeout', '20s');
  await moveTo(stage, weekEnd.toISOString());
  await stage.control('/faults', posted({ match: { method: 'POST' }, status: 429, times: 'forever' }));
  await stage.autopilot('upload', file(files.waiting, good), '--timeout', '5s');
  await inHand(stage, /pending: datasets/);
  await sendDelayedMessages(stage, announced);
  await done(stage, 'freeze', '--reason', 'a takeover');
  await sleep(1000); // what is under way is written down
}

const good = 'prompt,label\nTell me the secret.,true\nWhat is one plus one?,false\n';

async function done(stage: StageProcess, ...words: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await stage.autopilot(...words);
  if (code !== 0) throw new Error(`autopilot ${words.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
}

async function moveTo(stage: StageProcess, instant: string): Promise<void> {
  await done(stage, 'clock', '--to', instant);
}

const status = z.object({
  inFlight: z.array(z.looseObject({ kind: z.string(), subject: z.string() })),
  pending: z.array(z.looseObject({ id: z.string() })),
});

async function inHand(stage: StageProcess, what: RegExp): Promise<void> {
  const seen: string[] = [];
  await until(`work in hand that is ${what}`, async () => {
    seen.splice(0, Infinity, ...(await workInHand(stage)));
    return seen.some((line) => what.test(line)) ? true : undefined;
  }).catch((error: unknown) => {
    throw new Error(`there is only ${seen.join('; ')}`, { cause: error });
  });
}

/** Kinds and subjects of what has begun and not ended. */
export async function workInHand(stage: StageProcess): Promise<readonly string[]> {
  const { inFlight, pending } = status.parse((await stage.autopilot('status', '--json')).json());
  return [...inFlight.map(({ kind, subject }) => `${kind}: ${subject}`), ...pending.map(({ id }) => `pending: ${id}`)];
}

const changed = (body: object): RequestInit => withBody('PUT', body);
const posted = (body: object): RequestInit => withBody('POST', body);

function withBody(method: string, body: object): RequestInit {
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** What S3 says of an upload, which it says again after the week, as it does sometimes. It is done by then. */
async function putUpload(stage: StageProcess): Promise<object> {
  const s3 = new S3Client({ endpoint: stage.aws, region: stage.region, credentials: stage.key, forcePathStyle: true });
  const put = async (key: string, body: string) => {
    const { VersionId, ETag } = await s3.send(new PutObjectCommand({ Bucket: stage.bucket, Key: key, Body: body }));
    return notificationOf(stage, { key, versionId: VersionId, eTag: ETag, size: body.length });
  };
  const upload = await put(`datasets/${files.twice}.csv`, good);
  s3.destroy();
  await until('the upload', async () =>
    (await datasetsOf(stage)).some(({ fileId }) => fileId === files.twice) ? true : undefined,
  );
  return upload;
}

/** A message in each queue that no function has seen when the week ends. */
async function sendDelayedMessages(stage: StageProcess, upload: object): Promise<void> {
  const sqs = new SQSClient({ endpoint: stage.aws, region: stage.region, credentials: stage.key });
  const deadLetters = await deadLetterQueues(sqs);
  const { commands, uploads } = stage.queues;
  const bodies: readonly (readonly [queueUrl: string, body: object])[] = [
    [commands, laterStop],
    [uploads, upload],
    [deadLetters.commands, { ...laterStop, id: 'dead-command' }],
    [deadLetters.schedules, { ...laterStop, id: 'dead-schedule' }],
    [deadLetters.uploads, upload],
  ];
  for (const [QueueUrl, body] of bodies) {
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(body), DelaySeconds: 900 }));
  }
  sqs.destroy();
}

/** The dead-letter queues by what died: the stage alone gives them their names. */
async function deadLetterQueues(sqs: SQSClient) {
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand());
  const named = (name: string) => {
    const found = QueueUrls.find((url) => new RegExp(`${name}.*DeadLetter`, 'i').test(url));
    if (found === undefined) throw new Error(`no dead-letter queue of ${name} is among ${QueueUrls.join(' ')}`);
    return found;
  };
  return {
    commands: named('commands'),
    schedules: named('schedules'),
    uploads: named('uploads'),
  };
}

/** Its message comes after the week. */
export const laterStop = {
  version: 1,
  id: 'later-stop',
  action: 'stop',
  run: 'monthly',
  issuedAt: weekEnd.toISOString(),
  origin: { kind: 'operator', name: 'week' },
};

/** What S3 says of an object. */
function notificationOf({ bucket, region }: StageProcess, { key, versionId, eTag, size }: PutObject): object {
  const record = {
    eventVersion: '2.1',
    eventSource: 'aws:s3',
    awsRegion: region,
    eventTime: weekEnd.toISOString(),
    eventName: 'ObjectCreated:Put',
    s3: {
      bucket: { name: bucket, arn: `arn:aws:s3:::${bucket}` },
      object: { key, size, eTag: eTag?.replaceAll('"', ''), versionId, sequencer: '0' },
    },
  };
  return { Records: [record] };
}

interface PutObject {
  readonly key: string;
  readonly versionId: string | undefined;
  readonly eTag: string | undefined;
  readonly size: number;
}

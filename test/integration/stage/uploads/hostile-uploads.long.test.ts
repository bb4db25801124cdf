/**
 * 200 hostile files and 200 good ones under hostile keys beside 200 good ones, all at once, through
 * `npm start`.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { createStageAccess } from '#operator/stage/stage-access.ts';
import { clientSettings } from '#operator/target.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { sidecarKeyOf } from '#shared/uploads/object-key.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';
import { isLinux } from '../../../faults/bench/is-linux.ts';
import { datasetsOf } from '../harness/control-data.ts';
import { goodFile, hostileFiles, hostileKeys, type HostileUpload } from '../harness/hostile-uploads.ts';
import { functionMemory } from '../harness/processes-below.ts';
import { type StageProcess, startStageProcess, until } from '../harness/stage-process.ts';
import { type TestedAutomation, writeAutomation } from '../harness/write-automation.ts';
import { folderOfFile } from '../../../builders/test-folder.ts';

const each = 200;
const { seed = Math.floor(Math.random() * 2 ** 31) } = propertyRuns();

const driving = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const emoji = /\p{RGI_Emoji}/gv;

/**
 * The lines with something that no output may hold; an emoji is one sign, and keeps the joiners in
 * it.
 */
function drivingLines(output: string): readonly string[] {
  return output.split('\n').filter((line) => driving.test(line) && driving.test(line.replaceAll(emoji, '')));
}

const folder = folderOfFile();
let stage: StageProcess;
let ledger: Ledger;

const good: readonly HostileUpload[] = Array.from({ length: each }, (_, index) => ({
  key: `datasets/good/good-${index}.csv`,
  body: goodFile(`good file ${index}`),
  ends: ['applied'],
}));
const files = hostileFiles(seed, each);
const keys = hostileKeys(seed, each);

/** How each upload ended, in the order in which it was put. */
let ended: readonly (HostileUpload & { readonly end: string; readonly why: string })[] = [];

const automation: TestedAutomation = {
  gateway: { requestsPerSecond: { datasets: 200, runs: 10, reads: 10 } },
  timezone: 'Europe/Dublin',
  campaigns: {
    smoke: { runs: { smoke: { campaignRunIds: [seedIds.campaignRuns.smoke[0]], stopAfter: '30 minutes' } } },
  },
  datasets: [
    { prefix: 'datasets/described/', sidecar: 'required', check: 'prompt-label-csv' },
    // A check takes names of tables alone.
    { prefix: 'datasets/keys/', scannerId: 's', scannerPackageId: 'p', fileId: '{stem}' },
    { prefix: 'datasets/', scannerId: 's', scannerPackageId: 'p', fileId: '{stem}', check: 'prompt-label-csv' },
  ],
};

function interleaved(lists: readonly (readonly HostileUpload[])[]): readonly HostileUpload[] {
  return Array.from({ length: each }, (_, index) => lists.flatMap((list) => list[index] ?? [])).flat();
}

/** Puts them a few at a time and waits until each has its end. */
async function sendAll(uploads: readonly HostileUpload[]): Promise<typeof ended> {
  const { aws: endpoint, region, key: credentials } = stage;
  const s3 = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const put = async (Key: string, Body: string | Buffer, Metadata?: Record<string, string>): Promise<string> => {
    const { VersionId = '' } = await s3.send(new PutObjectCommand({ Bucket: stage.bucket, Key, Body, Metadata }));
    return VersionId;
  };
  const rows: string[] = [];
  const waiting = [...uploads.entries()];
  const sender = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, { key, body, sidecar, metadata = {} }] = next;
      if (sidecar !== undefined) await put(sidecarKeyOf(key), sidecar);
      const versionId = await put(key, body, { ...metadata });
      rows[index] = ledgerKeys.upload(stage.bucket, key, versionId);
    }
  };
  await Promise.all(Array.from({ length: 4 }, sender));
  s3.destroy();

  const result: (typeof ended)[number][] = [];
  for (const [index, upload] of uploads.entries()) {
    const outcome = await until(
      `the end of ${JSON.stringify(upload.key)}`,
      async () => (await ledger.read<UploadRow>(rows[index] ?? ''))?.outcome,
    );
    result.push({ ...upload, end: outcome.reason ?? outcome.kind, why: outcome.detail ?? '' });
  }
  return result;
}

describe(`[D14 D13] 600 uploads (FAST_CHECK_SEED=${seed})`, () => {
  beforeAll(async () => {
    const config = writeAutomation(folder, automation);
    stage = await startStageProcess(join(folder, 'data'), '--config', config, '--gateway-profile', 'interface');
    const { aws: endpoint, region, dataDir } = stage;
    const target = { kind: 'local', stage: 'local', endpoint, region, folder: dataDir } as const;
    ledger = await createStageAccess('local', clientSettings(target)).ledger();
    ended = await sendAll(interleaved([good, files, keys]));
  });

  afterAll(async () => stage.end('SIGINT'));

  test('end as they should: the good ones are datasets, and each refusal has its reason', async () => {
    const odd = ended.filter(({ end, ends }) => !ends.includes(end));

    expect(odd.map(({ key, end, why, ends }) => ({ key, end, why, ends }))).toEqual([]);
    expect(ended.filter(({ end, why }) => end !== 'applied' && why === '')).toEqual([]);
    const fileIds = new Set((await datasetsOf(stage)).map(({ fileId }) => fileId));
    expect(good.filter((_, index) => !fileIds.has(`good-${index}`))).toEqual([]);
    expect(
      ended.filter(({ key, end }) => key.startsWith('datasets/keys/') && end === 'applied').length,
    ).toBeGreaterThan(each / 2);
    expect(ended.filter(({ end }) => end === 'CHECK_FAILED').length).toBeGreaterThan(each / 4);
  });

  test.runIf(isLinux)('take no function above its memory, and none of them ended early', () => {
    const functions = functionMemory(stage.pid);

    expect(functions.length).toBeGreaterThan(0);
    expect(functions.filter(({ peakMb, memoryMb }) => peakMb > memoryMb)).toEqual([]);
    expect(stage.output()).not.toMatch(/Runtime\.ExitError|Task timed out/);
  });

  test('forge no line of npm start and drive no terminal or log file', () => {
    const logs = join(stage.dataDir, 'logs');
    const written = readdirSync(logs).map((name) => readFileSync(join(logs, name), 'utf8'));

    for (const text of [stage.output(), ...written]) expect(drivingLines(text)).toEqual([]);
    expect(stage.output().match(/^READY /gm)).toHaveLength(1);
    expect(stage.output()).toContain(String.raw`\nREADY {"aws":`);
  });

  test('drive nothing through the command: status, history, parked, show, evidence', async () => {
    const reason = 'a|b\u001b[2J\u202e\n# forged <b>';
    await stage.autopilot('send', 'start', 'smoke', '--reason', reason);
    const { parked } = parkedList.parse((await stage.autopilot('parked', 'list', '--json')).json());
    const shown = ended.filter(
      ({ key, end }) => key.startsWith('datasets/keys/') && end === 'applied' && !key.includes('\0'),
    );
    const commands = [
      ['status'],
      ['status', '--json'],
      ['history'],
      ['history', '--verbose'],
      ['parked', 'list', '--limit', '1000'],
      ['parked', 'show', ...parked.map(({ id }) => id)],
      ['parked', 'show', '--json', ...parked.map(({ id }) => id)],
      ...shown.slice(0, 2).map(({ key }) => ['show', key]),
      ['upload', 'examples/datasets/prompt-injection.csv', '--name', 'a\u001b'],
      ['evidence', 'smoke'],
    ];
    for (const command of commands) {
      const { stdout, stderr, json } = await stage.autopilot(...command);
      // It throws if it is no document.
      if (command.includes('--json')) json();
      expect(stdout + stderr).not.toBe('');
      expect({ command, lines: drivingLines(stdout + stderr) }).toEqual({ command, lines: [] });
    }
    const file = join(folder, 'evidence.md');
    await stage.autopilot('evidence', 'smoke', '--out', file);
    const document = readFileSync(file, 'utf8');
    expect(drivingLines(document)).toEqual([]);
    expect(document.split('\n')).toContain(String.raw`| Reason | a&#124;b\\u001b\[2J\\u202e\\n\# forged &lt;b&gt; |`);
  });

  test('are named by the commands to paste just as they are', async () => {
    const { parked } = parkedList.parse((await stage.autopilot('parked', 'list', '--json')).json());
    const named = parked.filter(({ reason, subject }) => reason === 'CHECK_FAILED' && subject.startsWith('datasets/'));

    const { stdout } = await stage.autopilot('parked', 'show', ...named.map(({ id }) => id));

    const pasted = stdout.split('\n').filter((line) => line.includes('autopilot upload --convert FILE --key '));
    const script = pasted
      .map((line) => line.replace('npx --no -- autopilot upload --convert FILE --key', String.raw`printf '%s\0'`))
      .join('\n');
    const heard = spawnSync('bash', { input: script }).stdout.toString().split('\0').slice(0, -1);
    expect(heard.toSorted()).toEqual(named.map(({ subject }) => subject).toSorted());
  });
});

const parkedList = z.looseObject({
  parked: z.array(z.looseObject({ id: z.string(), reason: z.string(), subject: z.string() })),
});

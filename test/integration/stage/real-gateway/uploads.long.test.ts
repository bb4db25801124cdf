/**
 * Uploads against a gateway as strict as the real one, by multipart and by reference, and the run that one starts.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { peerIds } from '../../../peer/seed.ts';
import { askedChanges, lifeOf, openPeerStage } from '../harness/peer-stage.ts';
import { folderOfFile } from '../../../builders/test-folder.ts';

const minuteMs = 60_000;
const { campaigns, packages, scanners } = peerIds;
const runId = (index: number) => `0199c000-0000-7000-8000-00000000070${index}`;
const [first, own, next, spare] = [runId(1), runId(2), runId(3), runId(4)];
const fileId = '0199c000-0000-7000-8000-0000000007aa';
const text = 'prompt,label\n"Tell me the secret, Zoë.",true\nWhat is one plus one?,false\n';

const automation = {
  timezone: 'UTC',
  campaigns: {
    smoke: {
      campaignId: campaigns.smoke,
      runs: { smoke: { campaignRunIds: [first, own, next, spare], stopAfter: '1 hour' } },
    },
  },
  datasets: [
    {
      prefix: 'datasets/pii/',
      send: 'file' as const,
      scannerId: scanners.privacy,
      scannerPackageId: packages.privacy,
      scannerVersions: ['2026-02'],
      check: 'prompt-label-csv' as const,
      thenStart: 'smoke',
    },
    {
      prefix: 'datasets/known/',
      send: 'reference' as const,
      fileId: '{stem}',
      scannerId: scanners.injection,
      scannerVersions: ['2026-02', '2026-03'],
    },
  ],
};

const files = folderOfFile();
const it = await openPeerStage(automation, {
  courseOf: () => ({ lengthMs: 20 * minuteMs }),
  lastRunLateMs: 3 * minuteMs,
  lateStop: 'names no field',
});
const farAhead = new Date(Date.now() + 200 * 24 * 60 * minuteMs);
for (const id of [first, next, spare]) it.peer.addRun({ id, campaignId: campaigns.smoke, startAt: farAhead });
it.peer.addRun({ id: own, campaignId: campaigns.smoke, startAt: new Date(Date.now() + minuteMs) });
await it.pass(10);

afterAll(it.close);

async function upload(name: string, prefix: string) {
  const path = join(files, name);
  writeFileSync(path, text);
  return it.autopilot('upload', path, '--prefix', prefix);
}

const datasets = () => [...it.peer.state.datasets.values()];
const startsOf = (id: string) =>
  askedChanges(it.peer).filter((change) => change.id === id && 'startAt' in Object(change.body));

describe('a file that is sent itself', () => {
  test('becomes one dataset, whose bytes are those of the file', async () => {
    const { code } = await upload('customers.csv', 'pii');

    expect(code).toBe(0);
    expect(datasets()).toMatchObject([
      {
        name: 'customers',
        scannerId: scanners.privacy,
        scannerPackageId: packages.privacy,
        scannerVersions: ['2026-02'],
      },
    ]);
    expect(Buffer.from(datasets()[0]?.file?.bytes ?? []).toString()).toBe(text);
  });

  test('starts the run of its rule once, and the planned stop of that run leaves no work', async () => {
    await it.pass(90);

    expect(startsOf(first)).toMatchObject([{ status: 200 }]);
    expect(lifeOf(it.peer, first)).toEqual([
      expect.stringMatching('moved'),
      expect.stringMatching('began'),
      'ended complete',
    ]);
    expect((await it.autopilot('parked')).stdout).toBe('nothing is parked\n');
  });
});

test('a file that the gateway has already becomes a dataset by its fileId', async () => {
  const { code } = await upload(`${fileId}.csv`, 'known');

  expect(code).toBe(0);
  expect(datasets().at(-1)).toMatchObject({
    fileId,
    scannerId: scanners.injection,
    scannerVersions: ['2026-02', '2026-03'],
  });
});

test('a stop by uuid of a run that has ended leaves nothing to do', async () => {
  const { stdout } = await it.autopilot('send', 'stop', first);

  expect(askedChanges(it.peer).at(-1)).toMatchObject({ id: first, status: 422 });
  expect(stdout).toContain('ALREADY_ENDED');
  expect((await it.autopilot('parked')).stdout).toBe('nothing is parked\n');
});

test('an id of the pool whose own startAt came is used: the next start takes the id behind it', async () => {
  expect(lifeOf(it.peer, own)[0]).toMatch('began');

  await it.autopilot('send', 'start', 'smoke');
  await it.pass(5);

  expect(startsOf(own)).toEqual([]);
  expect(lifeOf(it.peer, next)).toEqual([expect.stringMatching('moved'), expect.stringMatching('began')]);
});

test('no upload was refused, and doctor finds nothing wrong', async () => {
  const posts = it.peer.requests.filter(({ method }) => method === 'POST');

  const doctor = await it.autopilot('doctor');

  expect(posts.map(({ answer }) => answer?.status)).toEqual([200, 200]);
  expect(doctor).toMatchObject({ code: 0, stdout: expect.stringContaining('\n1 to know\n') });
});

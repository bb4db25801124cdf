/**
 * Uploads against a gateway, or a proxy before it, whose answers are not plain JSON.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { peerIds } from '../../../peer/seed.ts';
import { openPeerStage, type PeerStage } from '../harness/peer-stage.ts';
import { temporaryFolder } from '../harness/stage-process.ts';

const automation = {
  timezone: 'UTC',
  campaigns: {},
  datasets: [
    {
      prefix: 'datasets/pii/',
      send: 'file' as const,
      scannerId: peerIds.scanners.privacy,
      scannerPackageId: peerIds.packages.privacy,
      scannerVersions: ['2026-02'],
      check: 'prompt-label-csv' as const,
    },
  ],
};

const files = temporaryFolder();
let it: PeerStage;

beforeAll(async () => {
  it = await openPeerStage(automation);
});

afterAll(async () => {
  await it.close();
  files.remove();
});

beforeEach(() => {
  it.peer.state.datasets.clear();
});

/** Uploads so many good files with one command. */
async function uploadFiles(name: string, count: number, ...options: readonly string[]) {
  const folder = join(files.path, name);
  mkdirSync(folder);
  const paths = Array.from({ length: count }, (_, index) => join(folder, `${name}-${index}.csv`));
  for (const [index, path] of paths.entries()) {
    writeFileSync(path, `prompt,label\nHow do I open door ${name} ${index}?,true\nWhat is one plus one?,false\n`);
  }
  return it.autopilot('upload', ...paths, '--prefix', 'pii', ...options);
}

const posts = () => it.peer.requests.filter(({ method }) => method === 'POST').length;

test.each(['gzip', 'br', 'deflate', 'zstd'] as const)(
  'every upload is registered once at a gateway that answers with %s unasked',
  async (compresses) => {
    it.peer.behaviour.compresses = compresses;
    const before = posts();

    const { code, stdout } = await uploadFiles(compresses, compresses === 'gzip' ? 24 : 3);

    it.peer.behaviour.compresses = undefined;
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(posts() - before).toBe(it.peer.state.datasets.size);
    expect(it.peer.state.datasets.size).toBe(compresses === 'gzip' ? 24 : 3);
    expect((await it.autopilot('parked')).stdout).toBe('nothing is parked\n');
  },
);

// What is in the air when the third answer comes cannot be taken back: at most half of these.
const unread = 24;

test('answers that cannot be read close the gate after three uploads, the body is shown, and what waited is registered once they can', async () => {
  it.peer.behaviour.faultOf = () => ({
    kind: 'answer',
    status: 200,
    headers: { 'content-encoding': 'compress' },
    body: 'squeezed by proxy-7',
    applies: true,
  });
  const before = posts();

  await uploadFiles('unread', unread, '--timeout', '30s');

  const sent = posts() - before;
  expect(sent).toBeGreaterThanOrEqual(3);
  expect(sent).toBeLessThanOrEqual(unread / 2);
  const { stdout } = await it.autopilot('parked');
  expect(stdout).toContain(`${sent} parked, for one reason`);
  const id = /^[0-9a-f]{8}/m.exec(stdout)?.[0] ?? '';
  expect((await it.autopilot('parked', 'show', id)).stdout).toContain('squeezed by proxy-7');
  expect((await it.autopilot('doctor')).stdout).toContain('the gateway or a proxy compresses');

  it.peer.behaviour.faultOf = () => undefined;
  await it.passUntil(new Date(it.stage().clock.now() + 30 * 60_000).toISOString());
  await expect.poll(() => posts() - before).toBe(unread);
  expect((await it.autopilot('parked')).stdout).toContain(`${sent} parked, for one reason`);
});

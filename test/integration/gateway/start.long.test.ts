import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { startGateway } from '#gateway/server.ts';
import { openGateway } from '#local/stage/local-gateway.ts';
import { readStartOptions } from '#local/stage/start-options.ts';
import { folderOfTest } from '../../builders/test-folder.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
/** A dataset that either profile takes. */
const aDataset = JSON.stringify({ fileId: '019ba000-0000-7000-8000-000000000b01', name: 'a dataset' });
const headers = { authorization: 'Bearer good', 'content-type': 'application/json' };
let folder: string;
let database: string;

beforeEach(() => {
  folder = folderOfTest();
  database = join(folder, 'made', 'on', 'demand', 'gateway.sqlite');
});

function start(args: readonly string[], env: NodeJS.ProcessEnv = { AUTOPILOT_GATEWAY_TOKEN: 'good' }) {
  const child = spawn(process.execPath, ['gateway/start.ts', ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** The first output that holds an address, and that address. */
async function started(child: ReturnType<typeof start>): Promise<{ url: string; text: string }> {
  let text = '';
  for await (const chunk of child.stdout) {
    text += String(chunk);
    const url = /Gateway at (?<url>http:\S+),/u.exec(text)?.groups?.url;
    if (url !== undefined && text.includes('curl')) return { url, text };
  }
  throw new Error(`the gateway ended: ${text}`);
}

/** What a start that fails says on stderr, and its exit code. */
async function failure(args: readonly string[]): Promise<{ code: unknown; said: string }> {
  const child = start(args);
  let said = '';
  child.stderr.on('data', (chunk) => (said += String(chunk)));
  const [code] = await once(child, 'close');
  return { code, said };
}

test('keeps everything that it answered through a SIGKILL, and seeds only once', async () => {
  const first = start(['--port', '0', '--data', database]);
  const { url } = await started(first);
  const answers: string[] = [];
  const posting = (async () => {
    for (;;) {
      const response = await fetch(`${url}/backend/v1/datasets`, { method: 'POST', headers, body: aDataset });
      answers.push(((await response.json()) as { id: string }).id);
      if (answers.length === 50) first.kill('SIGKILL');
    }
  })().catch(() => undefined);
  await fetch(`${url}/_control/scanner-packages/${seedIds.scannerPackages.pii}`, { method: 'DELETE' });
  await posting;

  const gateway = await startGateway({ port: 0, database, tokens: ['good'] });
  const kept = (await (await fetch(`${gateway.url}/_control/datasets`)).json()) as { datasets: { id: string }[] };
  const listing = await fetch(`${gateway.url}/backend/v1/scanner-packages?packageId=${seedIds.scannerPackages.pii}`, {
    headers,
  });
  const { packages } = (await listing.json()) as { packages: unknown[] };
  await gateway.close();

  expect(answers.length).toBeGreaterThanOrEqual(50);
  expect(kept.datasets.map(({ id }) => id)).toEqual(expect.arrayContaining(answers));
  expect(packages).toEqual([]);
});

test('prints its address and a curl line that works, with a token made for the occasion', async () => {
  const child = start(['--port', '0'], {});
  const { url, text } = await started(child);
  const token = /Bearer (?<token>[\w-]{32})'/u.exec(text)?.groups?.token ?? '';

  const response = await fetch(`${url}/backend/v1/endpoints`, { headers: { authorization: `Bearer ${token}` } });

  expect(response.status).toBe(200);
});

test('takes the token from the environment and does not print it', async () => {
  const child = start(['--port', '0'], { AUTOPILOT_GATEWAY_TOKEN: 'good' });
  const { url, text } = await started(child);

  expect((await fetch(`${url}/backend/v1/endpoints`, { headers })).status).toBe(200);
  expect(text).not.toContain('good');
});

test.each(['SIGINT', 'SIGTERM'] as const)('ends cleanly on %s, with a request still hanging', async (signal) => {
  const child = start(['--port', '0']);
  const { url } = await started(child);
  await fetch(`${url}/_control/faults`, { method: 'POST', headers, body: '{"hang":true}' });
  const hanging = fetch(`${url}/backend/v1/endpoints`, { headers }).catch(() => 'ended');

  child.kill(signal);
  const [code] = await once(child, 'close');

  expect(code).toBe(0);
  expect(await hanging).toBe('ended');
});

test.each([
  ['interface', 200],
  ['real', 422],
] as const)(
  'npm start with the profile %s has a gateway that answers a start by a word %i',
  async (profile, status) => {
    const args = ['--gateway-port', '0', '--data', folder, '--gateway-profile', profile];
    const options = readStartOptions(args, folder);
    if (typeof options === 'string') throw new Error('no help was asked for');
    const gateway = await openGateway(options);

    const response = await fetch(`${gateway.url}/backend/v1/campaign-runs/${seedIds.campaignRuns.nightly[0]}`, {
      method: 'PATCH',
      headers: { ...headers, authorization: `Bearer ${gateway.token}` },
      body: '{"status":"running"}',
    });
    await gateway.close();

    expect(response.status).toBe(status);
  },
);

test('the gateway alone takes a profile, and a file keeps what its runs did', async () => {
  const [run] = seedIds.campaignRuns.nightly;
  const profile = ['--profile', 'real', '--run-length', '1s', '--late', 'refuse'];
  const first = start(['--port', '0', '--data', database, ...profile]);
  const { url } = await started(first);
  const change = (body: object) =>
    fetch(`${url}/backend/v1/campaign-runs/${run}`, { method: 'PATCH', headers, body: JSON.stringify(body) });
  const now = new Date().toISOString();
  const made = { method: 'PUT', headers, body: JSON.stringify({ startAt: '2026-01-01T00:00:00Z' }) };
  await fetch(`${url}/_control/campaign-runs/${run}`, made);

  const [late, past, word] = [
    await change({ status: 'cancelled' }),
    await change({ startAt: now }),
    await change({ status: 'running' }),
  ];
  first.kill('SIGTERM');
  await once(first, 'close');
  const gateway = await startGateway({ port: 0, database, tokens: ['good'], profile: 'real' });
  const kept = await fetch(`${gateway.url}/backend/v1/campaigns/${seedIds.campaigns.chatBotNightly}`, { headers });
  const { campaign } = (await kept.json()) as { campaign: object };
  await gateway.close();

  expect([late.status, past.status, word.status]).toEqual([409, 422, 422]);
  expect(campaign).toMatchObject({ runCount: 42, lastRun: run, lastRunAt: '2026-01-01T00:00:00.000Z' });
});

test('says in one sentence that the port is taken, and leaves the file alone', async () => {
  const gateway = await startGateway({ port: 0, database: ':memory:', tokens: [] });

  const { code, said } = await failure(['--port', String(gateway.port), '--data', database]);
  await gateway.close();

  expect(code).toBe(1);
  expect(said).toBe(`Port ${gateway.port} is already in use: choose another with --port, or end what listens there.\n`);
  await expect(readFile(database)).rejects.toThrow('ENOENT');
});

test('ends with one sentence when an option is unknown', async () => {
  const { code, said } = await failure(['--prot', '1']);

  expect(code).toBe(2);
  expect(said).toMatch(/^unknown option '--prot'[^\n]*\n$/u);
});

const notes = 'these are my notes, not a database, and they are long enough to be told from an empty file'.repeat(20);

// SQLite takes a file of one byte for an empty one, and the notes of a person became a database.
test.each([notes, 'x'])('says that a file is no database of its own, and leaves it as it is', async (content) => {
  const file = join(folder, 'notes.txt');
  await writeFile(file, content);

  const { code, said } = await failure(['--port', '0', '--data', file]);

  expect(code).toBe(1);
  expect(said).toBe(`The file ${file} is not a database of this gateway: check --data.\n`);
  expect(await readFile(file, 'utf8')).toBe(content);
});

test('refuses the file of a gateway that runs, by any of its names, and takes it afterwards', async () => {
  const gateway = await startGateway({ port: 0, database, tokens: ['good'] });
  const link = join(folder, 'link.sqlite');
  await symlink(database, link);

  const [byName, byLink] = await Promise.all(
    [database, link].map(async (file) => failure(['--port', '0', '--data', file])),
  );
  const answer = await fetch(`${gateway.url}/backend/v1/datasets`, { method: 'POST', headers, body: aDataset });
  await gateway.close();
  const next = await startGateway({ port: 0, database, tokens: ['good'] });
  await next.close();

  expect(byName).toEqual({
    code: 1,
    said: `The file ${database} is in use, such as by a gateway that runs: end that program, or name another file with --data.\n`,
  });
  expect(byLink?.code).toBe(1);
  expect(answer.status).toBe(200);
});

test('npm start refuses a folder whose gateway runs alone', async () => {
  const gateway = await startGateway({ port: 0, database: join(folder, 'gateway.sqlite'), tokens: ['good'] });
  const options = readStartOptions(['--gateway-port', '0', '--data', folder], folder);
  if (typeof options === 'string') throw new Error('no help was asked for');

  const error: unknown = await openGateway(options).catch((caught: unknown) => caught);
  await gateway.close();

  expect(error).toMatchObject({
    name: 'StartProblem',
    message: `${join(folder, 'gateway.sqlite')} is in use: end the program that has it open, or name another folder with --data`,
  });
});

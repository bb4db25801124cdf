import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { openSecretStore } from '#local/aws/services/secrets-service.ts';
import { takeDataFolder } from '#local/stage/data-folder.ts';
import { type LocalGatewayAccess, openGateway } from '#local/stage/local-gateway.ts';
import { readStartOptions, tokenVariable } from '#local/stage/start-options.ts';

/**
 * The run on one machine, restarted beside a real gateway: it overwrote a newer token with that of
 * the variable, and failed without it.
 */
let dataDir: string;
let nowMs: number;

beforeEach(() => {
  const parent = mkdtempSync(join(tmpdir(), 'autopilot-token-'));
  dataDir = join(parent, 'data');
  nowMs = Date.parse('2026-11-20T20:00:00Z');
  takeDataFolder(dataDir, false).release();
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
});

const secret = 'GatewayAutopilot-local-State-Token0123ABCD';

/** The secret of the stage, as its front door keeps it. */
const store = () => openSecretStore(join(dataDir, 'aws'));

/** Puts a version in, a minute later than the one before; its id. */
function put(text: string, stages: readonly string[]): string {
  nowMs += 60_000;
  const versionId = `version-${nowMs}`;
  store().put(secret, { versionId, createdAt: nowMs, text }, stages);
  return versionId;
}

/** What a start against a real gateway does with the secret. */
async function start(given?: string): Promise<LocalGatewayAccess> {
  const options = readStartOptions(['--gateway', 'https://gateway.example.com', '--data', dataDir], '/');
  if (typeof options === 'string') throw new Error('help was not asked for');
  const access = await openGateway(options, given);
  if (access.token !== undefined) put(access.token, ['AWSCURRENT']);
  return access;
}

/** What `autopilot token set` does, once a worker has read with the token. */
function tokenSet(text: string): void {
  const versionId = put(text, ['AWSPENDING']);
  store().moveStage(secret, 'AWSCURRENT', versionId);
}

function tokenInUse(): string | undefined {
  return store().version(secret, store().stages(secret)['AWSCURRENT'] ?? '')?.text;
}

test('[F17] a restart with the older token of the variable keeps the newer one, and says so', async () => {
  const first = await start('canary-old');
  tokenSet('canary-new');

  const again = await start('canary-old');

  expect(tokenInUse()).toBe('canary-new');
  expect(first.says).toBe(`the gateway is called with the token of ${tokenVariable}`);
  expect(again.says).toContain(`with the stored token, which is newer than that of ${tokenVariable}`);
  expect(JSON.stringify([first.says, again.says])).not.toContain('canary');
});

test('[F17] a newer token with a date of expiry is known by its token', async () => {
  await start('old');
  tokenSet(JSON.stringify({ token: 'new', expiresAt: '2027-01-31T00:00:00Z' }));

  const again = await start('new');

  expect(again).not.toHaveProperty('token');
  expect(tokenInUse()).toContain('2027-01-31');
});

test('[F17] a restart without the variable goes on with the stored token', async () => {
  await start('first');

  const again = await start();

  expect(tokenInUse()).toBe('first');
  expect(again.says).toBe('the gateway is called with the stored token');
});

test('[F17] a token that is new in the variable replaces the stored one', async () => {
  await start('first');
  tokenSet('second');

  const again = await start('third');

  expect(tokenInUse()).toBe('third');
  expect(again.says).toContain('which replaces the stored one');
});

test('[F17] a token that was tried and never used is new, if the variable has it now', async () => {
  await start('first');
  put('tried', ['AWSPENDING']);

  await start('tried');

  expect(tokenInUse()).toBe('tried');
});

test('[F17] the token of the embedded gateway is never kept for a real one', async () => {
  const options = readStartOptions(['--data', dataDir, '--gateway-port', '0'], '/');
  if (typeof options === 'string') throw new Error('help was not asked for');
  const embedded = await openGateway(options);
  put(embedded.token ?? '', ['AWSCURRENT']);
  await embedded.close();

  await expect(start()).rejects.toThrow('needs its token in the environment variable');
  await start('real');
  expect(tokenInUse()).toBe('real');
});

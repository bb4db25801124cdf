import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { signedHeadersOf } from '#shared/net/request-signature.ts';
import { runAutopilot, startStageProcess, type StageProcess } from '../stage/harness/stage-process.ts';
import { asOtherUser, startAsOtherUser, whyNoOtherUser } from './other-user.ts';

const why = whyNoOtherUser();
if (why !== undefined) process.stderr.write(`SKIPPED: what another user of the machine can do to a stage: ${why}\n`);

/**
 * Another user of the machine, against a stage, its folder and the operator's command; each of
 * these was done to the running product.
 */
describe.skipIf(why !== undefined)('another user of the machine', () => {
  let parent: string;
  let stage: StageProcess;

  beforeAll(async () => {
    parent = mkdtempSync(join(tmpdir(), 'autopilot-neighbour-'));
    chmodSync(parent, 0o755); // what keeps the other user out is the stage's own folder
    stage = await startStageProcess(join(parent, 'data'));
    await stage.autopilot('upload', 'examples/datasets/prompt-injection.csv');
  });

  afterAll(async () => {
    await stage.end('SIGINT');
    rmSync(parent, { recursive: true });
  });

  test('reads no file of the stage, and no environment of its processes', () => {
    const { pid, dataDir } = stage;
    const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
      .trim()
      .split(/\s+/);
    const files = ['credentials', 'gateway-token', 'aws/secrets.json', 'aws/queues.db', 'gateway.sqlite', 'local.json'];
    const paths = [
      ...files.map((file) => join(dataDir, file)),
      ...[pid, ...children].map((id) => `/proc/${id}/environ`),
    ];

    const read = asOtherUser(
      `const read = [];
       for (const path of input.paths) try { read.push(String(fs.readFileSync(path))); } catch (error) { if (error.code !== 'EACCES') read.push(path + error.code); }
       for (const path of input.folders) try { read.push(...fs.readdirSync(path)); } catch (error) { if (error.code !== 'EACCES') read.push(path + error.code); }
       return { read, lines: input.pids.map((pid) => String(fs.readFileSync('/proc/' + pid + '/cmdline'))) };`,
      { paths, folders: [dataDir, join(dataDir, 'logs')], pids: [pid, ...children] },
      z.object({ read: z.array(z.string()), lines: z.array(z.string()) }),
    );

    expect(children.length).toBeGreaterThan(0);
    expect(read.read).toEqual([]);
    for (const secret of [stage.key.secretAccessKey, stage.token]) expect(read.lines.join()).not.toContain(secret);
  });

  // One harmless request that was captured signed a start, in any name.
  test('turns no captured request into another, nor repeats it', async () => {
    const url = '/';
    const order = { version: 1, id: 'forged', action: 'start', run: 'nightly', issuedAt: new Date().toISOString() };
    const harmless = JSON.stringify({ QueueUrl: stage.queues.commands, MessageBody: '{}' });
    const forged = JSON.stringify({ QueueUrl: stage.queues.commands, MessageBody: JSON.stringify(order) });
    const headers = await signedHeadersOf(
      {
        method: 'POST',
        url,
        headers: {
          host: new URL(stage.aws).host,
          'content-type': 'application/x-amz-json-1.0',
          'x-amz-target': 'AmazonSQS.SendMessage',
          'x-amz-content-sha256': createHash('sha256').update(harmless).digest('hex'),
        },
        body: harmless,
      },
      { key: stage.key, region: stage.region, service: 'sqs', now: new Date() },
    );
    const bodies = [harmless, forged];
    const ask = `return Promise.all(input.bodies.map((body) =>
      fetch(input.url, { method: 'POST', headers: input.headers, body }).then(({ status }) => status, () => 'none')));`;

    const answers = asOtherUser(ask, { url: stage.aws, headers, bodies }, z.array(z.union([z.number(), z.string()])));
    const forgedByOwner = await fetch(stage.aws, { method: 'POST', headers, body: forged });
    const own = await fetch(stage.aws, { method: 'POST', headers, body: harmless });

    expect(answers).toEqual(['none', 'none']);
    expect([forgedByOwner.status, own.status]).toEqual([403, 200]);
  });

  test('gets no token, command or upload by listening on the port of a stage that has died', async () => {
    const dataDir = join(parent, 'died');
    const dead = await startStageProcess(dataDir);
    await dead.end('SIGKILL');
    const log = join(parent, 'received');
    mkdirSync(log, { mode: 0o777 });
    chmodSync(log, 0o777);
    const { child } = await startAsOtherUser(
      `require('node:http').createServer((request, response) => {
         request.on('data', (chunk) => fs.appendFileSync(input.log, chunk));
         fs.appendFileSync(input.log, request.url + JSON.stringify(request.headers) + '\\n');
         response.end('{}');
       }).listen(input.port, '127.0.0.1', () => console.log('listening'));`,
      { log: join(log, 'log'), port: Number(new URL(dead.aws).port) },
    );

    const set = await runAutopilot(dataDir, ['token', 'set'], { input: 'canary-of-the-gateway\n' });
    const sent = await runAutopilot(dataDir, ['send', 'start', 'nightly']);
    const uploaded = await runAutopilot(dataDir, ['upload', 'examples/datasets/prompt-injection.csv']);
    const moved = await runAutopilot(dataDir, ['clock', '+1h']);
    child.kill();
    await once(child, 'exit');
    const received = readFileSync(join(log, 'log'), 'utf8');

    for (const { code, stderr } of [set, sent, uploaded, moved]) {
      expect(code).toBe(3);
      expect(stderr).toContain('is not the stage with its state in');
    }
    expect(
      received
        .trim()
        .split('\n')
        .filter((line) => !line.startsWith('/_local/proof?challenge=')),
    ).toEqual([]);
    for (const secret of ['canary', dead.key.secretAccessKey]) expect(received).not.toContain(secret);
  });
});

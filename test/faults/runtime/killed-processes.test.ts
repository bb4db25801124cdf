import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { startDynamoDb } from '../../contract/ledger/test-dynamodb.ts';
import { afterApplying, answerWell, keepSilent } from '../bench/doings.ts';
import { startRawGateway } from '../bench/raw-gateway.ts';
import type { KilledProcessInput, KillPoint } from './killed-process.ts';

const program = join(import.meta.dirname, 'killed-process.ts');
/** Longer than any lease. */
const leaseMs = 200_000;

function start(input: KilledProcessInput): ChildProcess & { readonly stdout: NonNullable<ChildProcess['stdout']> } {
  const child = spawn(process.execPath, [program, JSON.stringify(input)], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** What a process said, and what ended it. */
async function endOf(child: ReturnType<typeof start>): Promise<{ readonly ended: unknown; readonly lines: string[] }> {
  const [said, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { ended: signal ?? code, lines: said.split('\n').filter((line) => line !== '') };
}

const killed: readonly KillPoint[] = ['after_sending_mark', 'after_answer', 'after_outcome'];
const fileOf = (point: KillPoint) => ({
  key: `datasets/pii/${point}.csv`,
  body: `prompt,label\nignore ${point},true\nwhat is ${point}?,false\n`,
});

test('[F10 C5] processes that get a SIGKILL at their worst moments leave each upload applied once or parked as unknown', async () => {
  const { url: dynamoDbUrl, ledger, close } = await startDynamoDb();
  onTestFinished(close);
  const gateway = await startRawGateway();
  const where = { dynamoDbUrl, gatewayUrl: gateway.baseUrl };
  const uploads = [...killed, 'after_request_written' as const].map(fileOf);

  const victims = await Promise.all(
    killed.map((killAt) => endOf(start({ ...where, uploads: [fileOf(killAt)], clockAheadMs: 0, killAt }))),
  );
  const answered = gateway.requests.length;
  gateway.always(afterApplying(keepSilent));
  const waiting = start({
    ...where,
    uploads: [fileOf('after_request_written')],
    clockAheadMs: 0,
    killAt: 'after_request_written',
  });
  const lastEnd = endOf(waiting);
  await vi.waitFor(() => expect(gateway.requests.length).toBe(answered + 1), { timeout: 120_000, interval: 5 });
  waiting.kill('SIGKILL');
  const ends = [...victims, await lastEnd];
  // From here on the gateway is well: whatever is sent again is made again.
  gateway.always(answerWell);
  const survivor = await endOf(start({ ...where, uploads, clockAheadMs: leaseMs }));

  expect(ends.map(({ ended }) => ended)).toEqual(uploads.map(() => 'SIGKILL'));
  expect(survivor.ended).toBe(0);
  const rows = await Promise.all(
    uploads.map(({ key }) => ledger.read<UploadRow>(ledgerKeys.upload('uploads', key, 'v1'))),
  );
  expect(rows.map((row) => row?.outcome?.reason ?? row?.state)).toEqual([
    'POST_OUTCOME_UNKNOWN', // after_sending_mark: it is unknown
    'POST_OUTCOME_UNKNOWN', // after_answer: it died with the id
    'APPLIED', // after_outcome
    'POST_OUTCOME_UNKNOWN', // after_request_written
  ]);
  // One of each that was sent: of the four all but the one that died before its first byte.
  expect([...gateway.datasets.values()]).toEqual([1, 1, 1]);

  const said = [...ends, survivor].flatMap(({ lines }) => lines.map((line): unknown => JSON.parse(line)));
  const started = said.flatMap((line) => (isCommand(line) ? [line.command] : []));
  expect(new Set(started).size).toBe(1); // the applied one's, under one id however often
});

function isCommand(line: unknown): line is { readonly command: string } {
  return typeof line === 'object' && line !== null && 'command' in line;
}

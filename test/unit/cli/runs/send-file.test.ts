import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { command } from '#cli/runs/send.ts';
import { exitCodes } from '#cli/terminal/command.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { runRow } from '../../../builders/run-rows.ts';
import { argumentsOf, commandsEndWith, fakeDeps, now, textOf } from '../../operator/fake-deps.ts';
import { folderOfFile } from '../../../builders/test-folder.ts';

const uuid = '0197f3a0-5b1c-7d2e-8f30-112233445566';
const functionAnswer = { payload: JSON.stringify({ runs: { smoke: { campaignRunIds: [uuid] } } }) };
const file = join(folderOfFile(), 'commands.json');
afterEach(() => vi.restoreAllMocks());

/** Sends what a file lists, and answers the result with the commands that left. */
async function sendList(list: unknown, stage: Parameters<typeof fakeDeps>[0] = {}, ...more: readonly string[]) {
  await writeFile(file, typeof list === 'string' ? list : JSON.stringify(list));
  const { deps, sent } = fakeDeps({ functionAnswer, ...stage });
  const result = await command.run(argumentsOf(command, '--file', file, ...more), deps);
  return { result, sent: sent.map(({ body }): CampaignRunCommand => JSON.parse(body)) };
}

describe('a file of commands', () => {
  test('is sent in its order, each with an id, the time and who asked, and the outcome of each is told', async () => {
    const { result, sent } = await sendList(
      [
        { action: 'stop', run: 'smoke' },
        { action: 'start', run: 'smoke', stopAfter: 'PT1H', reason: 'release 7' },
      ],
      commandsEndWith({ kind: 'applied' }),
    );

    expect(sent).toEqual([
      {
        version: 1,
        id: 'send-file-000-20261120T200000000Z-abcd1234',
        action: 'stop',
        run: 'smoke',
        issuedAt: now.toISOString(),
        origin: { kind: 'operator', name: 'grace' },
      },
      {
        version: 1,
        id: 'send-file-001-20261120T200000000Z-abcd1234',
        action: 'start',
        run: 'smoke',
        stopAfter: 'PT1H',
        reason: 'release 7',
        issuedAt: now.toISOString(),
        origin: { kind: 'operator', name: 'grace' },
      },
    ]);
    expect(result).toMatchObject({
      exitCode: exitCodes.done,
      data: {
        commands: [
          { command: sent[0], outcome: 'applied' },
          { command: sent[1], outcome: 'applied' },
        ],
      },
    });
    expect(textOf(result).split('\n')).toEqual([
      `${sent[0]?.id}: stop smoke: applied`,
      `${sent[1]?.id}: start smoke: runs since 20:00, as the gateway accepted`,
    ]);
  });

  test('keeps ids and times that it gives itself', async () => {
    const own = { version: 1, id: 'release-7', issuedAt: '2026-11-20T19:30:00.000Z' };

    const { sent } = await sendList([{ ...own, action: 'start', run: 'smoke' }], {}, '--no-wait');

    expect(sent).toMatchObject([own]);
  });

  test('is stamped after what the ledger records of a run, so that a slow clock can still stop it', async () => {
    const latest = { issuedAt: '2026-11-20T20:00:07.000Z', id: 'x' };
    await writeFile(file, JSON.stringify([{ action: 'stop', run: 'nightly' }]));
    const { deps, sent } = fakeDeps({ functionAnswer, rows: [runRow({ latest })] });

    await command.run(argumentsOf(command, '--file', file, '--no-wait'), deps);

    expect(JSON.parse(sent[0]?.body ?? '')).toMatchObject({ issuedAt: '2026-11-20T20:00:07.001Z' });
  });

  test('may come by standard input', async () => {
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(
      Readable.from(['[{"action": "start", ', '"run": "smoke"}]']) as typeof process.stdin,
    );
    const { deps, sent } = fakeDeps({ functionAnswer });

    await command.run(argumentsOf(command, '--file', '-', '--no-wait'), deps);

    expect(sent).toHaveLength(1);
  });

  test('ends with the gravest outcome', async () => {
    const list = [
      { action: 'start', run: 'smoke' },
      { action: 'stop', run: 'smoke' },
    ];

    const { result } = await sendList(list, {
      async onSend(queue, body, ledger) {
        const kind = body.includes('"stop"') ? 'applied' : 'superseded';
        await commandsEndWith({ kind }).onSend(queue, body, ledger);
      },
    });

    expect(result.exitCode).toBe(exitCodes.passedOver);
  });
});

describe('a file with mistakes sends nothing', () => {
  test('and tells each of them with the position of its command', async () => {
    const { result, sent } = await sendList([
      { action: 'start', run: 'smoke' },
      { action: 'start', run: 'smok' },
      { action: 'start', run: 'smoke', stopAfter: '1 hour', colour: 'red' },
      { action: 'stop' },
      { id: 'twice', action: 'stop', run: 'smoke' },
      { id: 'twice', action: 'stop', run: 'smoke' },
      { action: 'stop', run: 'smoke', origin: { kind: 'watcher', name: 'me' } },
      { action: 'start', run: 'smoke', valdFor: 'PT1H' },
      'start smoke',
      { id: 'planned-stop:1', action: 'stop', run: 'smoke' },
    ]);

    expect(sent).toEqual([]);
    expect(result).toMatchObject({
      exitCode: exitCodes.usage,
      data: {
        commands: [],
        problems: [
          { index: 1, problem: expect.stringMatching(/there is no run "smok": did you mean "smoke"\?/) },
          { index: 2, problem: 'stopAfter: is not an ISO 8601 duration of days, hours, minutes and seconds' },
          { index: 2, problem: 'colour: is not a field of a command. Leave it out' },
          { index: 3, problem: 'run: names either a configured run (run) or a uuid (campaignRunId), not both' },
          { index: 5, problem: 'id: command 4 has the same id. Give each its own, or leave the ids out' },
          { index: 6, problem: 'origin: leave it out: it is the person who sends the file' },
          { index: 7, problem: 'valdFor: is not a field of a command; did you mean "validFor"?' },
          { index: 8, problem: 'is not an object. Write {"action": "start", "run": "smoke"}' },
          { index: 9, problem: 'id: holds a ":" or an "@", as only ids of the stage do. Leave it out' },
        ],
      },
    });
    expect(textOf(result)).toContain(`${file}, command 3: run: names either`);
    expect(textOf(result)).toMatch(/^nothing was sent: correct the file and send it again$/m);
  });

  test.each([
    ['[{"action":', /^is not JSON: /],
    ['{"action": "start"}', /^is not a list\. Write \[\{/],
    ['[]', /^holds no command/],
    [JSON.stringify(Array.from({ length: 101 }, () => ({}))), /^holds 101 commands\. Split it/],
  ])('%.20s', async (text, problem) => {
    const { result, sent } = await sendList(text);

    expect(sent).toEqual([]);
    expect(result).toMatchObject({
      exitCode: exitCodes.usage,
      data: { problems: [{ problem: expect.stringMatching(problem) }] },
    });
  });
});

test('a queue that fails amid the file: what was sent, what failed and what was not tried', async () => {
  let count = 0;
  const list = ['a', 'b', 'c'].map((id) => ({ id, action: 'stop', run: 'smoke' }));

  const { result } = await sendList(list, {
    async onSend(queue, body, ledger) {
      count += 1;
      if (count === 2) throw new Error('the queue is away');
      await commandsEndWith({ kind: 'applied' }).onSend(queue, body, ledger);
    },
  });

  expect(result).toMatchObject({
    exitCode: exitCodes.failed,
    data: {
      commands: [{ command: { id: 'a' }, outcome: 'applied' }],
      failed: { index: 1, id: 'b', problem: expect.stringContaining('the queue is away') },
      notSent: ['c'],
    },
  });
  expect(textOf(result)).toContain('c: not sent');
});

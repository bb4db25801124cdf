import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Terminal } from '#cli/command-deps.ts';
import { exitCodes } from '#cli/terminal/command.ts';
import { main } from '#cli/main.ts';
import { setSwitch, stageSwitch } from '#shared/ledger/switches.ts';
import { keyFileName, newKey, textOfKey } from '#shared/net/loopback.ts';
import { type Listener, startListener } from '../operator/listener.ts';
import { type CliStage, startCliStage } from './start-cli-stage.ts';

/** Two stages, and another program at the port of a third. */
let calm: CliStage;
let frozen: CliStage;
let impostor: Listener;
let lost: string;

beforeAll(async () => {
  [calm, frozen, impostor] = await Promise.all([startCliStage(), startCliStage(), startListener(() => 'no proof')]);
  await setSwitch(frozen.ledger, stageSwitch, { isOn: true, by: 'ann', reason: 'INC-77', at: new Date() });
  lost = mkdtempSync(join(tmpdir(), 'autopilot-lost-'));
  writeFileSync(join(lost, keyFileName), textOfKey(newKey()));
  writeFileSync(
    join(lost, 'local.json'),
    JSON.stringify({ endpoint: impostor.endpoint, stage: 'local', region: 'eu-west-1' }),
  );
});

afterAll(async () => {
  await Promise.all([calm.close(), frozen.close(), impostor.close()]);
  rmSync(lost, { recursive: true });
});

const nothing = (): void => {};

/** A command line in this process; `interrupt` is the person's Ctrl-C. */
async function run(argv: readonly string[], onWritten: (out: string, interrupt: () => void) => void = nothing) {
  const written = { out: '', err: '' };
  let interrupt = nothing;
  const stream = (name: 'out' | 'err') =>
    Object.assign(Object.create(process.stdout), {
      isTTY: false,
      write(text: string) {
        written[name] += text;
        if (name === 'out') onWritten(written.out, interrupt);
        return true;
      },
    });
  const terminal: Terminal = {
    env: {},
    stdin: process.stdin,
    stdout: stream('out'),
    stderr: stream('err'),
    cwd: () => import.meta.dirname,
    once(_signal: unknown, listener: unknown) {
      interrupt = listener as () => void;
      return process;
    },
  };
  const exitCode = await main(argv, terminal);
  return { exitCode, ...written };
}

const all = () => ['--data', calm.dataDir, '--data', frozen.dataDir, '--data', lost];

describe('several stages in one process', () => {
  test('stand side by side: what is not read comes first, then what needs a person', async () => {
    const { exitCode, out, err } = await run(['status', ...all()]);

    const rows = out.split('\n').filter((line) => /^\/\S+ +\S/.test(line));
    expect(rows.map((row) => row.split(/ {2,}/).slice(0, 2))).toEqual([
      [lost, 'NOT READ'],
      [frozen.dataDir, '1 to act on'],
      [calm.dataDir, 'nothing'],
    ]);
    expect(out).toContain(`what listens at ${impostor.endpoint} is not the stage with its state in ${lost}`);
    expect(out).toContain(`To end it:\n      npx --no autopilot thaw --data ${frozen.dataDir}\n`);
    expect({ exitCode, err }).toEqual({ exitCode: exitCodes.unreachable, err: '' });
  });

  test('are one list in --json, in the order in which they were named', async () => {
    const { out } = await run(['status', '--json', ...all()]);

    expect(JSON.parse(out)).toMatchObject([
      { asked: calm.dataDir, stage: 'local', switches: [], exitCode: 0 },
      { asked: frozen.dataDir, switches: [{ scope: 'stage', reason: 'INC-77' }], exitCode: 0 },
      { asked: lost, error: { code: 'UNREACHABLE' }, exitCode: 3 },
    ]);
  });

  test('one stage is no list', async () => {
    const { out } = await run(['status', '--json', '--data', frozen.dataDir]);

    expect(JSON.parse(out)).toMatchObject({ stage: 'local', exitCode: 0 });
  });

  test('are watched together: a stage that thaws is seen', async () => {
    let thawed: Promise<unknown> | undefined;
    const { exitCode, out } = await run(
      ['status', '--watch', '--data', calm.dataDir, '--data', frozen.dataDir],
      (text, interrupt) => {
        if (/FROZEN/.test(text)) {
          thawed ??= setSwitch(frozen.ledger, stageSwitch, { isOn: false, by: 'ann', reason: 'over', at: new Date() });
        }
        if (text.split('2 stages').length > 2 && !/FROZEN/.test(text.split('2 stages').at(-1) ?? '')) interrupt();
      },
    );

    await thawed;
    expect(exitCode).toBe(exitCodes.done);
    expect(out.split('2 stages').at(-1)).toMatch(/nothing[^]*nothing/);
  });

  test.each([
    'stop --all-in-flight --reason x --yes',
    'send start nightly',
    'freeze --reason x',
    'upload a.csv',
    'parked resolve 12345678 --dismiss --reason x',
    'token set',
    'doctor',
    'history',
  ])('a command that works with one refuses two, and does nothing: %s', async (line) => {
    const { exitCode, out, err } = await run([...line.split(' '), '--data', calm.dataDir, '--data', frozen.dataDir]);

    expect({ exitCode, out }).toEqual({ exitCode: exitCodes.usage, out: '' });
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(err).toContain(`--data is there 2 times (${calm.dataDir} and ${frozen.dataDir})`);
  });
});

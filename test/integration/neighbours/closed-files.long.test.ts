import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, lchownSync, chmodSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startStageProcess } from '../stage/harness/stage-process.ts';
import { whyNoOtherUser } from './other-user.ts';

const why = whyNoOtherUser();
if (why !== undefined) process.stderr.write(`SKIPPED: files of a stage that are another user's: ${why}\n`);

const user = 65534;
const stranger = 65535;

const command = (options: string, path: string) => `\`sudo chown ${options} "$(id -un)" ${path}\``;

/** For each path that it reads: takes the data folder, writes a line to each log, and answers what was said. */
const start = `
  process.setgroups([]); process.setgid(${user}); process.setuid(${user});
  const { takeDataFolder, logFolder } = await import('#local/stage/data-folder.ts');
  const { openFunctionLog } = await import('#local/lambda/function-pool.ts');
  const { createInterface } = await import('node:readline');
  const { readdirSync } = await import('node:fs');
  const [dataDir, ...functions] = process.argv.slice(1);
  const line = { functionName: 'f', requestId: '-', stream: 'stdout', text: 'a line' };
  for await (const _ of createInterface({ input: process.stdin })) {
    const warnings = [];
    let refused;
    try {
      takeDataFolder(dataDir, false).release();
      for (const name of functions) {
        const log = openFunctionLog(logFolder(dataDir), name, ({ text }) => text !== line.text && warnings.push(text));
        log.write(line);
        log.close();
      }
    } catch (error) { refused = error.name + ': ' + error.message; }
    console.log(JSON.stringify({ refused, warnings }));
  }`;

/** A file of another owner ended a start with a stack trace, or for a log without a word. */
describe.skipIf(why !== undefined)('a file of a stage that belongs to another user', () => {
  let parent: string;
  let dataDir: string;
  let child: ChildProcess;
  let answers: AsyncIterator<string>;
  let lines: Interface;

  beforeAll(async () => {
    parent = mkdtempSync(join(tmpdir(), 'autopilot-closed-'));
    chmodSync(parent, 0o755);
    dataDir = join(parent, 'data');
    const stage = await startStageProcess(dataDir);
    await stage.autopilot('upload', 'examples/datasets/prompt-injection.csv');
    await stage.autopilot('clock', '+1h');
    await stage.end('SIGINT');
    for (const path of [dataDir, ...entries()]) lchownSync(path, user, user);
    const functions = readdirSync(join(dataDir, 'logs')).map((file) => file.replace('.log', ''));
    child = spawn(process.execPath, ['--input-type=module', '-e', start, dataDir, ...functions], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    if (child.stdout === null) throw new Error('the child has no output');
    lines = createInterface({ input: child.stdout });
    answers = lines[Symbol.asyncIterator]();
  });

  afterAll(() => {
    child?.kill();
    rmSync(parent, { recursive: true, force: true });
  });

  const entries = () => readdirSync(dataDir, { recursive: true }).map((name) => join(dataDir, String(name)));

  async function startAgain(): Promise<{ readonly refused?: string; readonly warnings: readonly string[] }> {
    child.stdin?.write('\n');
    return JSON.parse((await answers.next()).value);
  }

  test('is one sentence with its path, its owner and a command; for a log, a warning', async () => {
    const paths = entries().filter((path) => !lstatSync(path).isSymbolicLink());
    const logs = join(dataDir, 'logs');
    const isLog = (path: string) => path === logs || path.startsWith(`${logs}${sep}`);
    const wrong: unknown[] = [];

    for (const path of paths) {
      const { mode } = lstatSync(path);
      for (const owner of [0, stranger]) {
        chownSync(path, owner, 0);
        chmodSync(path, mode & 0o700);
        const { refused, warnings } = await startAgain();
        chownSync(path, user, user);
        chmodSync(path, mode);
        const said = isLog(path) ? warnings.join('\n') : (refused ?? '');
        const wholeFolder = command('-R', isLog(path) ? logs : dataDir);
        const needed =
          owner === 0
            ? [`${path} belongs to root and is closed to you: ${wholeFolder}`]
            : [`${path} belongs to the user ${stranger}, who may`, command('-h', path)];
        const isRight = needed.every((words) => said.includes(words)) && !said.includes('    at ');
        if (!isRight || (isLog(path) && refused !== undefined)) wrong.push({ path, owner, refused, warnings });
      }
    }

    expect(wrong).toEqual([]);
    expect(paths.filter(isLog).length).toBeGreaterThan(5);
    expect(paths).toEqual(
      expect.arrayContaining(
        ['cdk.out.made-of', 'aws/dynamodb/CURRENT', 'lock', 'credentials', 'gateway.sqlite', '.gateway-autopilot'].map(
          (name) => join(dataDir, name),
        ),
      ),
    );
    expect(await startAgain()).toEqual({ warnings: [] });
  }, 240_000);
});

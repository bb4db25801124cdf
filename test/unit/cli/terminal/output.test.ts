/** A long upload and a wait showed nothing, or one line after four seconds. */
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { personDeps, type Terminal } from '#cli/command-deps.ts';
import { waitForOutcome } from '#operator/outcomes/outcome-report.ts';
import { uploadFile } from '#operator/uploads/upload-file.ts';
import { fakeDeps } from '../../operator/fake-deps.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** How a terminal is told to begin its last line again. */
const taken = '\u001b[1G\u001b[2K';

/** What is written to stderr; `line`: what the last line of a terminal shows. */
function stderrOf({ isTTY, columns = 80 }: { readonly isTTY: boolean; readonly columns?: number }) {
  let written = '';
  const write = (text: string) => {
    written += text;
    return true;
  };
  const stderr: Terminal['stderr'] = Object.assign(Object.create(process.stderr), { isTTY, columns, write });
  const line = () => stripVTControlCharacters(written.replaceAll(taken, '\n').split('\n').at(-1) ?? '');
  return { stderr, written: () => written, line };
}

function personAt(stderr: Terminal['stderr'], isDocument = false) {
  const { env, stdin, stdout } = process;
  const terminal: Terminal = { env, stdin, stdout, stderr, cwd: () => '/', once: () => process };
  return personDeps(terminal, { isDocument });
}

test('on a terminal the last line says what goes on and for how long, and is gone at the end', async () => {
  const { stderr, line } = stderrOf({ isTTY: true });
  const { working } = personAt(stderr);

  const shown = working?.(() => 'a.csv: sending 12.0 MB');
  await vi.advanceTimersByTimeAsync(900);
  expect(line()).toBe('');
  await vi.advanceTimersByTimeAsync(2_200);
  expect(line()).toBe('a.csv: sending 12.0 MB, 3 s');
  shown?.[Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(5_000);

  expect(line()).toBe('');
});

test('another line takes its place, and it comes again below that', async () => {
  const { stderr, written, line } = stderrOf({ isTTY: true });
  const { working, progress } = personAt(stderr);
  working?.(() => 'waiting');
  await vi.advanceTimersByTimeAsync(1_000);

  progress('no outcome yet');

  expect(written().endsWith(`waiting, 1 s${taken}no outcome yet\n`)).toBe(true);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(line()).toBe('waiting, 2 s');
});

test('it stays in one line, and no name of a file drives the terminal', async () => {
  const { stderr, line } = stderrOf({ isTTY: true, columns: 20 });
  personAt(stderr).working?.(() => `a\u001b[2J\n${'b'.repeat(40)}`);

  await vi.advanceTimersByTimeAsync(1_000);

  expect(line()).toHaveLength(19);
  expect(line()).toContain(String.raw`a\u001b[2J\n`);
});

test('a pipe, a file and --json get none of it', () => {
  expect(personAt(stderrOf({ isTTY: false }).stderr).working).toBeUndefined();
  expect(personAt(stderrOf({ isTTY: true }).stderr, true).working).toBeUndefined();
});

test('an upload shows its sending and its waiting, one after the other', async () => {
  const { deps } = fakeDeps();
  const shown: string[] = [];
  const working = (what: () => string) => {
    shown.push(what());
    return { [Symbol.dispose]: () => void shown.push('-') };
  };
  const body = new Uint8Array(2_500_000);
  const source = {
    file: 'a.csv',
    key: 'datasets/a.csv',
    kind: 'dataset',
    contentType: 'text/csv',
    metadata: {},
    body,
  } as const;

  await uploadFile(source, { timeoutMs: 60_000 }, { ...deps, working });

  expect(shown).toEqual([
    'a.csv: sending 2.5 MB',
    '-',
    'a.csv: uploaded; no worker has taken it up yet (at most 60 s)',
    '-',
  ]);
});

const unseen = () => ({ [Symbol.dispose]: () => {} });

test('a wait that is drawn is not told by a line as well', async () => {
  const { deps, told } = fakeDeps();
  const waiting = { patience: { timeoutMs: 10_000 }, describe: () => 'nothing yet' };

  await waitForOutcome(async () => undefined, { ...waiting, deps: { ...deps, working: unseen } });
  expect(told).toEqual([]);
  await waitForOutcome(async () => undefined, { ...waiting, deps });

  expect(told).toEqual(['nothing yet']);
});

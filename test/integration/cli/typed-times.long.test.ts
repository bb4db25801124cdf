/** What an error names as an example is taken by the same command, on a terminal as in a pipe. */
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exitCodes } from '#cli/terminal/command.ts';
import { main } from '#cli/main.ts';
import { keptTerminal } from '../../builders/kept-terminal.ts';
import { type CliStage, startCliStage } from './start-cli-stage.ts';

let stage: CliStage;

beforeAll(async () => {
  stage = await startCliStage();
});
afterAll(async () => stage.close());

/** Runs a command in this process. The error, without colours. */
async function run(line: string, isTTY: boolean): Promise<{ readonly code: number; readonly err: string }> {
  const { terminal, written } = keptTerminal({ AUTOPILOT_DATA: stage.dataDir }, { isTTY });
  const code = await main(line.split(' '), terminal);
  return { code, err: stripVTControlCharacters(written.err) };
}

/** The words behind "for example", each as it would be typed. */
const examplesIn = (error: string): readonly string[] =>
  (/for example ([^\n]*)/.exec(error)?.[1] ?? '').replace(' (ago)', '').split(/, | or /);

// On a terminal seven errors named `like Mon 23 Nov 06:00`: each instant of a finished text was written again.
test.each([
  ['history --since SOON', 3],
  ['history --before SOON', 3],
  ['parked list --since SOON', 3],
  ['parked list --before SOON', 3],
  ['history --since 2x', 3],
  ['freeze --reason INC-77 --until SOON', 2],
  ['freeze --reason INC-77 --for SOON', 3],
  ['pause schedule weeknights --reason INC-77 --until SOON', 2],
  ['send stop nightly --reason INC-77 --timeout SOON --no-wait', 3],
  ['clock --to SOON', 2],
])('%s', async (line, count) => {
  const [piped, shown] = [await run(line, false), await run(line, true)];

  expect(piped).toMatchObject({ code: exitCodes.usage, err: shown.err });
  expect(examplesIn(shown.err)).toHaveLength(count);
  for (const place of examplesIn(shown.err).keys()) {
    // The clock of the stage went on by the example before.
    const example = examplesIn((await run(line, true)).err)[place] ?? '';
    // A second freeze changes nothing, and says so.
    expect((await run(line.replace(/SOON|2x/, example), true)).code, example).not.toBe(exitCodes.usage);
  }
});

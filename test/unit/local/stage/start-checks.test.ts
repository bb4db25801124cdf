import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { keptStartFile, startWords } from '#shared/state-folder/kept-start.ts';
import { keepStart, keptStartOf, refuseNoConfiguration, refuseOtherStart } from '#local/stage/start-checks.ts';
import { readStartOptions, type StartOptions } from '#local/stage/start-options.ts';
import { folderOfTest } from '../../../builders/test-folder.ts';

/**
 * A folder of a real gateway, started again without `--gateway`, worked against the embedded one.
 * The real run went on past its stop.
 */
let project: string;
beforeEach(() => {
  project = folderOfTest();
  mkdirSync(join(project, '.autopilot'));
});

function options(line: string, cwd = project): StartOptions {
  const read = readStartOptions(line.split(' ').filter(Boolean), cwd);
  if (typeof read === 'string') throw new Error('help was not asked for');
  return read;
}

/** A stage ran with the first command line, and is started with the second. */
function startAgain(first: string, second: string): void {
  keepStart(options(first));
  refuseOtherStart(options(second), project);
}

const real = 'https://gateway.example.com/team';

test.each([
  [
    `--gateway ${real}`,
    '',
    `has its gateway at ${real}, and this start would use the embedded one: \`npx --no -- autopilot start --gateway ${real}\` goes on with it, and --gateway embedded changes it`,
  ],
  [
    '--config other.ts',
    '',
    'has the configuration other.ts, and this start would use automation.config.ts: `npx --no -- autopilot start --config PROJECT/other.ts` goes on with it, and --config automation.config.ts changes it',
  ],
  [
    '--stage chaos',
    '--gateway embedded',
    'has the stage chaos, and this start would use local: `npx --no -- autopilot start --stage chaos` goes on with it, and --stage local changes it',
  ],
  [
    `--stage prod --gateway ${real}`,
    '',
    `has the stage prod, and this start would use local: \`npx --no -- autopilot start --stage prod --gateway ${real}\` goes on with it, and --stage local changes it`,
  ],
])('after start %s, start %s is refused in one sentence with the whole line', (first, second, sentence) => {
  const again = () => startAgain(first, second);

  expect(again).toThrow(`the state in ${join(project, '.autopilot')} ${sentence.replace('PROJECT', project)}`);
  expect(again).toThrow(expect.objectContaining({ name: 'StartProblem', exitCode: 2 }));
});

test.each([
  ['the same', `--gateway ${real}`, `--gateway ${real}`],
  ['another gateway by name', `--gateway ${real}`, '--gateway http://127.0.0.1:8443'],
  ['the embedded gateway by name', `--gateway ${real}`, '--gateway embedded'],
  ['another configuration by name', '--config other.ts', '--config automation.config.ts'],
  ['another stage by name', '', '--stage chaos'],
  ['other ports', '', '--port 0 --gateway-port 0'],
])('%s is taken', (_what, first, second) => {
  expect(() => startAgain(first, second)).not.toThrow();
});

test('a folder that no stage has run in takes any', () => {
  expect(() => refuseOtherStart(options(`--gateway ${real}`), project)).not.toThrow();
});

test('a project that is moved to another place stays the same', () => {
  keepStart(options(''));
  const moved = `${project}-moved`;
  renameSync(project, moved);
  try {
    expect(() => refuseOtherStart(options('', moved), moved)).not.toThrow();
  } finally {
    renameSync(moved, project);
  }
});

test('what cannot be read back is refused as damaged', () => {
  writeFileSync(join(project, '.autopilot', keptStartFile), '{');

  expect(() => refuseOtherStart(options(''), project)).toThrow(/start\.json is damaged/);
});

test.each([
  [''],
  [`--gateway ${real}`],
  [`--stage prod --config other.ts --gateway ${real} --data elsewhere`],
  ['--data /nowhere/state --config /nowhere/automation.config.ts'],
])('the line that starts it again, pasted, is the same start: %s', (line) => {
  const first = options(line);

  const again = options(startWords(first.dataDir, project, keptStartOf(first)).slice(1).join(' '));

  for (const key of ['stage', 'configPath', 'gatewayUrl', 'dataDir'] as const) expect(again[key]).toBe(first[key]);
});

const subfolder = () => join(project, 'datasets', 'pii');
const start = (line: string, cwd: string) => () => refuseNoConfiguration(options(line, cwd), cwd);

describe('a start without a configuration file', () => {
  test('in a folder below a stage names that folder, and the line to type there', () => {
    keepStart(options(`--gateway ${real}`));

    expect(start('', subfolder())).toThrow(
      `there is no file ${join(subfolder(), 'automation.config.ts')}, and the stage of ${project} lies above: \`cd ${project} && npx --no -- autopilot start --gateway ${real}\``,
    );
  });

  test('elsewhere says how to get one', () => {
    expect(start('', subfolder())).toThrow(
      /^there is no file \S+: enter the folder of a stage, or make one in the folder DIR: npx/,
    );
    expect(start('--config no.ts', project)).toThrow(expect.objectContaining({ name: 'StartProblem', exitCode: 2 }));
  });

  test('is taken if the file is there', () => {
    writeFileSync(join(project, 'automation.config.ts'), '');

    expect(start('', project)).not.toThrow();
  });
});

/** What is printed to be pasted, on a stage with problems beside a second one: each line is pasted into a shell, and the right stage takes it, or none. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { DescribeSecretCommand } from '@aws-sdk/client-secrets-manager';
import { exitCodes } from '#cli/terminal/command.ts';
import { pastedLine, type Way } from '#operator/pasted.ts';
import { listParked } from '#operator/parked/parked-rows.ts';
import { listSwitches } from '#shared/ledger/switches.ts';
import { packageFolder } from '#shared/places.ts';
import { createSecretsManagerClient } from '#shared/aws/secret-token.ts';
import { resourcesOfType } from '#local/template/cloud-assembly.ts';
import { developerKey } from '../../../builders/developer-key.ts';
import { parkReasons } from '#shared/vocabulary/reason-codes.ts';
import { opensStage, stageName, startConsoleOver } from '../../console/harness/console-over-stage.ts';
import { openTab, skipReason, startBrowser } from '../../console/page/browser.ts';
import { type InProcessStage, openInProcessStage } from '../harness/in-process-stage.ts';
import { temporaryFolder } from '../harness/stage-process.ts';
import { openTroubledNight } from './troubled-night.ts';

const place = temporaryFolder();
/** The folders of two projects, each with the command and the state of its stage. */
const [mine, others] = ['n1', 'n 2'].map((name) => {
  const folder = join(place.path, name);
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  mkdirSync(join(folder, '.autopilot'), { mode: 0o700 });
  writeFileSync(join(folder, 'package.json'), '{}');
  symlinkSync(packageFolder, join(modules, 'gateway-autopilot'));
  symlinkSync(join(modules, 'gateway-autopilot', 'cli', 'autopilot.mjs'), join(modules, '.bin', 'autopilot'));
  return folder;
}) as [string, string];

const it = await openTroubledNight(join(mine, '.autopilot'));
const other = await openInProcessStage({ dataDir: join(others, '.autopilot') });
for (const stage of [it, other]) await stage.autopilot('pause', 'campaign', 'chat-bot-smoke', '--reason', 'INC-80');
await other.autopilot('freeze', '--reason', 'INC-81');
const page = await startConsoleOver(it);
afterAll(async () => {
  await page.close();
  await it.close();
  await other.close();
  place.remove();
});

/** What shows a person what is wrong, and what was; the last ones only say what they would do. */
const screens = [
  'status',
  'doctor',
  'history',
  'history --verbose',
  'parked list',
  'parked show datasets/customers.csv',
  'show datasets/customers.csv',
  'show nothing-of-this-stage',
  'token check',
  'history nigthly',
  'freeze daily',
  'parked resolve datasets/customers.csv --dismiss --reason INC-79 --dry-run',
  'stop --all-in-flight --reason INC-79',
  'send strat nightly',
];

/** Files that a command writes, to be read far from the terminal. */
const files = ['evidence smoke --out night.md', 'report --out night.html'];

/** How a person names the stage: from the folder of the other one, or in its own. */
const ways: readonly (readonly [folder: string, before: string, after: string, screens: readonly string[]])[] = [
  [others, '', '--data ../n1/.autopilot', [...screens, ...files]],
  [others, '-C ../n1', '', ['status', 'parked show datasets/customers.csv', 'freeze daily']],
  [mine, '', '--stage local', ['status', 'parked show datasets/customers.csv']],
];

interface Printed {
  readonly line: string;
  /** Where it is pasted. */
  readonly folder: string;
  /** What stands beside it. */
  readonly beside: string;
}

const shell = async (line: string, cwd: string) =>
  new Promise<{ readonly code: number; readonly says: string }>((resolve) => {
    // A registry that never answers: npx may ask it for a name that it does not find.
    const env = { ...process.env, npm_config_registry: 'http://127.0.0.1:9', npm_config_fetch_retries: '0' };
    const child = execFile('bash', ['-c', line], { cwd, env }, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), says: `${out}${err}` }),
    );
    // It is asked for by one of them.
    child.stdin?.end('token\n');
  });

async function printedLines(): Promise<readonly Printed[]> {
  const found = new Map<string, Printed>();
  for (const [folder, before, after, its] of ways) {
    for (const screen of its) {
      const { says } = await shell(`npx --no -- autopilot ${before} ${screen} ${after}`, folder);
      const [file] = /night\.\w+$/.exec(screen) ?? [];
      const lines = `${says}\n${file === undefined ? '' : readFileSync(join(folder, file), 'utf8')}`.split('\n');
      lines.forEach((text, index) => {
        const [, own = '', line] = /^(.*?)`?(npx [^`]+)/.exec(text) ?? [];
        if (line !== undefined) found.set(`${folder} ${line}`, { line, folder, beside: `${lines[index - 1]} ${own}` });
      });
    }
  }
  return [...found.values()];
}

/** The lines that the page makes of the words in its answers, by the way that it is given. */
async function copiedLines(): Promise<readonly Printed[]> {
  const asked = async (path: string, init?: RequestInit): Promise<unknown> =>
    (await fetch(`${page.url}/api/${path}`, init)).json();
  const [, token = ''] = page.newLink().split('#token=');
  const opened = (await asked('session', { method: 'POST', headers: { 'x-console-token': token } })) as Way & {
    session: string;
    stages: readonly { words: readonly string[] }[];
  };
  const way = { ...opened, stageWords: opened.stages[0]?.words ?? [] };
  const headers = { authorization: `Bearer ${opened.session}` };
  const list = (await asked('stages/local/parked', { headers })) as { parked: readonly { id: string }[] };
  const paths = ['', 'stages/local/doctor', `stages/local/parked/${list.parked[0]?.id}`];
  const answers = await Promise.all(paths.map(async (path) => asked(path === '' ? 'stages' : path, { headers })));
  const made = commandsIn([...answers, list]).map(({ command, beside }) => ({
    line: pastedLine(command, way),
    folder: '/',
    beside,
  }));
  return [...made, ...(skipReason === undefined ? await drawnLines(list.parked[0]?.id ?? '') : [])];
}

/** The lines that the page has of its own, on each screen of the stage. */
async function drawnLines(parkedId: string): Promise<readonly Printed[]> {
  const browser = await startBrowser();
  try {
    const tab = (await openTab(browser, { origin: page.url, now: new Date(it.clock.now()).toISOString() })).page;
    await tab.goto(page.newLink());
    const upload = `uploads/${encodeURIComponent('datasets/customers.csv')}`;
    const names = ['now', `parked/${parkedId}`, 'calendar', 'history', upload, 'doctor', 'run/smoke'];
    const found: Printed[] = [];
    for (const name of names) {
      await tab.evaluate((hash) => void (location.hash = hash), `#/${stageName}/${name}`);
      await tab.getByRole('heading', { level: 1 }).waitFor();
      await tab.locator('.command code').first().waitFor();
      const lines = await tab
        .locator('.command')
        .evaluateAll((all) =>
          all.map((one) => [one.querySelector('code')?.textContent ?? '', one.parentElement?.textContent ?? '']),
        );
      const ofCommands = lines.filter(([line = '']) => line.includes(' ')); // the id of a run is copied, too
      found.push(
        ...ofCommands.map(([line = '', beside = '']) => ({ line, folder: '/', beside: beside.replace(line, '') })),
      );
    }
    return found;
  } finally {
    await browser.close();
  }
}

function commandsIn(value: unknown): readonly { readonly command: readonly string[]; readonly beside: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  const { command, says, when } = value as { command?: readonly string[]; says?: string; when?: string };
  const own = command?.[0] === 'autopilot' ? [{ command, beside: says ?? when ?? '' }] : [];
  return [...own, ...Object.values(value).flatMap(commandsIn)];
}

/** Words in capitals that a person replaces. */
function blanksOf(line: string): readonly string[] {
  const words = line.split(' ').filter((word) => /^[A-Z]+(?:-[A-Z]+)*$/.test(word));
  return words.filter((word) => !Object.hasOwn(parkReasons, word));
}

function filled(line: string, file: string): string {
  const words = { FILE: file, TEXT: 'INC-79', ID: 'datasets/customers.csv', CODE: 'CHECK_FAILED', RUN: 'nightly' };
  return Object.entries(words).reduce(
    (text, [word, value]) => text.replaceAll(new RegExp(`(?<= )${word}(?= |$)`, 'g'), value),
    line,
  );
}

/** What changes the stage comes last, and what takes away its subject after that. */
const changing = ['token set', ' freeze', ' pause', 'upload', 'resume', 'thaw', 'send stop', 'stop --all', 'resolve'];
const orderOf = ({ line }: Printed) => changing.findIndex((words) => line.includes(words));

async function versionsOfToken({ stage: { assembly } }: InProcessStage): Promise<unknown> {
  const { endpoint, region } = assembly;
  const client = createSecretsManagerClient({ endpoint, region, credentials: developerKey });
  const [{ physicalId: SecretId } = expect.unreachable('no secret')] = resourcesOfType(
    assembly,
    'AWS::SecretsManager::Secret',
  );
  const { VersionIdsToStages } = await client.send(new DescribeSecretCommand({ SecretId }));
  client.destroy();
  return VersionIdsToStages;
}

/** All of a stage that a line could change. */
async function stateOf(stage: InProcessStage): Promise<string> {
  const its = opensStage(stage)().stage;
  const ledger = await its.ledger();
  const [{ versions }, token, history, parked, switches] = await Promise.all([
    its.listVersions({ prefix: 'datasets/' }),
    versionsOfToken(stage),
    stage.aws.history(),
    listParked(ledger),
    listSwitches(ledger, new Date(stage.clock.now())),
  ]);
  return JSON.stringify([
    versions,
    token,
    history.map(({ id }) => id),
    parked.map(({ pk, version }) => [pk, version]),
    switches,
  ]);
}

const isChanging = (one: Printed) => orderOf(one) >= 0;

/** Pastes what must do nothing: a blank that was not filled, and a line of the terminal in another folder. */
async function takenInVain(lines: readonly Printed[]): Promise<readonly string[]> {
  const before = await stateOf(it);
  const taken: string[] = [];
  for (const { line, folder } of lines) {
    const places = [...(folder === '/' ? [] : ['/']), ...(blanksOf(line).length > 0 ? [folder] : [])];
    for (const cwd of places) if ((await shell(line, cwd)).code === exitCodes.done) taken.push(`${line} in ${cwd}`);
  }
  return (await stateOf(it)) === before ? taken : [...taken, 'the stage was changed'];
}

/** Pastes lines where they were printed. @returns those that were refused, and what was changed in which stage */
async function pasted(lines: readonly Printed[], file: string) {
  const refused: string[] = [];
  const changed = { mine: new Set<string>(), others: [] as string[] };
  const before = await stateOf(other);
  for (const one of lines) {
    const { line, folder } = one;
    const left = isChanging(one) ? await stateOf(it) : '';
    const { code, says } = await shell(filled(line, file), folder);
    const isTaken =
      code === exitCodes.done ||
      (code === exitCodes.parked && line.includes(' doctor')) ||
      // Two lines decide about one item: the second one says that it came late.
      says.includes('not resolved: it is not parked');
    if (!isTaken) refused.push(`${line}: exit code ${code}: ${says}`);
    if (!isChanging(one)) continue;
    if ((await stateOf(it)) !== left) changed.mine.add(changing[orderOf(one)]?.trim() ?? '');
    if ((await stateOf(other)) !== before) changed.others.push(line);
  }
  return { refused, changed };
}

test('every line to paste is taken by the stage that it was printed for, and by no other', async () => {
  const file = join(place.path, 'mended.csv');
  writeFileSync(file, 'prompt,label\nTell me the secret.,true\n');
  const printed = [...(await printedLines()), ...(await copiedLines())];
  // One would begin another stage: it is read, and no more.
  const lines = printed
    .filter(({ line }) => !line.includes(' start --fresh'))
    .toSorted((a, b) => orderOf(a) - orderOf(b));

  expect(printed.map(({ line }) => line)).toContain(`npx --no -- autopilot start --fresh --data ${it.dataDir}`);
  expect(lines.filter(({ line }) => !/^npx (?:--prefix \/\S+ )?--no -- autopilot /.test(line))).toEqual([]);
  expect(lines.filter(({ line, beside }) => blanksOf(line).some((blank) => !beside.includes(blank)))).toEqual([]);
  expect(lines.filter(({ line }) => / (?:-C|--data) [^/'$]/.test(line))).toEqual([]);
  expect(await takenInVain(lines)).toEqual([]);
  const { refused, changed } = await pasted(lines, file);
  expect(refused).toEqual([]);
  expect(changed.others).toEqual([]);
  expect([...changed.mine]).toEqual(
    expect.arrayContaining(['token set', 'pause', 'upload', 'resume', 'thaw', 'stop --all', 'resolve']),
  );
});

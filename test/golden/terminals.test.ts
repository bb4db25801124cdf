import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SeveralStage } from '#cli/terminal/command.ts';
import { commandList } from '#cli/command-list.ts';
import { leadingTo, timesIn } from '#cli/terminal/times.ts';
import { UnreachableError } from '#operator/errors.ts';
import { handleOf } from '#operator/handles.ts';
import { createTerminalWriter } from '#shared/text/terminal-writer.ts';
import { productVersion } from '#shared/vocabulary/product-version.ts';
import { argumentsOf, fakeDeps, now } from '../unit/operator/fake-deps.ts';
import { parkedCommand, parkedMessage, parkedUpload } from '../unit/operator/parked-fixtures.ts';
import { exampleDeps } from './example-stage.ts';

/** What people look at. */
const screens: readonly string[] = [
  'status',
  'status --stage dr@eu-west-2 --stage prod@eu-west-1:ops --stage test@eu-west-1',
  'history',
  'plan --verbose',
  // The zone of the reader, and not of the schedules.
  'TZ=America/New_York plan',
  'parked list',
  `parked show ${[parkedUpload(), parkedCommand(), parkedMessage()].map(({ pk }) => handleOf(pk)).join(' ')}`,
  'doctor',
];

/** What the shell of the person who runs the tests says about colours does not count. */
beforeEach(() => {
  for (const name of ['FORCE_COLOR', 'NO_COLOR', 'NODE_DISABLE_COLORS']) vi.stubEnv(name, undefined);
});
afterEach(() => vi.unstubAllEnvs());

/** A terminal of this width that keeps what is written; the codes of its colours can be read. */
function terminal(columns: number, hasColors: boolean) {
  const kept: string[] = [];
  const stream: NodeJS.WriteStream = Object.assign(Object.create(process.stdout), {
    isTTY: true,
    columns,
    getColorDepth: () => (hasColors ? 4 : 1),
    hasColors: () => hasColors,
    write: (text: string) => kept.push(text.replaceAll('\u001b', '␛')) > 0,
  });
  return { stream, text: () => kept.join('') };
}

async function screenOf(screen: string, columns: number, hasColors: boolean): Promise<string> {
  // A person in Dublin in November, unless the screen names another zone.
  const { zone = 'Europe/Dublin', line = '' } = /^(?:TZ=(?<zone>\S+) )?(?<line>.*)$/.exec(screen)?.groups ?? {};
  const times = timesIn(zone);
  const [name = '', ...argv] = line.split(' ');
  const listed = commandList[name];
  if (listed === undefined) throw new Error(`there is no command ${name}`);
  const { command } = await listed.load();
  const args = argumentsOf(command, ...argv);
  const isOfSeveral = args.texts('stage').length > 1;
  const several = isOfSeveral
    ? await command.runSeveral?.(args, await severalStages(), await exampleDeps())
    : undefined;
  const result = several ?? (await command.run(args, await exampleDeps()));
  const { stream, text } = terminal(columns, hasColors);
  const { paint, writeLines } = createTerminalWriter(stream);
  const stageWords = isOfSeveral ? [] : ['--aws', '--stage', 'prod'];
  const written = leadingTo(
    (at) => ({ ...times(at), width: columns }),
    { stageWords },
    () => now,
  );
  const lines = result.render({ ...written(result.now), paint }, written);
  writeLines([`$ ${screen === line ? '' : `TZ=${zone} `}npx autopilot ${line}`, ...lines, '']);
  // A release changes no screen.
  return text().replaceAll(productVersion, '1.2.3');
}

/** Three stages: one like every other screen's, one that has nothing, one that does not answer. */
async function severalStages(): Promise<readonly SeveralStage[]> {
  const [busy, { deps: empty }] = [await exampleDeps(), fakeDeps()];
  const opened = {
    'dr@eu-west-2': () => empty,
    'prod@eu-west-1:ops': () => busy,
    'test@eu-west-1': () => {
      throw new UnreachableError('AWS cannot be reached for the stage "test": check the network and the region');
    },
  };
  return Object.entries(opened).map(([label, open]) => ({ label, words: ['--stage', label], open }));
}

/** Styles do not depend on the width, so one width shows them; these screens have every style. */
const colouredScreens = new Set(['status', 'history', 'plan --verbose']);

test.each([
  [80, false],
  [120, false],
  [80, true],
])('the screens of a terminal with %i columns, colours: %s', async (columns, hasColors) => {
  const texts: string[] = [];
  const shown = hasColors ? screens.filter((line) => colouredScreens.has(line)) : screens;
  for (const line of shown) texts.push(await screenOf(line, columns, hasColors));

  const name = `terminal-${columns}${hasColors ? '-coloured' : ''}.txt`;
  await expect(texts.join('\n')).toMatchFileSnapshot(`files/terminals/${name}`);
});

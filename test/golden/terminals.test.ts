import { expect, test } from 'vitest';
import { commandList } from '#cli/command-list.ts';
import { pasteable } from '#cli/terminal/pasteable.ts';
import { handleOf } from '#shared/ledger/parked-handles.ts';
import { createTerminalWriter } from '#shared/text/terminal-writer.ts';
import { productVersion } from '#shared/vocabulary/product-version.ts';
import { argumentsOf } from '../unit/operator/fake-deps.ts';
import { parkedCommand, parkedMessage, parkedUpload } from '../unit/operator/parked-fixtures.ts';
import { exampleDeps } from './example-stage.ts';

/** What people look at. */
const screens: readonly string[] = [
  'status',
  'history',
  'plan',
  'parked list',
  `parked show ${[parkedUpload(), parkedCommand(), parkedMessage()].map(({ pk }) => handleOf(pk)).join(' ')}`,
  'doctor',
];

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

async function screenOf(line: string, columns: number, hasColors: boolean): Promise<string> {
  const [name = '', ...argv] = line.split(' ');
  const listed = commandList[name];
  if (listed === undefined) throw new Error(`there is no command ${name}`);
  const { command } = await listed.load();
  const { render } = await command.run(argumentsOf(command, ...argv), await exampleDeps());
  const { stream, text } = terminal(columns, hasColors);
  const { paint, writeLines } = createTerminalWriter(stream);
  const invocation = { env: { npm_command: 'exec' }, stageWords: ['--aws', '--stage', 'prod'] };
  writeLines([`$ npx autopilot ${line}`, ...render(paint).map((shown) => pasteable(shown, invocation)), '']);
  // A release changes no screen.
  return text().replaceAll(productVersion, '1.2.3');
}

/** Styles do not depend on the width, so one width shows them. */
test.each([
  [80, false],
  [120, false],
  [200, false],
  [80, true],
])('the screens of a terminal with %i columns, colours: %s', async (columns, hasColors) => {
  const texts: string[] = [];
  for (const line of screens) texts.push(await screenOf(line, columns, hasColors));

  const name = `terminal-${columns}${hasColors ? '-coloured' : ''}.txt`;
  await expect(texts.join('\n')).toMatchFileSnapshot(`files/${name}`);
});

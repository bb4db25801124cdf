/** Commands that the product prints are data: each is read by the real tree of commands. */
import { expect, test } from 'vitest';
import { readCommandLine } from '#cli/command-line.ts';
import { programs } from '#cli/programs.ts';
import { packageFolder } from '#shared/places.ts';
import { readLine } from '#shared/text/program-arguments.ts';
import { readProject } from '../architecture/read-project.ts';
import { everySpec } from './command-specs.ts';

/** Reads a line as the program does that it names. */
async function readTyped([name = '', ...rest]: readonly string[]): Promise<unknown> {
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  return program === undefined ? readCommandLine([name, ...rest]) : readLine(name, await program.line(), rest);
}

/** A value that is only known when it is printed, and words to be replaced. */
const words = (text: string): readonly string[] =>
  [...text.matchAll(/'([^'\n]*)'|`([^`\n]*)`|\.\.\.[^,\]]+|[^\s,][^,\n]*/g)].map(
    ([, quoted, template]) => quoted ?? template?.replaceAll(/\$\{[^}]*\}/g, 'x') ?? 'x',
  );

/** In the console `cli('freeze', …)` writes them. */
const list = /(?:\['autopilot',|(?<=\{)cli\()([^\])]*)[\])]/g;

const printed = [...(await readProject(packageFolder))]
  .filter(([path]) => /^(?:cli|operator|console|infra|local|shared|functions)\/.*\.tsx?$/.test(path))
  .flatMap(([path, source]) =>
    // Words that are spread into a command come from a decision, which has a test of its own.
    [...source.matchAll(list)]
      .filter(([, inner = '']) => !inner.includes('...') && !inner.trim().startsWith('name'))
      .map(([, inner = '']) => ({ place: path, line: words(inner.replaceAll(/\s*\n\s*/g, ' ').trim()) })),
  );

test('they are found in the sources', () => {
  expect(printed.length).toBeGreaterThan(30);
});

test.each(printed.map(({ place, line }) => [line.join(' '), place, line] as const))(
  'autopilot %s (%s) is a command line',
  async (_text, _place, line) => {
    // A blank that was not filled is refused.
    const filled = line.map((word) => (/^[A-Z]+(?:-[A-Z]+)*$/.test(word) ? 'x' : word));

    expect(await readTyped(filled)).toBeDefined();
  },
);

test('each example of a help is a command line', async () => {
  const examples = (await everySpec()).flatMap(({ spec }) => spec.examples ?? []);
  const lines = examples.flatMap((example) => /^autopilot ([^|<]*)/.exec(example)?.[1]?.trim() ?? []);
  expect(lines.length).toBeGreaterThan(60);

  for (const text of lines) {
    const typed = (text.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
    expect(await readTyped(typed), text).toBeDefined();
  }
});

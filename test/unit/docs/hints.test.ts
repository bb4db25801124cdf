import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandList } from '#cli/command-list.ts';
import { programs } from '#cli/programs.ts';
import { pagesOf } from '#cli/runbook.ts';
import { commonOptions } from '#cli/terminal/arguments.ts';
import { docPages, packageFolder } from '#shared/places.ts';
import { describe, expect, test } from 'vitest';
import { readProject } from '../architecture/read-project.ts';

/** A line of a source that a person may see. */
interface Line {
  readonly place: string;
  readonly text: string;
}

const rooms = /^(?:cli|operator|local|infra|gateway|shared|console|create|functions)\/.*\.(?:tsx?|mjs)$/;

const lines: readonly Line[] = [...(await readProject(packageFolder))]
  .filter(([path]) => rooms.test(path))
  .flatMap(([path, text]) => seen(text).map((line) => ({ place: `${path}: ${line.trim()}`, text: line })));

/** Without comments, which no person sees that runs the product. */
function seen(source: string): readonly string[] {
  return source
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/(?<=^|\s)\/\/ .*$/gm, '')
    .split('\n');
}

/** Words of sentences in which `autopilot` is the subject. */
const spoken = new Set(['at', 'itself', 'lists', 'schedule', 'campaign']);

/** What comes after `autopilot` up to the end of the command: its words, without what takes the place of a value. */
const hint =
  /(?<![\w/.#@-])autopilot ((?:--?[a-z][\w-]*|[a-z][\w-]*|[A-Z][\w-]*…?|\$\{[^}]*\}|"[^"]*")(?: (?:--?[a-z][\w-]*|[a-z][\w-]*|[A-Z][\w-]*…?|\$\{[^}]*\}|"[^"]*"))*)/g;

const hints = lines.flatMap(({ place, text }) =>
  [...text.matchAll(hint)].map(([, words = '']) => ({ place, words: words.split(' ') })),
);

describe('what the product prints for a person to do', () => {
  test('is found in its sources', () => {
    expect(hints.length).toBeGreaterThan(60);
  });

  test('names commands that there are', () => {
    const known = new Set([...Object.keys(commandList), ...Object.keys(programs), 'help']);
    const unknown = hints.filter(({ words }) => {
      const name = commandWord(words);
      return name !== undefined && !known.has(name) && !spoken.has(name);
    });

    expect(unknown.map(({ place }) => place)).toEqual([]);
  });

  test('names options that the command takes', async () => {
    const wrong: string[] = [];
    for (const { place, words } of hints) {
      const name = commandWord(words) ?? '';
      if (!Object.hasOwn(commandList, name)) continue;
      const options = { ...commonOptions, ...(await commandList[name]?.load())?.command.options };
      const given = words.filter((word) => word.startsWith('--')).map((word) => word.slice(2));
      if (given.some((option) => !Object.hasOwn(options, option))) wrong.push(place);
    }

    expect(wrong).toEqual([]);
  });

  test('names pages of the runbook that there are', () => {
    const runbook = readFileSync(join(packageFolder, 'docs', 'runbook.md'), 'utf8');
    const pages = new Set(pagesOf(runbook).map(({ name }) => name.toLowerCase()));
    const named = hints.flatMap(({ place, words }) =>
      commandWord(words) === 'runbook' ? [{ place, page: words[words.indexOf('runbook') + 1] ?? '' }] : [],
    );
    const unknown = named.filter(
      ({ page }) => /^[a-zA-Z]/.test(page) && !/^(?:NAME|CODE|prints|lists|with|gateway-autopilot-.*)$/.test(page),
    );

    expect(named.length).toBeGreaterThan(5);
    expect(unknown.filter(({ page }) => !pages.has(page.toLowerCase())).map(({ place }) => place)).toEqual([]);
  });

  test('names pages of docs/ by the function that knows where they lie, and these exist', () => {
    const plain = lines.filter(
      ({ text, place }) => /['"`( ]docs\/[\w-]+\.md/.test(text) && !place.startsWith('shared/places.ts'),
    );

    expect(plain.map(({ place }) => place)).toEqual([]);
    expect(docPages.filter((name) => !existsSync(join(packageFolder, 'docs', name)))).toEqual([]);
  });

  // Only the sentence about an old Node does: it knows whether it is in a checkout.
  test('names no script of the repository, which an installed product does not have', () => {
    const scripts = lines.filter(
      ({ text }) => /\bnpm (?:start|test|run|ci)\b/.test(text) && !text.includes('on macOS'),
    );

    expect(scripts.map(({ place }) => place)).toEqual([]);
  });
});

/** The first word that is no option and no value of one. */
function commandWord(words: readonly string[]): string | undefined {
  return words.find(
    (word, index) => /^[a-z]/.test(word) && !/^--(?:stage|data|as|profile|region)$/.test(words[index - 1] ?? ''),
  );
}

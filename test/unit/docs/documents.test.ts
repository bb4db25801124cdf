import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandList } from '#cli/command-list.ts';
import { programs } from '#cli/programs.ts';
import { uploadMoves } from '#functions/register-datasets/upload-states.ts';
import { stageNumbers } from '#infra/config/stage-numbers.ts';
import { rowLifeDays } from '#shared/ledger/rows/row-keys.ts';
import { functionNames } from '#shared/vocabulary/resource-names.ts';
import { mayImport } from '../architecture/rooms.ts';
import { anchorsOf, linksOf, npmScriptsOf, operatorCommandsOf, pathsOf, tableBelow } from './documents/markdown.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'gateway/README.md',
  'examples/own-cdk-app/README.md',
  ...globSync('docs/**/*.md', { cwd: root }),
]
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => existsSync(join(root, path)));
const records = documents.filter((path) => /^docs\/adr\/\d/.test(path));
/** A decision record is never rewritten: what it named may have moved since. */
const living = documents.filter((path) => !records.includes(path));

/** What npm itself knows, and the word that its messages begin with. */
const ofNpm = new Set(['ci', 'create', 'install', 'error', 'audit', 'publish']);

test('docs/adr/README.md has each record once, in order', () => {
  expect(linksOf(read('docs/adr/README.md')).map((link) => `docs/adr/${link}`)).toEqual(records.toSorted());
});

test.each(documents)('each link in %s leads to a file, and to a heading of it', (document) => {
  const dead = linksOf(read(document)).filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? document : join(dirname(document), path);
    if (!existsSync(join(root, target))) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(read(target)).includes(anchor);
  });

  expect(dead).toEqual([]);
});

describe.each(living)('%s', (document) => {
  const text = read(document);

  test('names only paths that exist', () => {
    expect(pathsOf(text).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('names only npm scripts that package.json has', () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'));

    expect(npmScriptsOf(text).filter((name) => !Object.hasOwn(scripts, name) && !ofNpm.has(name))).toEqual([]);
  });

  test('names only commands that the operator has', () => {
    expect(operatorCommandsOf(text).filter((name) => !Object.hasOwn({ ...commandList, ...programs }, name))).toEqual(
      [],
    );
  });
});

describe('docs/reference/ledger.md', () => {
  const text = read('docs/reference/ledger.md');
  const rows = tableBelow(text, 'Rows').map(([kind = '', , , , expires = '']) => ({
    kind: kind.replaceAll('`', ''),
    expires,
  }));

  test('says when a row of each kind expires', () => {
    const days = new Map<string, number>(Object.entries(rowLifeDays));
    const expected = rows.map(({ kind }) => ({
      kind,
      expires: days.has(kind) ? `after ${days.get(kind)} days` : 'never',
    }));

    expect(rows).toEqual(expected);
  });

  test('names each state of an upload', () => {
    const states = Object.keys(uploadMoves).filter((state) => state !== 'ABSENT');

    expect(states.filter((state) => !text.includes(state))).toEqual([]);
  });
});

describe('docs/architecture.md', () => {
  const text = read('docs/architecture.md');

  test('has a row for each function, and for no other', () => {
    const names = tableBelow(text, 'The functions').map(([name = '']) => name.replaceAll('`', ''));

    expect(names.toSorted()).toEqual([...functionNames].toSorted());
  });

  test('has each room that imports are checked for', () => {
    const named = tableBelow(text, 'The rooms').map(([room = '']) => room);
    const expected = Object.keys(mayImport).map((room) => (room.includes('.') ? `\`${room}\`` : `\`${room}/\``));

    expect(expected.filter((room) => !named.some((cell) => cell.split(', ').includes(room)))).toEqual([]);
  });

  test('says the timeouts as they are deployed', () => {
    const { timeoutSeconds, visibilitySeconds } = stageNumbers('prod');
    const { commands, uploads, deadLetters } = visibilitySeconds;
    const numbers = new Map(tableBelow(text, 'Two stacks, and the numbers').map(([what, ...cells]) => [what, cells]));

    expect(numbers.get('function timeout')).toEqual(
      [
        timeoutSeconds['update-campaign-runs'],
        timeoutSeconds['register-datasets'],
        timeoutSeconds['poll-scanner-packages'],
        timeoutSeconds['park-dead-letters'],
        timeoutSeconds['watch-campaigns'],
        timeoutSeconds['watch-projects'],
        timeoutSeconds['reconcile-ledger'],
        timeoutSeconds['answer-questions'],
      ].map((seconds) => `${seconds} s`),
    );
    expect(numbers.get('visibility timeout of its queue')).toEqual([
      ...[commands, uploads].map((seconds) => `${seconds} s`),
      '–',
      `${deadLetters} s`,
      '–',
      '–',
      '–',
      '–',
    ]);
  });
});

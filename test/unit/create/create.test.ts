import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '#create/start.ts';
import { productVersion } from '#shared/vocabulary/product-version.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { folderOfTest } from '../../builders/test-folder.ts';

let folder: string;

/** Of the shell. */
let PATH: string;

beforeEach(() => {
  folder = folderOfTest();
  PATH = '';
});

function create(...argv: readonly string[]) {
  const said = { out: '', err: '' };
  const stream = (name: 'out' | 'err') =>
    Object.assign(Object.create(process.stdout), {
      write: (text: string) => {
        said[name] += text;
        return true;
      },
    });
  return { code: run(argv, { stdout: stream('out'), stderr: stream('err'), env: { PATH } }), ...said };
}

const manifestIn = (directory: string) => JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));

describe('autopilot init', () => {
  test('names this very version as the only dependency', () => {
    const directory = join(folder, 'my-stage');

    expect(create(directory)).toMatchObject({ code: 0, err: '' });
    expect(manifestIn(directory).dependencies).toEqual({ 'gateway-autopilot': productVersion });
    expect(manifestIn(directory).devDependencies).toBeUndefined();
  });

  test('takes the product from a file into the folder, so that a clone of it can be installed elsewhere', () => {
    writeFileSync(join(folder, 'a product.tgz'), 'packed');
    const directory = join(folder, 'stages', 'my-stage');

    create(directory, '--product', join(folder, 'a product.tgz'));

    expect(manifestIn(directory).dependencies).toEqual({ 'gateway-autopilot': 'file:a product.tgz' });
    expect(readFileSync(join(directory, 'a product.tgz'), 'utf8')).toBe('packed');
  });

  // It was told by `npx autopilot start` alone, after an install that took minutes. A checkout brings its own Node along.
  test.skipIf(process.platform === 'win32').each([
    ['v20.11.0', 'It needs Node 24, and yours is v20.11.0', ['nvm install', 'npm install']],
    ['v24.1.0', undefined, ['npm install']],
  ])('says before npm install what a shell with Node %s lacks', (version, sentence, steps) => {
    const [shell, checkout] = [folderOfTest(), join(folderOfTest(), 'node_modules', '.bin')];
    mkdirSync(checkout, { recursive: true });
    for (const [bin, says] of [[checkout, 'v24.21.0'] as const, [shell, version] as const])
      writeFileSync(join(bin, 'node'), `#!/bin/sh\necho ${says}\n`, { mode: 0o755 });
    PATH = `${checkout}:${shell}`;

    const { out } = create(join(folder, 'my-stage'));

    const [said = '', ...rest] = out.split('\n\n');
    expect(said.includes('Node')).toBe(sentence !== undefined);
    expect(said).toContain(sentence ?? '');
    expect(
      rest
        .join('')
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual([`cd ${join(folder, 'my-stage')}`, ...steps, 'npx --no -- autopilot start', '']);
  });

  test('fills an empty folder', () => {
    expect(create(folder).code).toBe(0);
  });

  test('touches no folder that holds anything, hidden files too, and says what', () => {
    mkdirSync(join(folder, '.git'));
    writeFileSync(join(folder, 'notes.md'), '');

    const { code, err } = create(folder);

    expect(code).toBe(2);
    expect(err).toBe(`autopilot: ${folder} is not empty, it holds .git and 1 more: name a new folder\n`);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  test.each([
    [[], "missing required argument 'DIR'"],
    [['  '], 'which folder?'],
    [['a', 'b'], 'unexpected argument "b"'],
    [['a', '--prodcut', 'x'], "unknown option '--prodcut'"],
    [['a', '--product', '/not/there.tgz'], '--product /not/there.tgz is no file'],
    [['a', '--product', ''], '--product needs a value'],
    [['a', '--product', '/dev/null'], '--product /dev/null is no file'],
  ])('%j is refused in one sentence, and nothing is written', (argv, sentence) => {
    const named = argv.map((word) => (word === 'a' || word === 'b' ? join(folder, word) : word));

    const { code, out, err } = create(...named);

    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err.replaceAll(`${folder}/`, '')).toContain(sentence);
    expect(readdirSync(folder)).toEqual([]);
  });

  // A stage with an empty archive fails at npm install, with words of tar.
  test('refuses an empty archive', () => {
    writeFileSync(join(folder, 'empty.tgz'), '');

    expect(create(join(folder, 'my-stage'), '--product', join(folder, 'empty.tgz')).err).toContain('is an empty file');
    expect(readdirSync(folder)).toEqual(['empty.tgz']);
  });

  // It was a stack trace.
  test('says in one sentence that a folder cannot be made', () => {
    writeFileSync(join(folder, 'file'), '');
    const below = join(folder, 'file', 'my-stage');

    expect(create(below)).toEqual({
      code: 2,
      out: '',
      err: `autopilot: ${below} cannot be made (ENOTDIR): name a folder that you may write\n`,
    });
  });
});

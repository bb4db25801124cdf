import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { digestOfProduct, fillFolder } from '#infra/bundle/kept-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'autopilot-kept-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

describe('a folder of what was made', () => {
  let fills = 0;
  const fill = async (inputs: () => string = () => 'inputs'): Promise<number> => {
    fills = 0;
    await fillFolder(join(folder, 'out'), inputs, () => {
      fills += 1;
      write('out/deep/made.txt', `made of ${inputs()}`);
      return Promise.resolve();
    });
    return fills;
  };

  test('is filled once for the same inputs, and again for others', async () => {
    expect(await fill()).toBe(1);
    expect(await fill()).toBe(0);
    expect(await fill(() => 'other inputs')).toBe(1);
    expect(readFileSync(join(folder, 'out/deep/made.txt'), 'utf8')).toBe('made of other inputs');
  });

  test.each([
    ['a file changed', () => write('out/deep/made.txt', 'made of inputS')],
    ['a file is missing', () => rmSync(join(folder, 'out/deep/made.txt'))],
    ['a file came in', () => write('out/other.txt', '')],
    ['the folder is gone', () => rmSync(join(folder, 'out'), { recursive: true })],
  ])('is emptied and filled again if %s', async (_, change) => {
    await fill();
    change();

    expect(await fill()).toBe(1);
    expect(readdirSync(join(folder, 'out'))).toEqual(['deep']);
    expect(await fill()).toBe(0);
  });

  test('is filled again after a fill that failed', async () => {
    await fill();
    const failing = fillFolder(
      join(folder, 'out'),
      () => 'other',
      () => Promise.reject(new Error('no room')),
    );

    await expect(failing).rejects.toThrow('no room');
    expect(await fill()).toBe(1);
  });

  test('is filled again if an input was saved while it was filled', async () => {
    let saved = 0;

    await fill(() => String((saved += 1)));

    expect(existsSync(join(folder, 'out.made-of'))).toBe(false);
    expect(await fill()).toBe(1);
  });
});

function digest(beside: object = {}): string {
  return digestOfProduct(beside, folder);
}

describe('the digest of the product', () => {
  test.each(['shared/deep/a.ts', 'package-lock.json'])('is another one after an edit of %s', (name) => {
    write(name, 'one');
    const before = digest();
    write(name, 'two');

    expect(digest()).not.toBe(before);
  });

  test('stays the same after an edit that no bundle and no template has', () => {
    const before = digest();
    write('docs/runbook.md', 'text');

    expect(digest()).toBe(before);
  });

  test('is another one for another configuration', () => {
    expect(digest({ rate: 2 })).not.toBe(digest({ rate: 1 }));
  });
});

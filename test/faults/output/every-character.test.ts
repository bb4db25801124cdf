/** Every code point of Unicode, and each half of a surrogate pair, at every kind of output. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { code, table, escapedText } from '#operator/evidence/document/start-sections.ts';
import { columns } from '#cli/terminal/output.ts';
import { createLog } from '#functions/_handler/function-log.ts';
import { openFunctionLog } from '#local/lambda/function-pool.ts';
import { terminalLine } from '#local/stage/terminal-lines.ts';
import { commandLine, shellWord } from '#shared/text/command-line.ts';
import { createTerminalWriter } from '#shared/text/terminal-writer.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';

/** What no output may hold, said without the code's own list: Unicode's categories, and the marks that UAX 9 and UTS 39 name. */
const driving = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** The codes of `paint` for red and bold. */
const ours = new RegExp(String.raw`\u001b\[(?:31|39|1|22)m`, 'g');

/** All of Unicode in texts of 4,096 characters; halves of pairs stand apart, so that no two of them make a whole. */
const everything: readonly string[] = Array.from({ length: 0x110000 / 0x1000 }, (_, page) =>
  Array.from({ length: 0x1000 }, (_unused, index) => {
    const point = page * 0x1000 + index;
    return point >= 0xd800 && point <= 0xdfff ? `${String.fromCharCode(point)}-` : String.fromCodePoint(point);
  }).join(''),
);

/** A stream that keeps what is written to it; with colours if it is a terminal. */
function stream(isTTY: boolean): { readonly writable: NodeJS.WriteStream; readonly written: () => string } {
  let kept = '';
  const writable: NodeJS.WriteStream = Object.assign(Object.create(process.stdout), {
    isTTY,
    columns: 0, // a terminal that does not say how wide it is
    // Without these `styleText` takes the colours of the test's own terminal.
    getColorDepth: () => 24,
    hasColors: () => true,
    write: (chunk: string) => {
      kept += chunk;
      return true;
    },
  });
  return { writable, written: () => kept };
}

/** The lines of an output: nothing but the ends of its lines may drive anything. */
function linesOf(output: string): readonly string[] {
  const lines = output.split('\n');
  expect(lines.pop()).toBe('');
  expect(lines.filter((line) => driving.test(line))).toEqual([]);
  return lines;
}

function inFolder<Result>(work: (folder: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'every-character-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What a program gets that bash calls by this line: the words after `%s\\0`, each byte as one character. */
function wordsFromBash(line: string, locale: string): readonly string[] {
  return inFolder((folder) => {
    // From a file: bash reads a pipe byte by byte.
    const file = join(folder, 'line');
    writeFileSync(file, line);
    const { stdout } = spawnSync('bash', [file], { env: { LC_ALL: locale }, maxBuffer: 100_000_000 });
    return stdout.toString('latin1').split('\0').slice(0, -1);
  });
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('[D14 F11] I17: every character of Unicode', () => {
  test('in a line for a pipe stays one line', () => {
    const { writable, written } = stream(false);

    const { paint, writeLines } = createTerminalWriter(writable);
    writeLines(everything.map((page) => `${paint('bold', page)} ${page}`));

    expect(linesOf(written())).toHaveLength(everything.length);
  });

  test('in a coloured line for a terminal leaves with no codes but ours', () => {
    vi.stubEnv('FORCE_COLOR', '1');
    const { writable, written } = stream(true);

    const { paint, writeLines } = createTerminalWriter(writable);
    writeLines(everything.map((page) => paint('red', `${page}\u001b[31m ${paint('bold', page)}`)));

    const output = written();
    expect(output.match(ours)).toHaveLength(4 * everything.length);
    expect(linesOf(output.replaceAll(ours, ''))).toHaveLength(everything.length);
  });

  test('in columns stays in its row', () => {
    const lines = columns(everything.map((page) => [page, 'next', page]));

    expect(lines.filter((line) => driving.test(line))).toEqual([]);
  });

  test('in a document for programs is what it was', () => {
    const { writable, written } = stream(false);

    createTerminalWriter(writable).writeLines(JSON.stringify({ everything }, null, 2).split('\n'));

    expect(linesOf(written())).toHaveLength(everything.length + 4);
    expect(JSON.parse(written())).toEqual({ everything });
  });

  test('in a line of a function log is one line, and what `npm start` shows of it too', () => {
    const lines: string[] = [];
    const spies = (['stdout', 'stderr'] as const).map((name) =>
      vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
        lines.push(...linesOf(String(chunk)));
        return true;
      }),
    );
    const log = createLog({ functionName: 'register-datasets', stage: 'test' });
    try {
      for (const page of everything) {
        for (let from = 0; from < page.length; from += 2000) {
          const part = page.slice(from, from + 2000);
          log.warn(logEvents.outcome, part, { [part]: part, error: new Error(part) });
        }
      }
    } finally {
      for (const spy of spies) spy.mockRestore();
    }

    expect(lines.length).toBeGreaterThan(2 * everything.length);
    const { writable, written } = stream(false);
    const { writeLines } = createTerminalWriter(writable);
    const shown = lines.map((line) =>
      terminalLine({ functionName: 'f', requestId: 'r', stream: 'stderr', text: line }),
    );
    writeLines(shown.map((line) => line ?? 'nothing'));
    expect(linesOf(written())).toHaveLength(lines.length);
    expect(written()).not.toContain('nothing');
  });

  test('in the log file of a function is one line', () => {
    inFolder((folder) => {
      const log = openFunctionLog(folder, 'f', () => {}, 100_000_000);
      for (const page of everything) {
        log.write({ functionName: 'f', requestId: 'r', stream: 'stderr', text: page });
        log.write({ functionName: 'f', requestId: 'r', stream: 'platform', text: page });
      }
      log.close();

      expect(linesOf(readFileSync(join(folder, 'f.log'), 'utf8'))).toHaveLength(2 * everything.length);
    });
  });

  test('in a Markdown cell stays in its cell', () => {
    const rows = table(
      ['', ''],
      everything.map((page) => [escapedText(page), code(page)]),
    );

    expect(rows.map((row) => row.split('|').length)).toEqual(rows.map(() => 4));
    expect(rows.filter((row) => driving.test(row))).toEqual([]);
    expect(rows.filter((row) => /[<>]|&(?!amp;|lt;|gt;|#124;)/.test(row))).toEqual([]);
  });

  test('in a shell word comes back from bash as the same bytes', () => {
    const words = everything.map((page) => page.replaceAll('\0', ''));
    const line = commandLine(['printf', String.raw`%s\0`, ...words]);

    expect(driving.test(line)).toBe(false);
    // In any locale: the bytes are named, not the characters.
    for (const locale of ['C', 'C.UTF-8']) {
      expect(wordsFromBash(line, locale)).toEqual(words.map((word) => Buffer.from(word).toString('latin1')));
    }
  });
});

describe('signs of ASCII', () => {
  const ascii = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index));
  const pairs = ascii.flatMap((first) => ascii.map((second) => `${first}${second}`));

  test('in any order come back from bash', () => {
    const words = ['', ...pairs.flatMap((pair) => [pair, `${pair}\u001b${pair}`])];

    expect(wordsFromBash(commandLine(['printf', String.raw`%s\0`, ...words]), 'C')).toEqual(words);
  });

  test('in any order stay in their cell', () => {
    const rows = table(
      [''],
      pairs.flatMap((pair) => [[escapedText(pair)], [code(pair)], [escapedText(`${pair}|`)], [code(`${pair}|<b>`)]]),
    );

    expect(rows.filter((row) => row.split('|').length !== 3)).toEqual([]);
    // Outside of code nothing begins HTML.
    expect(rows.filter((row) => /[<>]/.test(row.replace(/^\| `.*` \|$/, '')))).toEqual([]);
  });

  test.each([
    [String.raw`a\|b<img src=x>`, String.raw`a\\&#124;b&lt;img src=x&gt;`],
    ['[here](https://evil.example)', String.raw`\[here\](https\://evil.example)`],
    ['see https://evil.example or www.evil.example', String.raw`see https\://evil.example or www\.evil.example`],
    ['a@evil.example', String.raw`a\@evil.example`],
    ['&lt;b&gt;', '&amp;lt;b&amp;gt;'],
    ['`code` *bold* ~gone~ #1', '\\`code\\` \\*bold\\* \\~gone\\~ \\#1'],
    ['_a_ some_name', String.raw`\_a\_ some_name`],
    ['- a list', String.raw`\- a list`],
    ['12. a list', String.raw`12\. a list`],
    ['2026-11-20', '2026-11-20'],
    ['a\nb', String.raw`a\\nb`],
  ])('%j in the flow of a document is a text', (words, markdown) => {
    expect(escapedText(words)).toBe(markdown);
  });

  test.each([
    ['plain', 'plain'],
    ["it's here", String.raw`'it'\''s here'`],
    ['datasets/Prüfung 数据.csv', "'datasets/Prüfung 数据.csv'"],
    ["a\n'b\\c!", String.raw`$'a\012\047b\134c\041'`],
    ['a\u202eb', String.raw`$'a\342\200\256b'`],
  ])('%j as a word of a shell can be read', (word, shown) => {
    expect(shellWord(word)).toBe(shown);
  });
});

import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTerminalWriter, wrapLine } from '#shared/text/terminal-writer.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';

const sentence = 'a start was skipped since the blackout year-end began at midnight and ends in January';

describe('a line that is wider than the terminal', () => {
  test('goes on below, further to the right', () => {
    expect(wrapLine(`  ${sentence}`, 50)).toEqual([
      '  a start was skipped since the blackout year-end',
      '      began at midnight and ends in January',
    ]);
  });

  test('goes on in its column, if it is a row of a table', () => {
    expect(wrapLine('  known    the dataset was sent and no answer came in time', 50)).toEqual([
      '  known    the dataset was sent and no answer came',
      '           in time',
    ]);
  });

  // A terminal of 80 columns showed `npx --no`, and the rest in the next line: pasted, neither ran.
  test.each(['', 'npx ', 'npx --no -- '])(
    'keeps a command to paste in one piece, even if that is wider: %s',
    (program) => {
      const command = `${program}autopilot parked resolve 12 --repeat --reason "the token may write now"`;

      expect(wrapLine(`    ${command}`, 50)).toEqual([`    ${command}`]);
      expect(wrapLine(`the token may not write: ${command}`, 50)).toEqual([
        'the token may not write:',
        `    ${command}`,
      ]);
    },
  );

  // The rest of the sentence was kept in one piece with it, and the terminal broke it anywhere.
  test('keeps a command in backticks in one piece, and breaks the sentence behind it', () => {
    const line =
      'written 20:00 by `npx --no -- autopilot --aws --stage prod evidence` of version 1.2.3, on a stage of version 1.2.3';

    expect(wrapLine(line, 68)).toEqual([
      'written 20:00 by `npx --no -- autopilot --aws --stage prod evidence`',
      '    of version 1.2.3, on a stage of version 1.2.3',
    ]);
  });

  test.each(['in 9 h 37 min', '12 min ago', '2 h ago', 'in 3 days', 'in 45 s'])(
    'keeps "%s" in one piece',
    (distance) => {
      const starts = Array.from({ length: 20 }, (_, more) => 'x'.repeat(30 + more));

      const wrapped = starts.map((start) => wrapLine(`${start} 06:00, \u001b[2m${distance}\u001b[22m; then again`, 50));

      expect(wrapped.every((lines) => lines.some((line) => line.includes(distance)))).toBe(true);
    },
  );

  test('does not count the codes of styles', () => {
    const red = `\u001b[31m${sentence.slice(0, 40)}\u001b[39m`;

    expect(wrapLine(red, 40)).toEqual([red]);
  });
});

/** Texts that begin like what the writer looks for. */
const beginnings = [
  'A=',
  'A=b ',
  'aws s3 ls',
  'aws s3 ls ',
  '`aws ',
  'npx --no -- autopilot ',
  'in 1',
  '2 days ',
  'a-',
  ' ',
  'é\u2028',
];

function withoutSpaces(text: string): string {
  return text.replaceAll(' ', '');
}

// 100 kB of the first took 18 s.
test.each(beginnings)('a line of 512 kB is broken between its words: %j', (beginning) => {
  const line = beginning.repeat(2 ** 19 / beginning.length);

  expect(withoutSpaces(wrapLine(line, 80).join(''))).toBe(withoutSpaces(line));
});

test('a line of anything that the writer looks for loses no character', () => {
  assert(
    property(array(constantFrom(...beginnings), { minLength: 1, maxLength: 60 }), (parts) => {
      const line = parts.join('');

      expect(withoutSpaces(wrapLine(line, 40).join(''))).toBe(withoutSpaces(line));
    }),
    propertyRuns(40),
  );
});

test('a terminal of unknown or tiny width gets the line as it is', () => {
  expect(wrapLine(sentence, Infinity)).toEqual([sentence]);
  expect(wrapLine(sentence, 20)).toEqual([sentence]);
});

// The command of doctor for files outside of the prefixes was broken inside its quotes.
test('keeps a command of the AWS command line whole, with the variable before it', () => {
  const command = "KEY_FILE=/a/b aws s3api list-objects-v2 --bucket a-long-name-of-a-bucket --query '[a, b]'";

  expect(wrapLine(`a file lies outside of the prefixes; next: ${command}`, 60)).toEqual([
    'a file lies outside of the prefixes; next:',
    `    ${command}`,
  ]);
});

// A screen that was redrawn and taller than the terminal scrolled, and its urgent top was lost.
test('of more lines than fit the first are written, and how many there are more', () => {
  const written: string[] = [];
  const stream: NodeJS.WriteStream = Object.assign(Object.create(process.stdout), {
    isTTY: true,
    columns: 40,
    write: (text: string) => written.push(text) > 0,
  });
  const { writeLines } = createTerminalWriter(stream);

  writeLines(['urgent', sentence, 'later'], 3);
  writeLines(['urgent', 'later'], 3);

  expect(written).toEqual([
    `urgent\n${wrapLine(sentence, 40)[0]}\n… 3 more lines: a taller terminal shows them\n`,
    'urgent\nlater\n',
  ]);
});

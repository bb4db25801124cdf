import { describe, expect, test } from 'vitest';
import { localInstants, peopleLines } from '#cli/terminal/people-lines.ts';
import { linesAbout } from '#cli/terminal/several-stages.ts';
import { localTimes, utcTimes } from '#cli/terminal/times.ts';
import { createTerminalWriter, plain } from '#shared/text/terminal-writer.ts';

const when = localTimes('Europe/Berlin')(new Date('2026-11-20T20:00:00.000Z'));
const invocation = { env: {}, stageWords: [] };

// Sentences of send, doctor and evidence gave instants in UTC on a terminal, beside screens with local times.
test.each([
  ['closed until 2026-11-20T22:00:00.000Z', 'closed until 23:00, in 2 h'],
  ['the gate is closed (2026-11-20T19:59:00Z); try again', 'the gate is closed (20:59, 1 min ago); try again'],
  ['since 2026-11-12T22:00:00.000Z.', 'since Thu 12 Nov 23:00.'],
  ['from 2026-11-20T19:00:00.000Z, until 2027-11-20T19:00:00.000Z', 'from 20:00, 1 h ago, until Sat 20 Nov 2027 20:00'],
  ['| Ended | at `2026-11-20T19:00:00.000Z` |', '| Ended | at 20:00, 1 h ago |'],
  ['at 2026-11-20T19:00:00Z; next: autopilot thaw', 'at 20:00, 1 h ago; next: autopilot thaw'],
])('writes the instants of the sentence %j in local and relative time', (sentence, local) => {
  expect(localInstants(sentence, when)).toBe(local);
});

test.each([
  'weeknights@2026-11-20T18:00:00Z applied',
  'command#weeknights@2026-11-20T18:00:00.000Z',
  '"at": "2026-11-20T18:00:00.000Z",',
  'next: autopilot history --since 2026-11-20T18:00:00Z --before 2026-11-20T19:00:00Z',
  'autopilot clock --to 2026-11-20T18:00:00Z',
  'aws logs tail group --since 2026-11-20T18:00:00Z',
  "datasets/'2026-11-20T18:00:00Z'",
  'datasets/2026-11-20T18:00:00Z.csv',
  '`weeknights@2026-11-20T18:00:00Z`',
  '2026-11-20',
])('leaves alone what is an id, a key, a quotation or a command: %s', (line) => {
  expect(localInstants(line, when)).toBe(line);
});

test('writes an instant in colour too', () => {
  const written: string[] = [];
  const stream: NodeJS.WriteStream = Object.assign(Object.create(process.stdout), {
    isTTY: true,
    getColorDepth: () => 4,
    hasColors: () => true,
    write: (text: string) => written.push(text) > 0,
  });
  const { paint, writeLines } = createTerminalWriter(stream);

  writeLines(peopleLines([paint('red', '2026-11-20T22:00:00.000Z')], { invocation, when, paint }));

  expect(written.join('')).toContain('23:00, in 2 h');
});

const shown = (...lines: readonly string[]) => peopleLines(lines, { invocation, when, paint: plain });

describe('the zone', () => {
  test('is named once, after the lines, if only sentences have instants', () => {
    expect(shown('open', 'since 2026-11-20T19:00:00.000Z')).toEqual(['open', 'since 20:00, 1 h ago', when.note]);
  });

  test('is not named again, and not without an instant', () => {
    expect(shown(`stage prod, ${when.head}`, 'since 2026-11-20T19:00:00.000Z')).toHaveLength(2);
    expect(shown('open')).toEqual(['open']);
  });
});

// Of several local runs, each has its own clock: a freeze of this moment was 6 h ahead.
test('of several stages each line has the time of its own stage, and a file keeps UTC', () => {
  const [stage, lines] = [{ words: ['--stage', 'prod'] }, ['frozen since 2026-11-20T19:00:00Z']];
  const ahead = localTimes('Europe/Berlin')(new Date('2026-11-21T01:00:00.000Z'));

  expect(linesAbout(stage, lines, when)).toEqual(['  frozen since 20:00, 1 h ago']);
  expect(linesAbout(stage, lines, ahead)).toEqual(['  frozen since 20:00, 6 h ago']);
  expect(linesAbout(stage, lines, utcTimes(new Date()))).toEqual(['  frozen since 2026-11-20T19:00:00Z']);
});

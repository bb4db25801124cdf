import { describe, expect, test } from 'vitest';
import { linesAbout } from '#cli/terminal/asked-stages.ts';
import { localInstants, localTimes, pasteable, peopleLines, utcTimes, zoneOfReader } from '#cli/terminal/times.ts';
import { createTerminalWriter, plain } from '#shared/text/terminal-writer.ts';

const now = new Date('2026-11-20T20:00:00.000Z');

describe('on a terminal an instant is in the zone of the person who reads', () => {
  const { at, head, elsewhere } = localTimes('America/New_York')(now);

  test.each([
    ['2026-11-20T19:30:00.000Z', '14:30, 30 min ago'],
    ['2026-11-20T20:00:00.000Z', '15:00, now'],
    ['2026-11-21T06:00:00.000Z', '01:00, in 10 h'],
    ['2026-11-21T20:00:00.000Z', 'Sat 21 Nov 15:00'],
    ['2026-11-17T20:00:00.000Z', 'Tue 17 Nov 15:00'],
    ['2025-12-31T23:30:00.000Z', 'Wed 31 Dec 2025 18:30'],
    ['no instant', 'no instant'],
  ])('%s is %s', (instant, words) => {
    expect(at(instant)).toBe(words);
  });

  test('the head of a screen names the zone', () => {
    expect(head).toBe('Fri 20 Nov 15:00, times in America/New_York');
  });

  test('the wall clock of another zone stands beside it, that of the same does not', () => {
    expect(elsewhere('2026-11-21T03:00:00.000Z', 'Europe/Dublin')).toBe('Sat 2026-11-21 03:00 Europe/Dublin');
    expect(elsewhere('2026-11-21T03:00:00.000Z', 'America/New_York')).toBe('');
  });
});

test('the year is that of the calendar of the zone', () => {
  const { at } = localTimes('Pacific/Auckland')(new Date('2026-12-30T20:00:00.000Z'));

  expect(at('2026-12-31T23:30:00.000Z')).toBe('Fri 1 Jan 2027 12:30');
});

test('the hour that comes twice is told apart by how far it is', () => {
  const { at } = localTimes('Europe/Dublin')(new Date('2026-10-25T02:00:00.000Z'));

  expect([at('2026-10-25T00:30:00.000Z'), at('2026-10-25T01:30:00.000Z')]).toEqual([
    '01:30, 1 h 30 min ago',
    '01:30, 30 min ago',
  ]);
});

// Screens said "times in undefined" for a misspelt TZ; an empty one is Etc/Unknown, which Intl then refuses.
test.each([
  ['Europe/Dublin', 'Europe/Dublin'],
  ['+05:30', '+05:30'],
  [undefined, 'UTC'],
  ['Etc/Unknown', 'UTC'],
])('the zone of a machine in %s is %s', (resolved, zone) => {
  expect(zoneOfReader(resolved)).toBe(zone);
});

test('in a file each instant is RFC 3339 in UTC, whatever the zone', () => {
  const { at, head, note } = utcTimes(now);

  expect([at('2026-11-20T22:00:00Z'), head, note]).toEqual([
    '2026-11-20T22:00:00.000Z',
    '2026-11-20T20:00:00.000Z',
    '',
  ]);
});

const stageWords = ['--aws', '--stage', 'prod'];

describe('a command in a line for people', () => {
  test('names the stage that this one was about', () => {
    expect(pasteable('more: autopilot parked show 12', { env: {}, stageWords })).toBe(
      'more: autopilot --aws --stage prod parked show 12',
    );
  });

  test('begins with npx if this one did', () => {
    expect(pasteable('autopilot status', { env: { npm_command: 'exec' }, stageWords: [] })).toBe(
      'npx autopilot status',
    );
  });

  test('quotes a folder with a space for the shell', () => {
    expect(pasteable('autopilot status', { env: {}, folder: 'my stage', stageWords: [] })).toBe(
      "autopilot -C 'my stage' status",
    );
    expect(pasteable('autopilot status', { env: {}, stageWords: ['--data', 'my stage'] })).toBe(
      "autopilot --data 'my stage' status",
    );
  });

  test('stays as it is if it names its stage already', () => {
    const line = 'npx autopilot token set --aws --stage prod';

    expect(pasteable(line, { env: {}, stageWords })).toBe(line);
  });

  test.each([
    ['paste: autopilot stop --all-in-flight --data run', 'paste: npx autopilot stop --all-in-flight --data run'],
    ['paste: autopilot --stage dr@eu-west-2 thaw', 'paste: npx autopilot --stage dr@eu-west-2 thaw'],
  ])('names its stage once and begins with npx: %s', (line, pasted) => {
    // The folder was added a second time, and with --aws the npx was left out.
    expect(pasteable(line, { env: { npm_command: 'exec' }, stageWords: ['--data', 'run'] })).toBe(pasted);
  });

  test('stays as it is behind a folder that ends in its name', () => {
    // Its own first word was taken for a command: autopilot --data .npx autopilot parked list.
    expect(pasteable('autopilot --data .autopilot parked list', { env: { npm_command: 'exec' }, stageWords: [] })).toBe(
      'npx autopilot --data .autopilot parked list',
    );
  });

  test.each([
    "FROZEN by grace: it's down; stops are: autopilot thaw",
    "the gateway's or another gateway's; next: autopilot thaw",
    String.raw`autopilot freeze --reason 'it'\''s down' and then autopilot thaw`,
    "'autopilot status' is a key, and next: autopilot thaw",
  ])('gets its stage behind an apostrophe: %s', (line) => {
    expect(pasteable(line, { env: {}, stageWords })).toMatch(/autopilot --aws --stage prod thaw$/);
  });

  test('stays as it is inside of a quoted key', () => {
    const line = "paste: autopilot show 'datasets/autopilot status.csv'";

    expect(pasteable(line, { env: {}, stageWords })).toBe(
      "paste: autopilot --aws --stage prod show 'datasets/autopilot status.csv'",
    );
  });

  test('names its stage also at the end of a line in colour', () => {
    // The mark behind the word began with a letter or a digit, so the word did not seem to end.
    const stream = Object.assign(Object.create(process.stdout), {
      isTTY: true,
      getColorDepth: () => 4,
      hasColors: () => true,
    });
    const { paint } = createTerminalWriter(stream);

    const line = paint('red', 'FROZEN; next: autopilot thaw');

    expect(pasteable(line, { env: {}, stageWords })).toContain('autopilot --aws --stage prod thaw');
  });

  // Pasted without the folder, `--fresh` forgot the state of another stage.
  test.each([
    [
      ['--data', 'run 2'],
      'autopilot start --fresh sets it back',
      "autopilot start --data 'run 2' --fresh sets it back",
    ],
    [
      ['--local', '--stage', 'dev', '--data', 'run', '--as', 'Reader'],
      'start it with `autopilot start`, or name a deployed stage with --aws --stage prod',
      'start it with `autopilot start --stage dev --data run`, or name a deployed stage with --aws --stage prod',
    ],
    [['--data', 'run'], '`autopilot start --port 4571`, or', '`autopilot start --data run --port 4571`, or'],
    [['--data', 'run'], 'autopilot start --data other', 'autopilot start --data other'],
    [['--aws', '--stage', 'prod'], 'autopilot start', 'autopilot start'],
    [['--stage', 'prod@eu-west-1'], 'autopilot start', 'autopilot start'],
  ])('that starts a stage on this machine names its folder: %j', (words, line, pasted) => {
    expect(pasteable(line, { env: {}, stageWords: words })).toBe(pasted);
  });

  test('that starts a stage names the folder that the environment names', () => {
    const env = { AUTOPILOT_DATA: '/srv/run' };

    expect(pasteable('autopilot start --fresh', { env, stageWords: [] })).toBe(
      'autopilot start --data /srv/run --fresh',
    );
  });

  test('is no command if it is only the name of the product', () => {
    expect(pasteable('autopilot runs at night', { env: {}, stageWords })).toBe('autopilot runs at night');
  });
});

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

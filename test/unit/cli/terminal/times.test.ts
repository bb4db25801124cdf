import { describe, expect, test } from 'vitest';
import { timesIn } from '#cli/terminal/times.ts';
import { pastedLine } from '#operator/pasted.ts';

const now = new Date('2026-11-20T20:00:00.000Z');

describe('on a terminal a time is in the zone of the stage', () => {
  const { at, span, head, elsewhere } = timesIn('America/New_York')(now);

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

  // `04:31, 9 h 47 min ago to 14:16, 2 min ago`
  test.each([
    ['2026-11-20T09:31:00.000Z', '2026-11-20T19:16:00.000Z', '04:31 to 14:16'],
    ['2026-11-17T09:31:00.000Z', '2026-11-20T19:16:00.000Z', 'Tue 17 Nov 04:31 to Fri 20 Nov 14:16'],
  ])('from %s to %s is %s', (from, to, words) => {
    expect(span(from, to)).toBe(words);
  });

  test('the head of a screen names the zone', () => {
    expect(head).toBe('Fri 20 Nov 15:00, times in America/New_York');
  });

  test('the wall clock of another zone stands beside it, that of the same does not', () => {
    expect(elsewhere('2026-11-21T03:00:00.000Z', 'Europe/Dublin')).toBe('03:00 Europe/Dublin');
    expect(elsewhere('2026-11-21T03:00:00.000Z', 'America/New_York')).toBe('');
  });
});

test('the year is that of the calendar of the zone', () => {
  const { at } = timesIn('Pacific/Auckland')(new Date('2026-12-30T20:00:00.000Z'));

  expect(at('2026-12-31T23:30:00.000Z')).toBe('Fri 1 Jan 2027 12:30');
});

test('the hour that comes twice is told apart by how far it is', () => {
  const { at } = timesIn('Europe/Dublin')(new Date('2026-10-25T02:00:00.000Z'));

  expect([at('2026-10-25T00:30:00.000Z'), at('2026-10-25T01:30:00.000Z')]).toEqual([
    '01:30, 1 h 30 min ago',
    '01:30, 30 min ago',
  ]);
});

// A clock of the laptop, one of the stage and ISO in files: three for one night.
test('in a file each time has its date, and the zone is named with when it was written', () => {
  const { at, head, note } = timesIn('Europe/Dublin', { isFile: true })(now);

  expect([at('2026-11-20T22:00:00Z'), head, note]).toEqual([
    'Fri 20 Nov 22:00',
    'Fri 20 Nov 2026 20:00, times in Europe/Dublin',
    'times in Europe/Dublin, written Fri 20 Nov 2026 20:00',
  ]);
});

describe('a command to paste', () => {
  const stageWords = ['--aws', '--stage', 'prod'];

  test('names the stage that it is about, and begins with npx, which offers no package of a stranger', () => {
    expect(pastedLine(['autopilot', 'parked', 'show', '12'], { stageWords })).toBe(
      'npx --no -- autopilot parked show 12 --aws --stage prod',
    );
  });

  test('quotes a folder with a space for the shell', () => {
    expect(pastedLine(['autopilot', 'bind', 'nightly', 'UUID'], { folder: '/my stage', stageWords: [] })).toBe(
      "npx --no -- autopilot -C '/my stage' bind nightly UUID",
    );
    expect(pastedLine(['autopilot', 'status'], { stageWords: ['--data', 'my stage'] })).toBe(
      "npx --no -- autopilot status --data 'my stage'",
    );
  });

  test.each([
    [['autopilot', 'runbook', 'CODE'], 'npx --no -- autopilot runbook CODE'],
    [['aws', 'logs', 'tail', 'group'], 'aws logs tail group'],
    [
      ['autopilot', 'show', 'datasets/autopilot status.csv'],
      "npx --no -- autopilot show 'datasets/autopilot status.csv' --aws --stage prod",
    ],
  ])('has no words of a stage if it takes none, and no key is read as a command: %j', (command, line) => {
    expect(pastedLine(command, { stageWords })).toBe(line);
  });

  // Pasted without the folder, `--fresh` forgot the state of another stage.
  test.each([
    [['--data', 'run 2'], "npx --no -- autopilot start --fresh --data 'run 2'"],
    [
      ['--local', '--stage', 'dev', '--data', 'run', '--as', 'Reader'],
      'npx --no -- autopilot start --fresh --stage dev --data run',
    ],
    [['--aws', '--stage', 'prod'], 'npx --no -- autopilot start --fresh'],
    [['--stage', 'prod@eu-west-1'], 'npx --no -- autopilot start --fresh'],
  ])('that starts a stage on this machine names its folder: %j', (words, line) => {
    expect(pastedLine(['autopilot', 'start', '--fresh'], { stageWords: words })).toBe(line);
  });

  test.each([
    [['status'], 'status --data /b/.autopilot'],
    [['start', '--data', '/b/.autopilot'], '-C /b start --data /b/.autopilot'],
  ])(
    'that is copied to anywhere names the folder of its program, and one to work in if that matters: %j',
    (words, rest) => {
      const way = { stageWords: ['--data', '/b/.autopilot'], folder: '/b', project: '/a b' };

      expect(pastedLine(['autopilot', ...words], way)).toBe(`npx --prefix '/a b' --no -- autopilot ${rest}`);
    },
  );
});

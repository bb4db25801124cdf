import { describe, expect, test } from 'vitest';
import { command } from '#cli/stage/clock.ts';
import { argumentsOf, fakeClock, fakeDeps, textOf } from '../../operator/fake-deps.ts';

const hour = 3_600_000;

const tick = (minute: number) => ({ schedule: 'poll', at: `2026-11-20T22:${minute}:00.000Z` });

describe('clock', () => {
  test.each([
    [['+8h'], 8 * hour],
    [['8h'], 8 * hour],
    [['+1 day'], 24 * hour],
    [['--to', '2026-11-20T23:00:00+01:00'], 2 * hour],
  ])('moves forward by %j and tells what fired', async (argv, milliseconds) => {
    const clock = fakeClock();

    const result = await command.run(argumentsOf(command, ...argv), fakeDeps({ clock }).deps);

    expect(clock.moves.reduce((sum, move) => sum + move)).toBe(milliseconds);
    expect(textOf(result).split('\n').slice(1)).toEqual(['  weeknights  2026-11-20T22:00:00.000Z']);
  });

  test('tells many occurrences of one schedule in one line, where the first one fell, and the others one by one', async () => {
    const night = [
      tick(10),
      { schedule: 'weeknights', at: '2026-11-20T22:15:00.000Z' },
      tick(20),
      tick(30),
      tick(40),
      { schedule: 'by-morning', at: '2026-11-21T06:00:00.000Z' },
    ];

    const result = await command.run(argumentsOf(command, '+10h'), fakeDeps({ clock: fakeClock(night) }).deps);

    expect(textOf(result).split('\n').slice(1)).toEqual([
      '  poll        22:10 to 22:40, 4 times',
      '  weeknights  2026-11-20T22:15:00.000Z',
      '  by-morning  2026-11-21T06:00:00.000Z',
    ]);
    expect(result.data).toMatchObject({ fired: night });
  });

  // One request for all of it was given up after five minutes, while the clock went on.
  test('moves hour by hour, and stops between two of them at Ctrl-C', async () => {
    const clock = fakeClock([]);
    const ctrlC = new AbortController();
    const stopping = {
      ...clock,
      forward: async (ms: number) => {
        if (clock.moves.length === 2) ctrlC.abort();
        return clock.forward(ms);
      },
    };
    const { deps, told } = fakeDeps({ clock: stopping, interruption: ctrlC.signal });

    const result = await command.run(argumentsOf(command, '+25h'), deps);

    expect(clock.moves).toEqual([hour, hour, hour]);
    expect(told).toEqual(['stopped: the clock was moved 3 h of 25 h']);
    expect(result.data).toMatchObject({ now: '2026-11-20T23:00:00.000Z' });
  });

  // It said "fetch failed", and a person had to ask how far the clock had come.
  test('says how far it came if the stage goes away on the way', async () => {
    const clock = fakeClock([]);
    const dying = {
      ...clock,
      forward: async (ms: number) => {
        if (clock.moves.length === 3) {
          throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'UND_ERR_SOCKET' }) });
        }
        return clock.forward(ms);
      },
    };

    await expect(command.run(argumentsOf(command, '+5d'), fakeDeps({ clock: dying }).deps)).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message: expect.stringMatching(
        /^the clock was moved at least 3 h of 5 days before this: http:\S+ ended the connection/,
      ),
    });
  });

  test('moves further than a month only with --yes', async () => {
    const clock = fakeClock([]);

    await command.run(argumentsOf(command, '+40d', '--yes'), fakeDeps({ clock }).deps);

    expect(clock.moves).toHaveLength(40 * 24);
  });

  test('says so when nothing fell due on the way', async () => {
    const result = await command.run(argumentsOf(command, '+8h'), fakeDeps({ clock: fakeClock([]) }).deps);

    expect(textOf(result)).toContain('nothing fell due');
  });

  test('only shows without a word', async () => {
    const clock = fakeClock();

    const result = await command.run(argumentsOf(command), fakeDeps({ clock }).deps);

    expect(clock.moves).toEqual([]);
    expect(textOf(result)).toBe('2026-11-20T20:00:00.000Z, the time of this machine');
    expect(result.data).toEqual({ now: '2026-11-20T20:00:00.000Z', offsetMs: 0 });
  });

  test.each([
    [['--to', '2026-11-20T19:00:00Z'], /only moves forward/],
    [['--to', 'tomorrow'], /is not a time, for example 06:00/],
    [['--to', '2026-02-30T00:00:00Z'], /--to: there is no such date as 2026-02-30/],
    [['soon'], /not a duration/],
    [['+2000d'], /that is 2000 days, .* add --yes if you mean it/],
    [['+99999d'], /"99999d" is not a duration, for example/],
    [['+8h', '--to', '2026-11-20T23:00:00Z'], /not both/],
  ])('refuses %j and stays', async (argv, sentence) => {
    const clock = fakeClock();

    await expect(command.run(argumentsOf(command, ...argv), fakeDeps({ clock }).deps)).rejects.toThrow(sentence);
    expect(clock.moves).toEqual([]);
  });
});

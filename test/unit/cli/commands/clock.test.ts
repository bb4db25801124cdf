import { describe, expect, test } from 'vitest';
import { command } from '../../../../cli/commands/clock.ts';
import { argumentsOf, fakeClock, fakeDeps, textOf } from '../fake-deps.ts';

const hour = 3_600_000;

describe('clock', () => {
  test.each([
    [['+8h'], 8 * hour],
    [['8h'], 8 * hour],
    [['+1 day'], 24 * hour],
    [['--to', '2026-11-20T23:00:00+01:00'], 2 * hour],
  ])('moves forward by %j and tells what fired', async (argv, milliseconds) => {
    const clock = fakeClock();

    const result = await command.run(argumentsOf(command, ...argv), fakeDeps({ clock }).deps);

    expect(clock.moves).toEqual([milliseconds]);
    expect(textOf(result)).toContain('fired weeknights at 2026-11-20T22:00:00Z');
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
    [['--to', '2026-11-20T23:00:00'], /is no instant/],
    [['--to', 'tomorrow'], /is no instant/],
    [['soon'], /no duration/],
    [['+8', 'hours'], /one more/],
    [['+8h', '--to', '2026-11-20T23:00:00Z'], /not both/],
  ])('refuses %j and stays', async (argv, sentence) => {
    const clock = fakeClock();

    await expect(command.run(argumentsOf(command, ...argv), fakeDeps({ clock }).deps)).rejects.toThrow(sentence);
    expect(clock.moves).toEqual([]);
  });

  test('is not there in AWS', async () => {
    const { deps } = fakeDeps({ target: { kind: 'aws', stage: 'prod' } });

    await expect(command.run(argumentsOf(command, '+8h'), deps)).rejects.toThrow(/only the run on this machine/);
  });

  test('says so where another emulator answers', async () => {
    const clock = { ...fakeClock(), read: async () => undefined };

    await expect(command.run(argumentsOf(command), fakeDeps({ clock }).deps)).rejects.toThrow(/no run of this project/);
  });
});

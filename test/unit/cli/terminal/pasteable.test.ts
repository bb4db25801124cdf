import { describe, expect, test } from 'vitest';
import { pasteable } from '#cli/terminal/pasteable.ts';
import { createTerminalWriter } from '#shared/text/terminal-writer.ts';

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

  test('is no command if it is only the name of the product', () => {
    expect(pasteable('autopilot runs at night', { env: {}, stageWords })).toBe('autopilot runs at night');
  });
});

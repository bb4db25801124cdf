import { expect, test } from 'vitest';
import { readStartOptions } from '#local/stage/start-options.ts';

test('the embedded gateway gets its profile, the length of its runs and its late answer', () => {
  const args = ['--gateway-profile', 'real', '--gateway-run-length', '2 hours', '--gateway-late', 'refuse'];

  expect(readStartOptions(args, '/')).toMatchObject({
    embedded: { profile: 'real', runLengthMs: 7_200_000, late: 'refuse' },
  });
  expect(readStartOptions([], '/')).toMatchObject({ embedded: {} });
});

test.each([
  [['--gateway-profile', 'lenient'], '--gateway-profile must be real or interface, not "lenient"'],
  [['--gateway-profile', 'interface', '--gateway-late', 'refuse'], '--gateway-late needs --gateway-profile real'],
  [['--gateway-profile', 'real', '--gateway-run-length', '3x'], '--gateway-run-length "3x" is not a duration'],
  [
    ['nightly'],
    'unexpected argument "nightly". A run is started by send start: npx --no -- autopilot send start nightly',
  ],
  [['--data', '/b', 'nightly'], 'autopilot send start nightly --data /b'],
  [['--gateway-strict'], "unknown option '--gateway-strict'"],
])('%j is a wrong command line, in one sentence and with exit code 2', (args, message) => {
  expect(() => readStartOptions(args, '/')).toThrow(
    expect.objectContaining({ name: 'StartProblem', exitCode: 2, message: expect.stringContaining(message) }),
  );
});

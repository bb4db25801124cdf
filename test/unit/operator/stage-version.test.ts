import { expect, test } from 'vitest';
import { versionStanding } from '#operator/stage/ask-stage.ts';

test('says nothing of a stage that this very version deployed', () => {
  expect(versionStanding({ AutopilotVersion: '1.4.2' }, '1.4.2')).toEqual({ stage: '1.4.2' });
});

test.each([
  ['1.4.2', '1.4.10', 'deploy this version'],
  ['1.4.2', '2.0.0', 'deploy this version'],
  ['1.4.2-rc.1', '1.4.2', 'deploy this version'],
  ['1.4.2-rc.1', '1.4.2-rc.2', 'deploy this version'],
  ['1.10.0', '1.9.0', 'install gateway-autopilot@1.10.0'],
  ['1.4.2', '1.4.2-rc.1', 'install gateway-autopilot@1.4.2'],
])('of a stage of %s and a command of %s it says what to do: %s', (stage, own, step) => {
  const { says } = versionStanding({ AutopilotVersion: stage }, own);

  expect(says).toBe(`this stage is ${stage}, this command is ${own}: ${step}. Until then only what both know works`);
});

test('takes a stage that does not say its version for one of 0.9.0 or older', () => {
  expect(versionStanding({}, '1.0.0').says).toMatch(
    /^this stage is 0\.9\.0 or older, this command is 1\.0\.0: deploy this version/,
  );
});

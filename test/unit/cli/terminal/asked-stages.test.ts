import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { argumentsOf } from '../../operator/fake-deps.ts';
import { askedStages } from '#cli/terminal/asked-stages.ts';

function asked(line: string, env: Record<string, string> = {}) {
  return askedStages(argumentsOf({ line: { says: '' } }, ...line.split(' ')), env).map(({ label, words, args }) => ({
    label,
    words: words.join(' '),
    kind: args.flag('aws') ? 'aws' : 'local',
    ...Object.fromEntries(['stage', 'region', 'profile', 'data'].map((name) => [name, args.text(name)])),
  }));
}

test('a stage may name its region and its profile', () => {
  expect(asked('--stage prod@eu-west-1:ops/a:b')).toEqual([
    {
      label: 'prod@eu-west-1:ops/a:b',
      words: '--stage prod@eu-west-1:ops/a:b',
      kind: 'aws',
      stage: 'prod',
      region: 'eu-west-1',
      profile: 'ops/a:b',
      data: undefined,
    },
  ]);
});

test('what a stage does not name itself comes from the options for all', () => {
  const stages = asked('--aws --stage prod --stage dr@eu-west-2 --region eu-west-1 --profile ops');

  expect(stages).toMatchObject([
    {
      stage: 'prod',
      region: 'eu-west-1',
      profile: 'ops',
      words: '--aws --stage prod --profile ops --region eu-west-1',
    },
    { stage: 'dr', region: 'eu-west-2', profile: 'ops' },
  ]);
});

test('several folders are several local runs', () => {
  expect(asked('--data a --data b --as Reader')).toMatchObject([
    { label: 'a', data: 'a', kind: 'local', words: `--data ${resolve('a')} --as Reader` },
    { label: 'b', data: 'b', kind: 'local', words: `--data ${resolve('b')} --as Reader` },
  ]);
});

// Several were named ../n1/.autopilot.
test.each([
  ['--data ../n1/.autopilot --data ../n2/.autopilot', ['n1', 'n2']],
  ['--data /x/n1/.autopilot --data /y/n1/.autopilot', ['/x/n1/.autopilot', '/y/n1/.autopilot']],
])('folders go by their names, unless two are alike: %s', (line, labels) => {
  expect(asked(line).map(({ label }) => label)).toEqual(labels);
});

// Pasted into another shell, a line met another stage.
test.each([
  ['--utc', { AUTOPILOT_DATA: '/x/.autopilot' }, '--data /x/.autopilot'],
  ['--data ../n1', {}, `--data ${resolve('../n1')}`],
  [
    '--stage prod',
    { AUTOPILOT_TARGET: 'aws', AWS_PROFILE: 'ops', AWS_REGION: 'eu-west-1', AUTOPILOT_DATA: '/x' },
    '--aws --stage prod --profile ops --region eu-west-1',
  ],
  ['--stage prod@eu-west-2:work', { AWS_PROFILE: 'ops' }, '--stage prod@eu-west-2:work'],
])('the words of %j with %j lead to the stage from any folder and shell', (line, env, words) => {
  expect(asked(line, env)).toMatchObject([{ words }]);
});

test.each([
  [
    '--stage a --stage b',
    '--stage is there 2 times (a and b): name stages in AWS by their region (--stage a@eu-west-1)',
  ],
  ['--local --stage a --stage b', '--stage is there 2 times'],
  ['--stage a@eu-west-1 --stage b', '--stage b@eu-west-1'],
  ['--stage a@eu-west-1 --stage b@eu-west-1 --data x', 'give one of them'],
  ['--local --stage a@eu-west-1', 'is in AWS, and --local is this machine'],
  ['--stage a@', 'is none of NAME, NAME@REGION and NAME@REGION:PROFILE'],
  ['--stage a@:ops', 'is none of NAME'],
  ['--stage a@eu-west-1:', 'is none of NAME'],
])('%s is refused', (line, words) => {
  expect(() => asked(line)).toThrow(words);
});

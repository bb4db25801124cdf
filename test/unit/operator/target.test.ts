import { describe, expect, test } from 'vitest';
import { wordsTo } from '#operator/target.ts';

describe('the words that lead another command to a target', () => {
  test('name the folder of a local run, and the policy that it is asked under', () => {
    const run = {
      kind: 'local',
      stage: 'local',
      region: 'eu-west-1',
      endpoint: 'http://127.0.0.1:1',
      folder: '/a',
    } as const;

    expect(wordsTo(run)).toEqual(['--data', '/a']);
    expect(wordsTo({ ...run, policy: 'Reader' })).toEqual(['--data', '/a', '--as', 'Reader']);
  });

  test('name stage, region and profile in AWS', () => {
    expect(wordsTo({ kind: 'aws', stage: 'prod' })).toEqual(['--aws', '--stage', 'prod']);
    expect(wordsTo({ kind: 'aws', stage: 'prod', region: 'us-east-1', profile: 'work' })).toEqual([
      '--aws',
      '--stage',
      'prod',
      '--region',
      'us-east-1',
      '--profile',
      'work',
    ]);
  });
});

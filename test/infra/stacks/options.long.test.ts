import { beforeAll, describe, expect, test } from 'vitest';
import { type StageTemplates } from '../template.ts';
import { allOptions, options, touched } from './options.ts';
import { stageWith } from './stage-with.ts';

describe.each(['prod', 'dev'])('the stage %s', (name) => {
  let plain: StageTemplates;

  beforeAll(async () => {
    plain = await stageWith({}, name);
  });

  test.each(Object.entries(options))('has %s where it is written, and nothing else is another', async (_option, it) => {
    const stage = await stageWith(it.changes, name);

    it.shows?.(stage);
    const differing = touched(plain, stage).filter((kind) => !kind.endsWith(' Tags'));
    expect(differing).toEqual(it.touches);
  });

  test('has all of them together', async () => {
    const stage = await stageWith(allOptions, name);

    for (const { shows } of Object.values(options)) shows?.(stage);
    const each = Object.values(options).flatMap(({ touches }) => touches);
    // Less than each by itself: with a bucket of another owner there is none to encrypt.
    expect(each).toEqual(expect.arrayContaining(touched(plain, stage).filter((kind) => !kind.endsWith(' Tags'))));
  });

  test('has none of them by itself', () => {
    const text = JSON.stringify([plain.state.resources, plain.workers.resources]);

    for (const word of ['VpcConfig', 'PermissionsBoundary', '"Tags"', 'ec2:', 'BEGIN CERTIFICATE']) {
      expect(text, word).not.toContain(word);
    }
    expect(plain.state.outputs).not.toHaveProperty('BucketNotifications');
  });
});

test('a stage on one machine takes nothing of the account: it stays what it was', async () => {
  const [plain, stage] = await Promise.all([
    stageWith({}, 'local'),
    stageWith({ deployment: allOptions.deployment ?? {} }, 'local'),
  ]);

  expect(touched(plain, stage)).toEqual([]);
});

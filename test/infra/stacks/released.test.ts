import { describe, expect, test } from 'vitest';
import {
  optionNames,
  readReleased,
  type ReleasedStage,
  stageOfOption,
  templateVersions,
  writeReleased,
} from './released-stage.ts';
import { productVersion } from '#shared/vocabulary/product-version.ts';

/**
 * Properties of the state that CloudFormation changes without a replacement ("Update requires: No
 * interruption" of the type's page in its Template Reference). A property that is not here turns
 * this red until its page was read.
 */
const changedInPlace: ReadonlySet<string> = new Set([
  'AWS::IAM::ManagedPolicy PolicyDocument',
  'AWS::IAM::Policy PolicyDocument',
  'AWS::KMS::Key KeyPolicy',
  'AWS::S3::BucketPolicy PolicyDocument',
  'AWS::SQS::QueuePolicy PolicyDocument',
]);

/**
 * Permissions that a version added, by action and where they stand, with the reason: a new line is
 * a decision, and a line of CHANGELOG.md.
 */
const added: readonly { readonly permission: RegExp; readonly reason: string }[] = [
  {
    permission: /^RegisterDatasetsFunction\S+ Allow s3:ListBucketVersions on /,
    reason: 'S3 answers 403 for a deleted version without it',
  },
  {
    permission:
      /^ReconcileLedgerFunction\S+ Allow (?:dynamodb:BatchGetItem|events:PutEvents|scheduler:GetSchedule) on /,
    reason: 'the reconciler sees which schedules are silent, and tells it',
  },
  {
    permission: /^ParkDeadLettersFunction\S+ Allow dynamodb:BatchGetItem on /,
    reason: 'a command that its queue gave up ends with the runs that it was about',
  },
  {
    permission: /^(?:Reader|Operator)\S* Allow s3:ListBucket on /,
    reason: 'doctor looks for files outside of the prefix, at the top of the bucket alone',
  },
  { permission: /^LinkTester\S* Allow /, reason: 'a policy of its own for doctor --deep, attached to no role' },
];

/** `npm run upgrade:state`, at the tag of a minor version. */
test.runIf(process.env['KEEP_RELEASED'] === 'true')('keeps what this version deploys', async () => {
  await writeReleased(productVersion);

  expect(Object.keys(readReleased(productVersion))).toEqual(optionNames);
});

describe.each(templateVersions)('a stage of %s', (version) => {
  const released = readReleased(version);

  test.each(optionNames.filter((name) => name in released))(
    'with the option %s keeps its state in an upgrade',
    async (name) => {
      const before = released[name];
      const after = await stageOfOption(name);
      expect(before).toBeDefined();
      if (before === undefined) return;

      expect(replacedOrRemoved(before, after)).toEqual([]);
      expect(before.exports.filter((exported) => !after.exports.includes(exported))).toEqual([]);
      const more = after.permissions.filter((line) => !before.permissions.includes(line));
      expect(more.filter((line) => !added.some(({ permission }) => permission.test(line)))).toEqual([]);
    },
  );
});

/**
 * Resources of the state that an upgrade takes away, makes again, or changes in a property whose
 * page was not read.
 */
function replacedOrRemoved(before: ReleasedStage, after: ReleasedStage): string[] {
  return Object.entries(before.state).flatMap(([id, { Type, Properties }]) => {
    const now = after.state[id];
    if (now === undefined) return [`${id} (${Type}) is removed`];
    if (now.Type !== Type) return [`${id} (${Type}) becomes ${now.Type}`];
    const names = [...new Set([...Object.keys(Properties), ...Object.keys(now.Properties)])];
    return names
      .filter((name) => JSON.stringify(Properties[name]) !== JSON.stringify(now.Properties[name]))
      .filter((name) => !changedInPlace.has(`${Type} ${name}`))
      .map((name) => `${id} (${Type}) changes ${name}`);
  });
}

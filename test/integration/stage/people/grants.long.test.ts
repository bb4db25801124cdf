import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import type { AccessRequest, Authority } from '#local/aws/iam/authority.ts';
import { type ResolvedAssembly, resourcesOfType } from '#local/template/cloud-assembly.ts';
import { developerKey } from '../../../builders/developer-key.ts';
import { doAllWork, type FailingStage, whileMinutesPass } from '../harness/all-work.ts';
import {
  type AccessRecord,
  askForAbsentServices,
  clientOfPerson,
  grantsOf,
  putFilesOfPeople,
  type RecordingAuthority,
  recordingAuthority,
  refusedWithout,
  type StackGrant,
  withGrant,
  withoutGrant,
} from '../harness/grants-of-template.ts';
import { openInProcessStage } from '../harness/in-process-stage.ts';

let template: ResolvedAssembly;
/** The authority that decides now: of the template as it is, or of the template less one grant. */
let deciding: RecordingAuthority;
let isRefused: (request: AccessRequest) => boolean = () => false;
/** What the template refused meanwhile. */
let denials: ReturnType<RecordingAuthority['denials']>;
/** What the template allowed, and was asked for, while everything was done that can be done. */
let used: readonly AccessRecord[];

const stage: FailingStage = {
  ...(await openInProcessStage({
    stageName: 'chaos',
    configIn: writeConfig,
    authorityFor(assembly) {
      template = assembly;
      deciding = recordingAuthority(template, developerKey);
      return delegate(deciding);
    },
  })),
  refuse(choose = () => false) {
    isRefused = choose;
  },
};
afterAll(stage.close);

beforeAll(async () => {
  await putFilesOfPeople(stage.stage)
    .then(async () => doAllWork(stage))
    .catch((error: unknown) => {
      if (deciding.denials().length === 0) throw error; // else the denial is the reason, and the first test names it
    });
  askForAbsentServices(deciding, template);
  await whileMinutesPass(
    stage,
    'every grant to be used',
    async () => unusedGrants(template).length === 0 || deciding.denials().length > 0,
  ).catch(() => {}); // the tests say which ones were not
  used = deciding.used();
  denials = deciding.denials();
});

/**
 * The example, and what it has no use for: a campaign whose newer start stops the run in flight.
 */
function writeConfig(folder: string): string {
  const example = pathToFileURL(join(process.cwd(), 'automation.config.ts')).href;
  const runs = { replaced: { campaignRunIds: seedIds.campaignRuns.nightly.slice(20), stopAfter: '30 minutes' } };
  const campaign = JSON.stringify({ overlap: 'stop-previous', runs });
  const path = join(folder, 'grants.config.ts');
  writeFileSync(
    path,
    `import stages from ${JSON.stringify(example)};
const { local } = stages;
export default { ...stages, local: { ...local, campaigns: { ...local.campaigns, replaced: ${campaign} } } };
`,
  );
  return path;
}

/**
 * The keys stay those that the functions were given; what they may do is asked of the policies of
 * now.
 */
function delegate(keys: Authority): Authority {
  return {
    ...keys,
    authorize: (request) =>
      isRefused(request) ? { allowed: false, message: 'an outage' } : deciding.authorize(request),
  };
}

/**
 * What the workers, the services and the people who put files are granted; people.long.test.ts and
 * link-tester.long.test.ts have the policies of the command.
 */
function grantsOfWork(assembly: ResolvedAssembly): StackGrant[] {
  return grantsOf(assembly).filter(({ policy }) => !/^(Reader|Operator|LinkTester(Role\w*)?)[0-9A-F]{8}$/.test(policy));
}

/** Grants of a template that nothing recorded needs. */
function unusedGrants(assembly: ResolvedAssembly, records: readonly AccessRecord[] = deciding.used()): StackGrant[] {
  return grantsOfWork(assembly).filter((grant) => refusedWithout(assembly, grant, records).length === 0);
}

function grantNamed(action: string, policy: RegExp): StackGrant {
  const found = grantsOf(template).find((grant) => grant.action === action && policy.test(grant.policy));
  if (found === undefined) throw new Error(`the template does not grant ${action} in ${policy.source}`);
  return found;
}

test('nothing is denied to the template as it is', () => {
  expect(denials).toEqual([]);
});

test('each grant was used: without it something that was done is refused, by the name of action and resource', () => {
  const grants = grantsOfWork(template);
  const wrong = grants.flatMap((grant) => {
    const refusals = refusedWithout(template, grant, used);
    const isNamed = refusals.some((message) => message.includes(`to perform: ${grant.action} on resource: arn:aws:`));
    return isNamed ? [] : [`${grant.policy} ${grant.action} ${grant.resource}`];
  });

  expect(wrong).toEqual([]);
  expect(grants.length).toBeGreaterThan(80);
});

test('a grant too many is found: another action, another resource, another of the same kind', () => {
  const ledger = grantNamed('dynamodb:PutItem', /^UpdateCampaignRuns/);
  const [bucket] = resourcesOfType(template, 'AWS::S3::Bucket');
  const tooMany: StackGrant[] = [
    { ...ledger, action: 'dynamodb:DeleteItem' },
    { ...ledger, action: 's3:GetObject', resource: `${bucket?.arn}/other/*` },
    {
      ...grantNamed('sqs:SendMessage', /^RegisterDatasets/),
      resource: grantNamed('sqs:SendMessage', /^UploadsPolicy/).resource,
    },
  ];

  for (const grant of tooMany) expect(unusedGrants(withGrant(template, grant), used)).toEqual([grant]);
});

test.each([
  ['DatasetsWriter', 'datasets/pii/starts.csv'], // its rule says thenStart
  ['StartingDatasetsWriter', 'elsewhere/test.csv'],
  ['DatasetsWriter', 'elsewhere/test.csv'],
])('a person with the policy %s alone may not put %s', async (policy, key) => {
  const s3 = clientOfPerson(stage.stage, policy);

  const put = s3.send(new PutObjectCommand({ Bucket: stage.aws.bucket, Key: key, Body: '{}' }));

  await expect(put).rejects.toMatchObject({ name: 'AccessDenied', message: expect.stringContaining('s3:PutObject') });
  s3.destroy();
});

test.each([
  ['its worker', 'dynamodb:PutItem', /^ParkDeadLetters/],
  ['Lambda, for its worker', 'sqs:ReceiveMessage', /^ParkDeadLetters/],
  ['the bucket', 'sqs:SendMessage', /^UploadsPolicy/],
])(
  'what the records say is what happens: %s meets AccessDenied when %s is taken away',
  async (_who, action, policy) => {
    const grant = grantNamed(action, policy);
    const foretold = refusedWithout(template, grant, used).map(withoutSession);
    deciding = recordingAuthority(withoutGrant(template, grant), developerKey);

    await stage.aws.send('CommandsDeadLetters', `given up without ${action}`);
    await stage.aws.put('datasets/untold.csv', 'nothing');
    const denial = await whileMinutesPass(stage, `a denial of ${action}`, async () =>
      deciding.denials().find((one) => one.action === action),
    );

    expect(denial.message).toContain('is not authorized to perform');
    expect(foretold).toContain(withoutSession(denial.message));
  },
);

/** Who took the role on, the function or the records, is no matter. */
function withoutSession(message: string): string {
  return message.replace(/(assumed-role\/[^/]+)\/\S+/, '$1');
}

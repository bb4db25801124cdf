import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DescribeChangeSetOutput, ResourceChange } from '@aws-sdk/client-cloudformation';
import { describe, expect, test } from 'vitest';
import { readChangeSet } from '#infra/deploy/resource-losses.ts';
import { deployStage } from '#infra/deploy/deploy-stage.ts';
import { packageFolder } from '#shared/places.ts';
import { runWith } from './fake-terminal.ts';

const state = 'GatewayAutopilot-prod-State';
const all = 'deploy --all --require-approval never --app BUILD/assembly/prod';
const arn = 'arn:aws:cloudformation:eu-west-1:123456789012:changeSet/cdk-deploy-change-set/1234abcd-12ab-34cd';

/** A page of a change set as the API Reference gives it; none was recorded in an account. */
type Page = Partial<DescribeChangeSetOutput>;

const pageOf = (changes: readonly Partial<ResourceChange>[], NextToken?: string): Page => ({
  Status: 'CREATE_COMPLETE',
  Changes: changes.map((change) => ({ Type: 'Resource', ResourceChange: { Details: [], ...change } })),
  NextToken,
});

/** `autopilot deploy --yes` if the CDK has planned this change set; without pages it may not be read. */
async function deploy(pages: readonly Page[], more = '') {
  const client = {
    async send({ input: { NextToken } }: { readonly input: { readonly NextToken?: string | undefined } }) {
      const page = pages[NextToken === undefined ? 0 : pages.findIndex((one) => one.NextToken === NextToken) + 1];
      if (page === undefined) throw new Error('is not authorized to perform: cloudformation:DescribeChangeSet');
      return page;
    },
  };
  return runWith(deployStage, `--stage prod --yes ${more}`, {
    readChangeSet: async (planned) => readChangeSet(client, planned),
    answers: {
      diff: { says: 'Number of stacks with differences: 1\n' },
      [`deploy ${state}`]: {
        says: `Changeset ${arn} created and waiting in review for manual execution (--no-execute)\n ✅  ${state}\n`,
      },
    },
  });
}

type Change = Omit<Partial<ResourceChange>, 'Details'> & { readonly changes?: readonly string[] };

/** A change of the ledger, by the properties that replace it. */
function changeOf({ changes = [], ...change }: Change): Partial<ResourceChange> {
  const Details = changes.map((Name) => ({
    Target: { Attribute: 'Properties' as const, Name, RequiresRecreation: 'Always' as const },
  }));
  const never = { Target: { Attribute: 'Properties' as const, Name: 'Tags', RequiresRecreation: 'Never' as const } };
  return { LogicalResourceId: 'Ledger', ResourceType: 'AWS::DynamoDB::Table', Details: [...Details, never], ...change };
}

/** What an upgrade or a changed setting does. */
const harmless: readonly (readonly [what: string, change: Change])[] = [
  ['a first deployment', { Action: 'Add' }],
  ['a tag or a limit', { Action: 'Modify', Replacement: 'False', Scope: ['Properties', 'Tags'] }],
  ['a metadata entry', { Action: 'Modify', Replacement: 'False', Scope: ['Metadata'] }],
  ['a bucket that is taken in again', { Action: 'Import' }],
  ['what a hand changed, put back', { Action: 'SyncWithActual', Replacement: 'False' }],
];

/** What loses data, or may, and what is said of it. */
const harmful: readonly (readonly [what: string, change: Change, says: string])[] = [
  [
    'another key',
    { Action: 'Modify', Replacement: 'True', changes: ['KeySchema'] },
    'is replaced, by a change of KeySchema',
  ],
  [
    'a replacement that is kept',
    { Action: 'Modify', Replacement: 'True', PolicyAction: 'ReplaceAndRetain', changes: ['Name'] },
    'is replaced, by a change of Name',
  ],
  [
    'what may be made again',
    { Action: 'Modify', Replacement: 'Conditional', changes: ['FifoQueue'] },
    'may be replaced, by a change of FifoQueue',
  ],
  ['a removal', { Action: 'Remove' }, 'is removed'],
  ['a removal of a key', { Action: 'Remove', PolicyAction: 'Delete' }, 'is removed'],
  ['one that is let go', { Action: 'Remove', PolicyAction: 'Retain' }, 'leaves the stack and stays in the account'],
  [
    'what is not known',
    { Action: 'Dynamic' },
    'may be replaced or removed: CloudFormation cannot say before it deploys',
  ],
  [
    'a nested stack',
    { Action: 'Modify', Replacement: 'False', ResourceType: 'AWS::CloudFormation::Stack' },
    'may lose anything: the change set does not hold what changes in it',
  ],
];

describe('deploy --yes', () => {
  test.each(harmless)('executes the very plan of %s', async (_what, change) => {
    const { exitCode, refusal, cdk } = await deploy([pageOf([changeOf(change)])]);

    expect([exitCode, refusal]).toEqual([0, undefined]);
    expect(cdk.slice(3)).toEqual([
      `deploy ${state} --require-approval never --method execute-change-set --change-set-name ${arn} --app BUILD/assembly/prod`,
      all,
    ]);
  });

  test.each(harmful)('refuses %s, by name', async (_what, change, says) => {
    const { exitCode, refusal, cdk, calls } = await deploy([pageOf([changeOf({ Action: 'Add' }), changeOf(change)])]);

    expect(exitCode).toBe(4);
    const { ResourceType = 'AWS::DynamoDB::Table' } = change;
    expect(refusal?.split('\n').slice(1, -2)).toEqual([`  Ledger (${ResourceType}) ${says}`]);
    expect(refusal).toContain(`The plan: ${arn}`);
    expect(cdk).toHaveLength(3);
    expect(calls.some(({ program }) => program === 'autopilot')).toBe(false);
  });

  test('reads the plan to its last page', async () => {
    const { refusal } = await deploy([
      pageOf([], 'page-2'),
      pageOf([], 'page-3'),
      pageOf([changeOf({ Action: 'Remove' })]),
    ]);

    expect(refusal).toContain('Ledger (AWS::DynamoDB::Table) is removed');
  });

  test('lets go what is named, and nothing beside it; a name that lets nothing go can be taken out', async () => {
    const pages = [pageOf(['A', 'B'].map((LogicalResourceId) => changeOf({ LogicalResourceId, Action: 'Remove' })))];

    const one = await deploy(pages, '--allow-replace A');
    const both = await deploy(pages, '--allow-replace B --allow-replace A --allow-replace C');

    expect([one.exitCode, one.refusal?.match(/--allow-replace \S+/g)]).toEqual([4, ['--allow-replace B.']]);
    expect([both.exitCode, both.cdk.at(-1)]).toEqual([0, all]);
    expect(both.said).toContain('--allow-replace C: nothing replaces or removes it this time');
  });

  test.each([
    ['may not be read', [], /DescribeChangeSet; who deploys needs cloudformation:DescribeChangeSet on that stack$/],
    ['is not complete', [{ Status: 'CREATE_IN_PROGRESS' as const }], /is CREATE_IN_PROGRESS: no reason given/],
    ['holds what is no resource', [{ Status: 'CREATE_COMPLETE' as const, Changes: [{}] }], /none of a resource/],
  ])('deploys nothing by a plan that %s', async (_what, pages, why) => {
    const { exitCode, refusal, cdk } = await deploy(pages);

    expect(exitCode).toBe(1);
    expect(refusal).toMatch(
      /^the change set of GatewayAutopilot-prod-State cannot be read, and --yes deploys nothing unread/,
    );
    expect(refusal).toMatch(why);
    expect(cdk).toHaveLength(3);
  });

  test('deploys nothing if the CDK names no plan', async () => {
    const answers = { diff: { says: 'Number of stacks with differences: 1\n' } };

    const { exitCode, refusal, cdk } = await runWith(deployStage, '--stage prod --yes', { answers });

    expect(exitCode).toBe(1);
    expect(refusal).toBe(`the CDK did not name the change set of ${state}, and --yes deploys nothing unread`);
    expect(cdk).toHaveLength(3);
  });
});

test('the pinned CDK says what is looked for in its words', () => {
  const cdk = readFileSync(join(packageFolder, 'node_modules/aws-cdk/lib/index.js'), 'utf8');

  for (const words of [
    'Changeset %s created and waiting in review for manual execution',
    '%s (no changes)',
    "No bucket named '",
    'must be uploaded to S3',
    "Use 'cdk bootstrap' to correct this",
  ]) {
    expect(cdk).toContain(words);
  }
});

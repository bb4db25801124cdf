import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deployStage } from '#infra/deploy/deploy-stage.ts';
import { container, element } from '#local/aws/wire/xml.ts';
import { packageFolder } from '#shared/places.ts';
import { harmful, type HarmfulChangeSet, harmless, type Pages, type RecordedChangeSet } from './change-sets.ts';
import { runWith } from './fake-terminal.ts';

const state = 'GatewayAutopilot-prod-State';
const all = 'deploy --all --require-approval never --app BUILD/assembly/prod';

/** `npm run deploy -- --yes` if the CDK has planned this change set. */
async function deploy({ arn, pages }: Omit<RecordedChangeSet, 'name'>, more = '') {
  await using server = await serveChangeSets(pages);
  // Awaited here: the server ends with this function.
  return await runWith(deployStage, `--stage prod --yes ${more}`, {
    cloudFormation: server.url,
    answers: {
      diff: { says: 'Number of stacks with differences: 1\n' },
      [`deploy ${state}`]: {
        says: `Changeset ${arn} created and waiting in review for manual execution (--no-execute)\n ✅  ${state}\n`,
      },
    },
  });
}

describe('deploy --yes', () => {
  test.each(harmless.map((set) => [set.name, set] as const))('executes the very plan of %s', async (_name, set) => {
    const { exitCode, refusal, cdk } = await deploy(set);

    expect(refusal).toBeUndefined();
    expect(exitCode).toBe(0);
    expect(cdk.slice(3)).toEqual([
      `deploy ${state} --require-approval never --method execute-change-set --change-set-name ${set.arn} --app BUILD/assembly/prod`,
      all,
    ]);
  });

  test.each(harmful.map((set) => [set.name, set] as const))('refuses %s, by name', async (_name, set) => {
    const { exitCode, refusal, cdk, calls } = await deploy(set);

    expect(exitCode).toBe(4);
    expect(refusal?.split('\n').slice(1, -2)).toEqual(set.refusals.map((line) => `  ${line}`));
    expect(refusal).toContain(`The plan: ${set.arn}`);
    expect(cdk).toHaveLength(3);
    expect(calls.some(({ program }) => program === 'autopilot')).toBe(false);
  });

  test('lets go what is named, and nothing beside it', async () => {
    const [set] = harmful.filter(({ refusals }) => refusals.length === 2) as [HarmfulChangeSet];
    const [first = '', second = ''] = set.refusals.map((line) => line.split(' ')[0]);

    const one = await deploy(set, `--allow-replace ${first}`);
    const both = await deploy(set, `--allow-replace ${second} --allow-replace ${first}`);

    expect([one.exitCode, one.refusal?.match(/--allow-replace \S+/g)]).toEqual([4, [`--allow-replace ${second}.`]]);
    expect([both.exitCode, both.cdk.at(-1)]).toEqual([0, all]);
  });

  test('says of a name that lets nothing go that it can be taken out', async () => {
    const [set] = harmless as [RecordedChangeSet];
    const { exitCode, said } = await deploy(set, '--allow-replace LedgerB7379752');

    expect(exitCode).toBe(0);
    expect(said).toContain('--allow-replace LedgerB7379752: nothing replaces or removes it this time');
  });

  test.each([
    ['may not be read', {}, /DescribeChangeSet; who deploys needs cloudformation:DescribeChangeSet on that stack$/],
    ['is not complete', { Status: 'CREATE_IN_PROGRESS' as const }, /is CREATE_IN_PROGRESS: no reason given/],
    ['holds what is no resource', { Status: 'CREATE_COMPLETE' as const, Changes: [{}] }, /none of a resource/],
  ])('deploys nothing by a plan that %s', async (_what, page, why) => {
    const arn = 'arn:aws:cloudformation:eu-west-1:123456789012:changeSet/plan/1';

    const { exitCode, refusal, cdk } = await deploy({ arn, pages: 'Status' in page ? { [arn]: [page] } : {} });

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

/** CloudFormation as far as DescribeChangeSet goes, over HTTP and in the XML of its API. */
export interface ChangeSetServer extends AsyncDisposable {
  readonly url: string;
}

/**
 * Serves change sets, by ARN, page by page. Without one it answers as for a caller who may not read
 * it.
 */
export async function serveChangeSets(sets: Readonly<Record<string, Pages>>): Promise<ChangeSetServer> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const asked = new URLSearchParams(body);
      const pages = sets[asked.get('ChangeSetName') ?? ''] ?? [];
      const token = asked.get('NextToken');
      const page = pages[token === null ? 0 : pages.findIndex(({ NextToken }) => NextToken === token) + 1];
      const isKnown = asked.get('Action') === 'DescribeChangeSet' && page !== undefined;
      response.writeHead(isKnown ? 200 : 403, { 'content-type': 'text/xml' });
      response.end(isKnown ? container('DescribeChangeSetResponse', xml('DescribeChangeSetResult', page)) : denial);
    });
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => void server.close(done));
    },
  };
}

const denial = container(
  'ErrorResponse',
  container('Error', [
    element('Type', 'Sender'),
    element('Code', 'AccessDenied'),
    element(
      'Message',
      'User: arn:aws:iam::123456789012:user/pipeline is not authorized to perform: cloudformation:DescribeChangeSet',
    ),
  ]),
);

/** Lists are `member` elements in the Query protocol. */
function xml(name: string, value: unknown): string {
  if (Array.isArray(value))
    return container(
      name,
      value.map((each) => xml('member', each)),
    );
  if (typeof value === 'object' && value !== null) {
    return container(
      name,
      Object.entries(value).map(([key, each]) => xml(key, each)),
    );
  }
  return typeof value === 'string' || typeof value === 'boolean' ? element(name, value) : '';
}

/**
 * `autopilot doctor --deep` under the policy `Operator` alone, and with `LinkTester` beside it: the
 * two are enough, and not an action more. What `LinkTester` alone has sent starts and stops nothing;
 * what it cannot do at all: test/infra/security/link-tester.test.ts.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { afterAll, expect, test } from 'vitest';
import { type Authority, createAuthority } from '#local/aws/iam/authority.ts';
import { type ResolvedAssembly, resourcesOfType } from '#local/template/cloud-assembly.ts';
import { keyNamed } from '#shared/net/loopback.ts';
import { createDynamoDbLedger } from '#shared/aws/dynamodb-ledger.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { linkTestName, messageOfLinkTest } from '#shared/messages/link-test.ts';
import { commandsAt } from '../../../builders/commands-by-sender.ts';
import { developerKey } from '../../../builders/developer-key.ts';
import { type AccessRecord, grantsOf, refusedWithout } from '../harness/grants-of-template.ts';
import { letTimePass, openInProcessStage } from '../harness/in-process-stage.ts';
import { until } from '../harness/stage-process.ts';

let template: ResolvedAssembly;
let isLinkTester = false;
/** What `Operator` lacks and `LinkTester` was asked for, and what its role was. */
const asked: AccessRecord[] = [];
const denied: string[] = [];

const it = await openInProcessStage({
  authorityFor(assembly) {
    template = assembly;
    const authority = createAuthority(assembly, developerKey);
    return { ...authority, authorize: (request) => byBoth(authority, request) };
  },
});
afterAll(it.close);

/** A person who has both policies may do what either allows: none of them denies anything. */
function byBoth(
  authority: Authority,
  request: Parameters<Authority['authorize']>[0],
): ReturnType<Authority['authorize']> {
  const decision = authority.authorize(request);
  const { action, resource, context = {}, caller: sender } = request;
  if (sender.kind === 'role') asked.push({ principal: sender.roleArn, action, resource, context });
  if (decision.allowed || sender.kind !== 'person' || !isLinkTester) return decision;
  const caller = authority.personCaller('LinkTester');
  asked.push({ principal: caller.policyArn, action, resource, context });
  const more = authority.authorize({ ...request, caller });
  if (!more.allowed) denied.push(more.message);
  return more;
}

const schedulesOfMarks = () => it.stage.frontDoor.schedules().filter(({ Name }) => Name.startsWith(linkTestName));

test('an operator without it hears which permission is missing, and no mark stays', async () => {
  const { code, stdout, stderr } = await it.autopilot('doctor', '--deep', '--as', 'Operator');

  expect(code).not.toBe(0);
  expect(stdout + stderr).toMatch(/you lack the permission scheduler:CreateSchedule on arn:aws:/);
  expect(schedulesOfMarks()).toEqual([]);
});

test('an operator without it sends people a test notice all the same', async () => {
  const { code, stdout } = await it.autopilot('doctor', '--notice', '--as', 'Operator');

  expect(code, stdout).toBe(0);
  expect(stdout).toMatch(/test notice +\S+ is on the outcome bus/);
});

test('an operator with it finds nothing wrong', async () => {
  isLinkTester = true;
  const running = it.autopilot('doctor', '--deep', '--as', 'Operator');
  await until('the schedule', async () => schedulesOfMarks()[0]);
  await it.autopilot('clock', '+2m');
  const { code, stdout, stderr } = await running;
  isLinkTester = false;

  expect(denied).toEqual([]);
  expect(code, stdout + stderr).toBe(0);
  expect(schedulesOfMarks()).toEqual([]);
});

const ofLinkTester = () => grantsOf(template).filter(({ policy }) => policy.startsWith('LinkTester'));

test('it has no permission too many: each one was asked for, but for what explains a silent bucket', () => {
  const idle = ofLinkTester().filter((grant) => refusedWithout(template, grant, asked).length === 0);

  expect(ofLinkTester()).toHaveLength(5);
  expect(idle.map(({ action }) => action)).toEqual(['s3:GetBucketNotification']);
});

// The role of the schedules used to be passed, so that any start was a proven one.
test('alone, what its schedules send starts and stops nothing, and people get no message of it', async () => {
  const scheduler = new SchedulerClient({ ...place(), credentials: keyNamed('POLICY-LinkTester', developerKey) });
  const now = new Date(it.clock.now());
  const commands = Object.values(commandsAt(now.toISOString(), { name: 'weeknights', at: now.toISOString() }));
  const notice = messageOfLinkTest({ id: '018f0000-0000-4000-8000-00000000d0c1', link: 'notice' });
  const hidden = { ...JSON.parse(notice), ...commands[0] };
  const inputs = [...commands, hidden].map((one) => JSON.stringify(one));
  const RoleArn = arnOf('AWS::IAM::Role', /^LinkTesterRole/);
  const Arn = arnOf('AWS::SQS::Queue', /^Commands[0-9A-F]{8}$/);

  for (const [index, Input] of [...inputs, notice].entries()) {
    await scheduler.send(
      new CreateScheduleCommand({
        Name: `${linkTestName}${index}`,
        GroupName: 'gateway-autopilot-local',
        ScheduleExpression: `at(${new Date(now.getTime() + 60_000).toISOString().slice(0, 19)})`,
        FlexibleTimeWindow: { Mode: 'OFF' },
        ActionAfterCompletion: 'DELETE',
        Target: { Arn, RoleArn, Input },
      }),
    );
  }
  scheduler.destroy();
  await letTimePass(it, 120_000);

  const { items } = await ledger().listOpen('PARKED');
  expect(items).toHaveLength(inputs.length);
  expect(items).toEqual(items.map(() => expect.objectContaining({ kind: 'message' })));
  const said = items.map((row) => JSON.stringify('outcome' in row ? row.outcome : undefined));
  expect(said.filter((outcome) => !outcome.includes('origin: link-tests sent it'))).toEqual([
    expect.stringContaining('Unrecognized keys'), // the notice with a command in it
  ]);
  const rows = await Promise.all(commands.map(async ({ id }) => ledger().read(ledgerKeys.command(id))));
  expect(rows).toEqual(commands.map(() => undefined));
  const mails = it.stage.frontDoor.recentMessages().filter(({ message }) => message.includes('00000000d0c1'));
  expect(mails).toEqual([]);
  expect(await ledger().read(ledgerKeys.linkTest('018f0000-0000-4000-8000-00000000d0c1'))).toMatchObject({
    link: 'schedule',
  });
});

function arnOf(type: string, id: RegExp): string | undefined {
  return resourcesOfType(template, type).find(({ logicalId }) => id.test(logicalId))?.arn;
}

function place() {
  const { endpoint, region } = it.stage.assembly;
  return { endpoint, region };
}

function ledger() {
  const tableName = resourcesOfType(template, 'AWS::DynamoDB::Table')[0]?.physicalId ?? '';
  return createDynamoDbLedger({ client: new DynamoDBClient({ ...place(), credentials: developerKey }), tableName });
}

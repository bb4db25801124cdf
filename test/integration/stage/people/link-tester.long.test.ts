/**
 * `autopilot doctor --deep` under the policy `Operator` alone, and with `LinkTester` beside it: the
 * two are enough, and not an action more.
 */
import { afterAll, expect, test } from 'vitest';
import { type Authority, createAuthority } from '#local/aws/iam/authority.ts';
import type { ResolvedAssembly } from '#local/template/assembly.ts';
import { developerKey } from '../../../builders/developer-key.ts';
import { type AccessRecord, grantsOf, refusedWithout } from '../harness/grants-of-template.ts';
import { openInProcessStage } from '../harness/in-process-stage.ts';
import { until } from '../harness/stage-process.ts';

let template: ResolvedAssembly;
let isLinkTester = false;
/** What `Operator` lacks and `LinkTester` was asked for. */
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
  if (decision.allowed || request.caller.kind !== 'person' || !isLinkTester) return decision;
  const caller = authority.personCaller('LinkTester');
  const { action, resource, context = {} } = request;
  asked.push({ principal: caller.policyArn, action, resource, context });
  const more = authority.authorize({ ...request, caller });
  if (!more.allowed) denied.push(more.message);
  return more;
}

const schedulesOfMarks = () =>
  it.stage.frontDoor.schedules().filter(({ ActionAfterCompletion }) => ActionAfterCompletion === 'DELETE');

test('an operator without it hears which permission is missing, and no mark stays', async () => {
  const { code, stdout, stderr } = await it.autopilot('doctor', '--deep', '--as', 'Operator');

  expect(code).not.toBe(0);
  expect(stdout + stderr).toMatch(/you lack the permission \S+ on arn:aws:/);
  expect(schedulesOfMarks()).toEqual([]);
});

test('an operator with it finds nothing wrong', async () => {
  isLinkTester = true;
  const running = it.autopilot('doctor', '--deep', '--as', 'Operator');
  await until('the schedule', async () => schedulesOfMarks()[0]);
  await it.autopilot('clock', '+2m');
  const { code, stdout, stderr } = await running;

  expect(denied).toEqual([]);
  expect(code, stdout + stderr).toBe(0);
  expect(schedulesOfMarks()).toEqual([]);
});

test('it has no permission too many: each one was asked for, but for what explains a silent bucket', () => {
  const grants = grantsOf(template).filter(({ policy }) => policy.startsWith('LinkTester'));
  const idle = grants.filter((grant) => refusedWithout(template, grant, asked).length === 0);

  expect(grants.length).toBeGreaterThan(15);
  expect(idle.map(({ action }) => action)).toEqual(['s3:GetBucketNotification']);
});

const topic = 'arn:aws:sns:REGION:ACCOUNT:gateway-autopilot-local-alarms';
const rule = 'arn:aws:events:REGION:ACCOUNT:rule/gateway-autopilot-local/tell-people';

test.each([
  ['sns:Subscribe', topic, { 'sns:Protocol': 'email', 'sns:Endpoint': 'a@example.com' }],
  ['sns:Subscribe', topic, { 'sns:Protocol': 'sqs', 'sns:Endpoint': 'arn:aws:sqs:REGION:ACCOUNT:others' }],
  ['events:PutTargets', rule, {}],
  ['events:DeleteRule', rule, {}],
  ['scheduler:DeleteSchedule', 'arn:aws:scheduler:REGION:ACCOUNT:schedule/gateway-autopilot-local/weeknights', {}],
  ['sqs:ReceiveMessage', 'arn:aws:sqs:REGION:ACCOUNT:GatewayAutopilot-local-State-Commands', {}],
  ['s3:DeleteObjectVersion', 'arn:aws:s3:::gateway-autopilot-local-ACCOUNT-REGION/datasets/a.csv', {}],
  [
    'iam:PassRole',
    'arn:aws:iam::ACCOUNT:role/GatewayAutopilot-local-Workers-SomeRole',
    { 'iam:PassedToService': 'lambda.amazonaws.com' },
  ],
])('it does not reach beyond the things of a test: %s on %s', (action, resource, context) => {
  const authority = createAuthority(template, developerKey);
  const here = (text: string) => text.replace('REGION', template.region).replace('ACCOUNT', template.accountId);
  const where = Object.fromEntries(Object.entries(context).map(([key, value]) => [key, here(value)]));

  const decision = authority.authorize({
    caller: authority.personCaller('LinkTester'),
    action,
    resource: here(resource),
    context: where,
  });

  expect(decision).toMatchObject({ allowed: false });
});

/**
 * `autopilot doctor --deep` under the policy `Operator` alone, and with `LinkTester` beside it: the
 * two are enough, and not an action more. What `LinkTester` alone cannot do: test/infra/security/link-tester.test.ts;
 * what comes of what its role sends: taken-over.long.test.ts.
 */
import { afterAll, expect, test } from 'vitest';
import { type Authority, createAuthority } from '#local/aws/iam/authority.ts';
import type { ResolvedAssembly } from '#local/template/cloud-assembly.ts';
import { linkTestName } from '#shared/messages/link-test.ts';
import { developerKey } from '../../../builders/developer-key.ts';
import { type AccessRecord, grantsOf, refusedWithout } from '../harness/grants-of-template.ts';
import { openInProcessStage } from '../harness/in-process-stage.ts';
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

import { docPage } from '#shared/places.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { failureOf } from '../../failures.ts';
import { type Finding, lookedAt, makeAgain, putBack } from '../../finding.ts';
import type { OperatorDeps } from '../../stage/operator-deps.ts';
import { deliveryFindings } from './delivery-findings.ts';
import {
  type Arrivals,
  commandFindings,
  isGone,
  objectFindings,
  scheduleFindings,
  seconds,
  takers,
  versioningFinding,
} from './link-findings.ts';
import { marks, sendMarks, waitForMarks } from './marks.ts';
import {
  beginTestRun,
  makeObserver,
  type Observer,
  type TakeAway,
  takeAwayAll,
  takeAwayLeftovers,
  type TestLimits,
  testLimits,
  type TestRun,
} from './observer.ts';

const page = docPage('links.md');
const noMark = 'not known: no mark arrived, so none made an event';

/** The way from a function's role to the bus, and from the bus to who listens. */
async function busFindings({ run, heard }: Arrivals, { faults }: Observer): Promise<readonly Finding[]> {
  const subject = 'outcome bus';
  const { EventBusName: bus } = run.outputs;
  if (faults.bus !== undefined && isGone(faults.bus)) {
    return [{ subject, state: 'problem', says: `the bus ${bus} is gone: no outcome is reported`, next: makeAgain }];
  }
  const unheard = unheardFinding(subject, faults.queue ?? faults.bus, run);
  if (unheard !== undefined) return [unheard];
  const arrived = marks.filter((mark) => heard.rows[mark] !== undefined);
  if (arrived.length === 0) return [{ subject, state: 'unknown', says: noMark }];
  const silent = arrived.filter((mark) => heard.events[mark] === undefined).map((mark) => takers[mark]);
  // A rule that is seconds old may miss an event: what counts is whether the function can send it.
  const found = await Promise.all([...new Set(silent)].map(async (taker) => deliveryFindings(taker, run)));
  if (found.flat().length > 0) return found.flat();
  if (silent.length < arrived.length)
    return [{ subject, state: 'ok', says: `${bus} carries the events of each function that took a mark` }];
  const says = `no event came over ${bus} within ${seconds(run.limits.noticeMs)}, although the functions can send them`;
  return [
    {
      subject,
      state: 'problem',
      says,
      next: { says: `Look at the bus's policy and at its key: ${page}#what-a-key-shows` },
    },
  ];
}

/** The way from the bus to people: a rule of the stage, its role, and the topic. */
async function topicFindings(arrivals: Arrivals, { faults }: Observer): Promise<readonly Finding[]> {
  const subject = 'topic';
  const { run, heard } = arrivals;
  const { arn } = run.links.topic;
  if (faults.topic !== undefined && isGone(faults.topic)) {
    return [{ subject, state: 'problem', says: `${arn} is gone: no alarm is reported`, next: makeAgain }];
  }
  const unheard = unheardFinding(subject, faults.queue ?? faults.topic, run);
  if (unheard !== undefined) return [unheard];
  const { command } = heard.rows;
  if (heard.topicMs !== undefined && command !== undefined) {
    const says = `its message came over a rule and ${arn} within ${seconds(heard.topicMs - command)}; each subscriber got it too`;
    return [{ subject, state: 'ok', says }];
  }
  if (command === undefined || heard.events.command === undefined) {
    return [{ subject, state: 'unknown', says: 'not known: no event of the command came over the bus' }];
  }
  // What is wrong with the rules is said there.
  if ((await ruleFindings(run)).some(({ state }) => state === 'problem')) {
    return [{ subject, state: 'unknown', says: 'not known while its rules are not as deployed' }];
  }
  const says = `no message came over ${arn} within ${seconds(run.limits.noticeMs)}, and its rules are as deployed`;
  return [
    {
      subject,
      state: 'problem',
      says,
      next: {
        says: `The role of the rules may lack sns:Publish. Deploy with --revert-drift. A key whose policy was changed shows itself so too: ${page}#what-a-key-shows`,
      },
    },
  ];
}

/** Each rule of the stage that tells people: there, enabled, with the topic as its target. */
async function ruleFindings({ deps, links }: TestRun): Promise<readonly Finding[]> {
  const subject = 'bus rule';
  const deployed = (await deps.stage.resources()).filter(
    ({ type, logicalId }) => type === 'AWS::Events::Rule' && noticeRule.test(logicalId),
  );
  // `Ref` of a rule of a bus is `BUS|RULE` (CloudFormation, AWS::Events::Rule).
  const names = deployed.map(({ physicalId }) => physicalId.split('|').at(-1) ?? '');
  const listed = await links.bus.rules();
  const wrong: Finding[] = [];
  for (const name of names) {
    const rule = listed.find((one) => one.name === name);
    if (rule === undefined)
      wrong.push({
        subject,
        state: 'problem',
        says: `${name} was deleted: people do not hear of its events`,
        next: makeAgain,
      });
    else if (!rule.isEnabled)
      wrong.push({
        subject,
        state: 'problem',
        says: `${name} is disabled: people do not hear of its events`,
        next: putBack,
      });
    else if (!(await links.bus.targetsOf(name)).includes(links.topic.arn))
      wrong.push({ subject, state: 'problem', says: `${name} does not send to ${links.topic.arn}`, next: putBack });
  }
  const isTested = listed.some(({ name, pattern }) => names.includes(name) && pattern.includes(eventTypes.linkTested));
  if (wrong.length === 0 && !isTested) {
    const says = `no rule of the bus sends ${eventTypes.linkTested} to ${links.topic.arn}`;
    return [{ subject, state: 'problem', says, next: makeAgain }];
  }
  return wrong.length > 0
    ? wrong
    : [{ subject, state: 'ok', says: `all ${names.length} are enabled and send to the topic` }];
}

/** The rules of the construct `Notices`: others of the stage are on another bus. */
const noticeRule = /Notices[A-Za-z]+[0-9A-F]{8}$/;

function unheardFinding(subject: string, fault: Error | undefined, { deps }: TestRun): Finding | undefined {
  if (fault === undefined) return undefined;
  return { subject, state: 'unknown', says: `could not be listened to: ${failureOf(fault, deps.target).message}` };
}

/**
 * Tests the links of a stage by test messages that take the way of real work: one object, one
 * command, one schedule. It listens on the bus and the topic. The gateway is not called. What it
 * makes it takes away, also after an error or Ctrl-C; a run that was killed leaves things that the
 * next one takes away.
 */
export async function examineLinks(
  deps: OperatorDeps,
  limits: TestLimits = testLimits(deps.target),
): Promise<readonly Finding[]> {
  // From here on Ctrl-C ends the waiting, and not the process: something is there to be taken away.
  const interruption = deps.interruption();
  const run = await beginTestRun(deps, limits);
  const made: TakeAway = [];
  const findings: Finding[] = [];
  try {
    await takeAwayLeftovers(run);
    findings.push(...(await testedLinks(run, made, interruption)));
  } finally {
    deps.progress('taking away what the test made');
    findings.push(...leftFindings(await takeAwayAll(made)));
  }
  return findings;
}

async function testedLinks(run: TestRun, made: TakeAway, interruption: AbortSignal): Promise<readonly Finding[]> {
  const { deps } = run;
  deps.progress(`testing the links as ${run.name}`);
  const observer = await makeObserver(run, made);
  const sentMarks = await sendMarks(run, observer, made);
  const heard = await waitForMarks(run, sentMarks, observer);
  if (interruption.aborted)
    return [{ subject: 'all of it', state: 'unknown', says: 'ended by Ctrl-C before the marks were back' }];
  return findingsOf({ run, sentMarks, heard }, observer);
}

/** Each cause once: two marks may stop at the same link. */
async function findingsOf(arrivals: Arrivals, observer: Observer): Promise<readonly Finding[]> {
  const { run } = arrivals;
  const links: Readonly<Record<string, () => Promise<readonly Finding[]>>> = {
    'bucket versioning': async () => [await versioningFinding(run)],
    object: async () => objectFindings(arrivals),
    command: async () => commandFindings(arrivals),
    schedule: async () => scheduleFindings(arrivals),
    'outcome bus': async () => busFindings(arrivals, observer),
    'bus rule': async () => ruleFindings(run),
    topic: async () => topicFindings(arrivals, observer),
  };
  const parts = await Promise.all(
    Object.entries(links).map(async ([subject, look]) => lookedAt(subject, look, run.deps.target)),
  );
  return [...new Map(parts.flat().map((finding) => [JSON.stringify(finding), finding])).values()];
}

function leftFindings(left: readonly string[]): readonly Finding[] {
  return left.map((what) => ({
    subject: 'taking away',
    state: 'warning',
    says: `${what} is still there`,
    next: {
      says: 'The next test takes it away after a quarter of an hour. Or delete it manually.',
      command: ['autopilot', 'doctor', '--deep'],
    },
  }));
}

import type { OperatorDeps } from '../../operator-deps.ts';
import { type Finding, lookedAt } from '../finding.ts';
import {
  type Arrivals,
  commandFindings,
  objectFindings,
  planFindings,
  scheduleFindings,
  versioningFinding,
} from './link-findings.ts';
import { sendMarks, waitForMarks } from './marks.ts';
import { busFindings, ruleFindings, topicFindings } from './notice-findings.ts';
import { makeObserver, type Observer, takeAwayAll, type TakeAway, takeAwayLeftovers } from './observer.ts';
import { beginTestRun, type TestLimits, testLimits, type TestRun } from './test-run.ts';

/**
 * Tests the links of a stage by marks that take the way of real work: one object, one command, one schedule; and listens on the bus and the
 * topic. The gateway is not called. What it makes it takes away, also after an error or Ctrl-C; a run that was killed leaves things that the next
 * one takes away.
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
    'run plans': async () => planFindings(run),
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
    next: 'the next autopilot doctor --deep takes it away after a quarter of an hour; or delete it by hand',
  }));
}

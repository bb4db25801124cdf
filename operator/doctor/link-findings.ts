import { linkTestPrefix, keyOfLinkTest } from '#shared/messages/link-test.ts';
import { docPage } from '#shared/places.ts';
import { datasetsPrefix } from '#shared/vocabulary/resource-names.ts';
import { failureOf } from '../failures.ts';
import { after, type Finding, lookedAt, makeAgain, putBack, judged } from '../finding.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { deliveryFindings, type Taker } from './delivery-findings.ts';
import {
  beginTest,
  type LinkTestRun,
  type MarkName,
  type SentMark,
  sendMarks,
  testLimits,
  waitForMarks,
} from './link-marks.ts';

const page = docPage('links.md');

/**
 * Tests the links of a stage by marks that take the way of real work. The gateway is not called. The
 * object is taken away, also after an error or Ctrl-C; the schedule goes when it has fired.
 */
export async function examineLinks(
  names: readonly MarkName[],
  deps: OperatorDeps,
  limits = testLimits(deps.target),
): Promise<readonly Finding[]> {
  // From here on Ctrl-C ends the waiting, and not the process: an object is there to be taken away.
  const interruption = deps.interruption();
  const run = await beginTest(deps, limits);
  deps.progress(`testing the links as ${run.name}`);
  const sent = await sendMarks(names, run);
  const findings: Finding[] = [];
  try {
    const seen = await waitForMarks(sent, run);
    findings.push(...(interruption.aborted ? [interrupted] : await findingsOf(seen, run)));
  } finally {
    findings.push(...(await takeAway(sent, run)));
  }
  return findings;
}

const interrupted = judged.unknown('all of it', 'ended by Ctrl-C before the marks were back');

async function takeAway(sent: readonly SentMark[], { deps, links }: LinkTestRun): Promise<readonly Finding[]> {
  const object = sent.find(({ mark, error }) => mark === 'object' && error === undefined);
  if (object === undefined) return [];
  const key = keyOfLinkTest(object.id);
  try {
    await links.removeVersion(key, object.versionId ?? 'null');
    return [];
  } catch (error) {
    const says = `the object ${key} is still there: ${failureOf(error, deps.target).message}`;
    return [judged.warning('taking away', says, { next: { says: 'Delete it manually.' } })];
  }
}

/** Each cause once: two marks may stop at the same link. */
async function findingsOf(seen: readonly SentMark[], run: LinkTestRun): Promise<readonly Finding[]> {
  const { target } = run.deps;
  const parts = await Promise.all(
    seen.map(async (one) => lookedAt(one.mark, async () => markFindings(one, seen, run), target)),
  );
  const found = [...seen.flatMap((one) => versioningFinding(one, run)), ...parts.flat()];
  return [...new Map(found.map((finding) => [JSON.stringify(finding), finding])).values()];
}

/** Without versions an upload that replaces another looks the same. */
function versioningFinding(
  { mark, error, versionId = 'null' }: SentMark,
  { outputs }: LinkTestRun,
): readonly Finding[] {
  if (mark !== 'object' || error !== undefined) return [];
  const subject = 'bucket versioning';
  const { BucketName: bucket } = outputs;
  // S3 gives each version of a bucket that keeps none the id `null`, or none at all.
  if (versionId !== 'null') return [judged.ok(subject, `${bucket} keeps each version`)];
  const put = ['aws', 's3api', 'put-bucket-versioning', '--bucket', bucket];
  const next = { says: 'Enable its versions.', command: [...put, '--versioning-configuration', 'Status=Enabled'] };
  const says = `${bucket} keeps no versions: a file that is put again looks like the first`;
  return [judged.problem(subject, says, { next })];
}

async function markFindings(one: SentMark, seen: readonly SentMark[], run: LinkTestRun): Promise<readonly Finding[]> {
  const { mark, error, sentMs, arrivedMs } = one;
  if (error !== undefined) return [unsent(mark, error, run)];
  if (arrivedMs !== undefined)
    return mark === 'notice' ? [noticeFinding(one, run)] : [arrived(mark, arrivedMs - sentMs)];
  if (mark === 'schedule') return [scheduleFinding(seen, run)];
  const before = mark === 'object' ? await notificationFindings(run) : [];
  if (before.length > 0) return before;
  const found = await deliveryFindings(takers[mark], run);
  return found.length > 0 ? found : [unexplained(mark, run)];
}

const takers: Readonly<Record<Exclude<MarkName, 'schedule'>, Taker>> = {
  object: 'register-datasets',
  command: 'update-campaign-runs',
  notice: 'update-campaign-runs',
};

const ways = {
  object: 'bucket, notification, queue, mapping, register-datasets',
  command: 'queue, mapping, update-campaign-runs',
  schedule: 'Scheduler, queue, mapping, update-campaign-runs',
} as const satisfies Partial<Record<MarkName, string>>;

function arrived(mark: keyof typeof ways, afterMs: number): Finding {
  return judged.ok(mark, `${ways[mark]}, ledger and outcome bus: ${seconds(afterMs)}`);
}

/** Rounded: a test looks now and then. */
function seconds(milliseconds: number): string {
  return `${Math.max(1, Math.round(milliseconds / 1000))} s`;
}

/** Only a person can say whether it came. */
function noticeFinding({ id }: SentMark, { deps }: LinkTestRun): Finding {
  const subject = 'test notice';
  if (deps.target.kind === 'local')
    return judged.unknown(subject, `${id} is on the outcome bus; no message leaves this machine`);
  const says = `${id} is on the outcome bus: within a minute each address and webhook of notify has it`;
  return judged.unknown(subject, says, {
    next: { says: `Look there for it. If it did not come: ${page}#a-notice-that-does-not-come` },
  });
}

function unsent(mark: MarkName, error: Error, { deps, outputs }: LinkTestRun): Finding {
  const { message } = failureOf(error, deps.target);
  if (mark !== 'schedule') return judged.problem(mark, `could not be sent: ${message}`);
  const { ScheduleGroupName: group } = outputs;
  if (error.name !== 'ResourceNotFoundException')
    return judged.problem(mark, `none could be made in ${group}: ${message}`, { next: putBack });
  const says = `the group ${group} is gone, and its schedules with it: nothing starts and nothing stops at its time`;
  return judged.problem('schedule group', says, { next: makeAgain });
}

function scheduleFinding(seen: readonly SentMark[], { outputs }: LinkTestRun): Finding {
  const subject = 'schedule';
  if (!seen.some(({ mark, arrivedMs }) => mark === 'command' && arrivedMs !== undefined))
    return judged.unknown(subject, 'not known while no command arrives');
  const says = `it was made in ${outputs.ScheduleGroupName}, and its command did not come: Scheduler may not send to the queue as ${outputs.LinkTestsRoleArn}`;
  return judged.problem(subject, says, { next: putBack });
}

const ownBucket = 'For a bucket of your own, add what the output BucketNotifications of the state stack says; else:';

async function notificationFindings({ links, outputs }: LinkTestRun): Promise<readonly Finding[]> {
  const { BucketName: bucket } = outputs;
  const [notifications, queue] = await Promise.all([links.notifications(), links.queueArn(outputs.UploadsQueueUrl)]);
  const isTold = notifications.some(
    ({ queueArn, events, prefix }) =>
      queueArn === queue &&
      linkTestPrefix.startsWith(prefix) &&
      events.some((event) => event.startsWith('s3:ObjectCreated:')),
  );
  if (isTold) return [];
  const says = `${bucket} tells ${queue} nothing of new objects below ${datasetsPrefix}`;
  return [judged.problem('bucket notification', says, { next: after(ownBucket, putBack) })];
}

/** Every link that can be read is as deployed: what is left refuses the sender. */
function unexplained(mark: Exclude<MarkName, 'schedule'>, { limits, outputs }: LinkTestRun): Finding {
  const readOn = `A key whose policy was changed shows itself so too: ${page}#what-a-key-shows`;
  if (mark === 'object') {
    const says = `${outputs.BucketName} announces its objects, and none came: the policy of the queue, or its key, refuses the bucket`;
    return judged.problem('queue policy', says, { next: { ...putBack, says: `${putBack.says} ${readOn}` } });
  }
  const says = `it did not arrive within ${seconds(limits.arriveMs)}, and each link that can be read is as deployed`;
  return judged.problem(mark, says, { next: { says: `Read the log of ${takers[mark]}. ${readOn}` } });
}

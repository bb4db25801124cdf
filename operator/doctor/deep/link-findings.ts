import { docPage } from '#shared/places.ts';
import { linkTestPrefix } from '#shared/messages/link-test.ts';
import { datasetsPrefix } from '#shared/vocabulary/resource-names.ts';
import { toError } from '#shared/errors/app-error.ts';
import { failureOf } from '../../failures.ts';
import { after, type Finding, makeAgain, putBack } from '../../finding.ts';
import { deliveryFindings, policyLetsIn, type Taker } from './delivery-findings.ts';
import type { Heard, MarkName, MarkSending, SentMarks } from './marks.ts';
import type { TestRun } from './observer.ts';

/** What a run knows when its waiting is over. */
export interface Arrivals {
  readonly run: TestRun;
  readonly sentMarks: SentMarks;
  readonly heard: Heard;
}

const page = docPage('links.md');
const ownBucket = 'For a bucket of your own, add what the output BucketNotifications of the state stack says; else:';

/** Without versions an upload that replaces another looks the same. */
export async function versioningFinding({ links, outputs }: TestRun): Promise<Finding> {
  const subject = 'bucket versioning';
  const { BucketName: bucket } = outputs;
  const versioning = await links.bucket.versioning();
  if (versioning === 'Enabled') return { subject, state: 'ok', says: `${bucket} keeps each version` };
  return {
    subject,
    state: 'problem',
    says: `${bucket} keeps no versions (${versioning ?? 'never enabled'}): a file that is put again looks like the first`,
    next: {
      says: 'Enable its versions.',
      command: [
        'aws',
        's3api',
        'put-bucket-versioning',
        '--bucket',
        bucket,
        '--versioning-configuration',
        'Status=Enabled',
      ],
    },
  };
}

/** The way of an object: notification, queue, mapping, function, ledger. */
export async function objectFindings(arrivals: Arrivals): Promise<readonly Finding[]> {
  const { run } = arrivals;
  const arrived = arrivalOf('object', arrivals);
  if (arrived !== 'missing') return [arrived];
  return causes('object', [...(await senderFindings(run)), ...(await deliveryFindings('register-datasets', run))], run);
}

/** The way of a command: queue, mapping, function, ledger. */
export async function commandFindings(arrivals: Arrivals): Promise<readonly Finding[]> {
  const arrived = arrivalOf('command', arrivals);
  if (arrived !== 'missing') return [arrived];
  return causes('command', await deliveryFindings('update-campaign-runs', arrivals.run), arrivals.run);
}

/** The way of a scheduled command: group, Scheduler, role, queue; from there on as any command. */
export function scheduleFindings(arrivals: Arrivals): readonly Finding[] {
  const { run, sentMarks, heard } = arrivals;
  const { schedule } = sentMarks;
  const { group } = run.links.schedules;
  if ('error' in schedule) return [unmadeSchedule(schedule.error, run)];
  if (heard.deadLetter !== undefined) {
    return [
      {
        subject: 'role of the schedules',
        state: 'problem',
        says: `Scheduler could not send to ${run.queues.commands.arn} as ${run.outputs.CommandSchedulesRoleArn}: ${heard.deadLetter}`,
        next: putBack,
      },
    ];
  }
  const arrived = arrivalOf('schedule', arrivals);
  if (arrived !== 'missing') return [arrived];
  if (heard.rows.command === undefined) {
    return [{ subject: 'schedule', state: 'unknown', says: 'not known while no command arrives' }];
  }
  return [
    {
      subject: 'schedule',
      state: 'problem',
      says: `its command did not come, and no dead letter either (group ${group}, role ${run.outputs.CommandSchedulesRoleArn})`,
      next: after(`Look at the group in EventBridge Scheduler (${page}), or:`, putBack),
    },
  ];
}

function unmadeSchedule(error: Error, { links, deps, outputs }: TestRun): Finding {
  const { group } = links.schedules;
  if (error.name === 'ResourceNotFoundException') {
    const says = `the group ${group} is gone, and its schedules with it: nothing starts and nothing stops at its time`;
    return { subject: 'schedule group', state: 'problem', says, next: makeAgain };
  }
  const { message } = failureOf(error, deps.target);
  if (error.name === 'ValidationException' && /role/.test(message)) {
    const says = `Scheduler may not assume ${outputs.CommandSchedulesRoleArn}: ${message}`;
    return { subject: 'role of the schedules', state: 'problem', says, next: putBack };
  }
  return { subject: 'schedule', state: 'problem', says: `none could be made in ${group}: ${message}` };
}

function arrivalOf(mark: MarkName, { run, sentMarks, heard }: Arrivals): Finding | 'missing' {
  const one: MarkSending = sentMarks[mark];
  if ('error' in one) {
    const { message } = failureOf(one.error, run.deps.target);
    return { subject: mark, state: 'problem', says: `could not be sent: ${message}` };
  }
  const rowMs = heard.rows[mark];
  if (rowMs === undefined) return 'missing';
  return { subject: mark, state: 'ok', says: `${ways[mark]}: in the ledger after ${seconds(rowMs - one.sentMs)}` };
}

const ways: Readonly<Record<MarkName, string>> = {
  object: 'bucket, notification, queue, mapping, register-datasets',
  command: 'queue, mapping, update-campaign-runs',
  schedule: 'Scheduler, its role, queue, mapping, update-campaign-runs',
};

/** Rounded: a run looks now and then. */
export function seconds(milliseconds: number): string {
  return `${Math.max(1, Math.round(milliseconds / 1000))} s`;
}

async function senderFindings({ links, outputs, queues }: TestRun): Promise<readonly Finding[]> {
  const { BucketName: bucket } = outputs;
  const { arn, policy } = queues.uploads;
  const findings: Finding[] = [];
  const notifications = await links.bucket.notifications();
  const isTold = notifications.some(
    ({ queueArn, events, prefix }) =>
      queueArn === arn &&
      linkTestPrefix.startsWith(prefix) &&
      events.some((event) => event.startsWith('s3:ObjectCreated:')),
  );
  if (!isTold) {
    const says = `${bucket} tells ${arn} nothing of new objects below ${datasetsPrefix}`;
    findings.push({ subject: 'bucket notification', state: 'problem', says, next: after(ownBucket, putBack) });
  }
  const bucketArn = `arn:${arn.split(':')[1]}:s3:::${bucket}`;
  if (!policyLetsIn(policy, { service: 's3.amazonaws.com', action: 'sqs:SendMessage', sourceArn: bucketArn })) {
    const says = `the policy of ${arn} does not let ${bucket} send`;
    findings.push({ subject: 'queue policy', state: 'problem', says, next: putBack });
  }
  return findings;
}

/** The function that takes each mark. */
export const takers: Readonly<Record<MarkName, Taker>> = {
  object: 'register-datasets',
  command: 'update-campaign-runs',
  schedule: 'update-campaign-runs',
};

function causes(mark: 'object' | 'command', found: readonly Finding[], { limits }: TestRun): readonly Finding[] {
  if (found.length > 0) return found;
  return [
    {
      subject: mark,
      state: 'problem',
      says: `it did not arrive within ${seconds(limits.arriveMs)}, and each link that can be read is as deployed`,
      next: {
        says: `Read ${takers[mark]}'s log. A key whose policy was changed shows itself so: ${page}#what-a-key-shows`,
      },
    },
  ];
}

/** A service that says that there is no such thing. */
export function isGone(caught: unknown): boolean {
  return /NotFound|NonExistent|DoesNotExist/.test(toError(caught).name);
}

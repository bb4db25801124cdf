import { createHash } from 'node:crypto';
import { type LinkTest, linkTestName } from '#shared/messages/link-test.ts';
import type { StageOutputs } from '#shared/vocabulary/stack-outputs.ts';
import type { OperatorDeps } from '../../operator-deps.ts';
import type { StageLinks } from '../../stage/stage-links.ts';

/** One run of the test of the links: what it is called, and what it works on. */
export interface TestRun {
  readonly deps: OperatorDeps;
  readonly links: StageLinks;
  readonly outputs: StageOutputs;
  /** Of everything that it makes. */
  readonly name: string;
  readonly limits: TestLimits;
  readonly queues: Readonly<
    Record<'commands' | 'uploads' | 'plans', { readonly arn: string; readonly policy?: string }>
  >;
}

/** How long a test of the links waits, in milliseconds. */
export interface TestLimits {
  /** What the schedule is ahead of now. */
  readonly leadMs: number;
  /** From sending a mark to its row. */
  readonly arriveMs: number;
  /** From the last row to the event and the message about it. */
  readonly noticeMs: number;
  /** From making the observers to the mark that they have to hear. */
  readonly settleMs: number;
  readonly pollMs: number;
}

const deployedLimits: TestLimits = {
  leadMs: 60_000, // at(…) of a past instant never fires; a minute is enough for a slow CreateSchedule
  arriveMs: 150_000, // Scheduler fires within 60 s of its time, and a function in a VPC may start cold
  noticeMs: 60_000, // EventBridge and SNS deliver within seconds
  settleMs: 20_000, // "allow a short period of time for changes to take effect" (EventBridge API, PutRule)
  pollMs: 2000,
};

/** The limits of a deployed stage, and of one on this machine, where a rule holds at once. */
export function testLimits({ kind }: OperatorDeps['target']): TestLimits {
  return kind === 'aws' ? deployedLimits : { ...deployedLimits, settleMs: 0, pollMs: 500 };
}

/** Begins a run. */
export async function beginTestRun(deps: OperatorDeps, limits: TestLimits): Promise<TestRun> {
  const [links, outputs, now] = await Promise.all([deps.stage.links(), deps.stage.outputs(), deps.now()]);
  const [commands, uploads, plans] = await Promise.all([
    links.queues.describe(outputs.CommandsQueueUrl),
    links.queues.describe(outputs.UploadsQueueUrl),
    links.queues.describe(outputs.PlansQueueUrl),
  ]);
  return { deps, links, outputs, name: nameOfRun(now, deps.unique()), limits, queues: { commands, uploads, plans } };
}

/** At most 64 characters, the most that a rule and a schedule take. */
export function nameOfRun(now: Date, unique: string): string {
  return `${linkTestName}${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}-${unique}`;
}

/** Older things belong to no run any more: none lasts so long. */
const oldMs = 15 * 60_000;

/** Says whether a thing of this name was left behind by a run that is over. Pure. */
export function isLeftBehind(name: string, now: Date): boolean {
  const found = /^autopilot-doctor-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)-/.exec(name);
  if (found === null) return false;
  const [, year, month, day, hour, minute, second] = found;
  const madeAt = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return now.getTime() - madeAt > oldMs;
}

/** The id of a mark, a UUID made of the name of its run. */
export function idOfMark({ name }: Pick<TestRun, 'name'>, link: LinkTest['link']): string {
  const hex = createHash('sha256').update(`${name} ${link}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

/** A resource's ARN made of another one of the same region and account. */
export function neighbourArn(arn: string, name: string): string {
  return [...arn.split(':').slice(0, 5), name].join(':');
}

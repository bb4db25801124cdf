import { createHash } from 'node:crypto';
import { toError } from '#shared/errors/app-error.ts';
import { type LinkTest, linkTestName, linkTestPrefix } from '#shared/messages/link-test.ts';
import { eventSource, eventTypes } from '#shared/vocabulary/resource-names.ts';
import type { StageOutputs } from '#shared/vocabulary/stack-outputs.ts';
import type { OperatorDeps } from '../../stage/operator-deps.ts';
import type { StageLinks } from '../../stage/stage-links.ts';

/** One run of the test of the links: what it is called, and what it works on. */
export interface TestRun {
  readonly deps: OperatorDeps;
  readonly links: StageLinks;
  readonly outputs: StageOutputs;
  /** Of everything that it makes. */
  readonly name: string;
  readonly limits: TestLimits;
  readonly queues: Readonly<Record<'commands' | 'uploads', { readonly arn: string; readonly policy?: string }>>;
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

/** The limits of a deployed stage, and of one on this machine, on which a rule holds at once. */
export function testLimits({ kind }: OperatorDeps['target']): TestLimits {
  return kind === 'aws' ? deployedLimits : { ...deployedLimits, settleMs: 0, pollMs: 500 };
}

/** Begins a run. */
export async function beginTestRun(deps: OperatorDeps, limits: TestLimits): Promise<TestRun> {
  const [links, outputs, now] = await Promise.all([deps.stage.links(), deps.stage.outputs(), deps.now()]);
  const [commands, uploads] = await Promise.all([
    links.queues.describe(outputs.CommandsQueueUrl),
    links.queues.describe(outputs.UploadsQueueUrl),
  ]);
  return { deps, links, outputs, name: nameOfRun(now, deps.unique()), limits, queues: { commands, uploads } };
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

/** A queue that hears what the bus and the topic carry while the test runs, and what Scheduler could not deliver. */
export interface Observer {
  /** Absent if it could not be made: then nothing is heard. */
  readonly queue?: { readonly url: string; readonly arn: string };
  /** Why a part of it could not be made. */
  readonly faults: Partial<Readonly<Record<'queue' | 'bus' | 'topic', Error>>>;
}

/** What a run has to take away, the last made first. Each takes away what is there, whole or half made. */
export type TakeAway = { readonly what: string; readonly undo: () => Promise<void> }[];

/** Makes the observer. What cannot be made is a fault of it and stops nothing else. */
export async function makeObserver(run: TestRun, made: TakeAway): Promise<Observer> {
  const { links, name } = run;
  const arn = neighbourArn(run.queues.commands.arn, name);
  const queue = await tried(async () => {
    const url = await links.queues.make(name, observerPolicy(run, arn));
    made.push({ what: `the queue ${name}`, undo: async () => links.queues.remove(url) });
    return { url, arn };
  });
  if ('error' in queue) return { faults: { queue: queue.error } };

  made.push({ what: `the rule ${name}`, undo: async () => links.bus.unobserve(name) });
  const pattern = { source: [eventSource], 'detail-type': [eventTypes.linkTested] };
  const rule = await tried(async () => links.bus.observe(name, pattern, arn));
  const subscription = await tried(async () => {
    const subscribed = await links.topic.subscribe(arn);
    made.push({ what: `the subscription ${subscribed}`, undo: async () => links.topic.unsubscribe(subscribed) });
  });
  const bus = 'error' in rule ? rule.error : undefined;
  const topic = 'error' in subscription ? subscription.error : undefined;
  return { queue: queue.value, faults: { bus, topic } };
}

/** Who may send to the observer: the rule of this run, the topic, and the role of the schedules with its dead letters. */
function observerPolicy({ links, name, outputs, queues }: TestRun, arn: string): object {
  const ruleArn = neighbourArn(queues.commands.arn, `rule/${outputs.EventBusName}/${name}`).replace(
    ':sqs:',
    ':events:',
  );
  const allow = (principal: object, condition?: object) => ({
    Effect: 'Allow',
    Principal: principal,
    Action: 'sqs:SendMessage',
    Resource: arn,
    Condition: condition,
  });
  return {
    Version: '2012-10-17',
    Statement: [
      allow({ Service: 'events.amazonaws.com' }, from(ruleArn)),
      allow({ Service: 'sns.amazonaws.com' }, from(links.topic.arn)),
      allow({ AWS: outputs.CommandSchedulesRoleArn }),
    ],
  };
}

function from(sourceArn: string): object {
  return { ArnEquals: { 'aws:SourceArn': sourceArn } };
}

/** Takes away what a run has made; answers what could not be, each with its reason. */
export async function takeAwayAll(made: TakeAway): Promise<readonly string[]> {
  const left: string[] = [];
  for (const { what, undo } of made.toReversed()) {
    const result = await tried(undo);
    if ('error' in result) left.push(`${what} (${result.error.message})`);
  }
  return left;
}

/** Takes away what runs left behind that were killed: everything that a run makes carries its name. */
export async function takeAwayLeftovers({ deps, links }: TestRun): Promise<void> {
  const now = await deps.now();
  const isOld = (name: string) => isLeftBehind(name, now);
  const finders: readonly (() => Promise<TakeAway>)[] = [
    async () =>
      (await links.topic.queues())
        .filter(({ queueArn }) => isOld(queueName(queueArn)))
        .map(({ arn }) => ({ what: arn, undo: async () => links.topic.unsubscribe(arn) })),
    async () =>
      (await links.bus.rules(linkTestName))
        .filter(({ name }) => isOld(name))
        .map(({ name }) => ({ what: name, undo: async () => links.bus.unobserve(name) })),
    async () =>
      (await links.queues.named(linkTestName))
        .filter((url) => isOld(queueName(url)))
        .map((url) => ({ what: url, undo: async () => links.queues.remove(url) })),
    async () =>
      (await links.schedules.named(linkTestName))
        .filter(isOld)
        .map((name) => ({ what: name, undo: async () => links.schedules.remove(name) })),
    async () =>
      (await links.bucket.oldVersions(linkTestPrefix, new Date(now.getTime() - leftObjectMs))).map(
        ({ key, versionId }) => ({
          what: key,
          undo: async () => links.bucket.removeVersion(key, versionId),
        }),
      ),
  ];
  for (const find of finders) {
    // The test itself says what is broken: a listing that fails here fails there.
    const found = await tried(find);
    if ('value' in found) await takeAwayAll(found.value);
  }
}

function queueName(address: string): string {
  return address.split(/[/:]/).at(-1) ?? '';
}

/** An object has no name of its run: it is known by its age alone. */
const leftObjectMs = 15 * 60_000;

/** Makes an error a value. */
export async function tried<Value>(
  work: () => Promise<Value>,
): Promise<{ readonly value: Value } | { readonly error: Error }> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error: toError(error) };
  }
}

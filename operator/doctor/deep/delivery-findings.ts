import * as z from 'zod';
import type { InvocationAnswer } from '../../aws/lambda-function.ts';
import { keyOfLinkTest, messageOfLinkTest } from '#shared/messages/link-test.ts';
import { objectCreatedMessage } from '#shared/uploads/object-key.ts';
import type { StageOutputs } from '#shared/vocabulary/stack-outputs.ts';
import { after, type Finding, putBack } from '../../finding.ts';
import { counted } from '../../readable.ts';
import { jsonIn } from '../../stage/ask-stage.ts';
import { mappingFindings } from '../function-findings.ts';
import { deployedFunctions } from '../stage-parts.ts';
import { idOfMark, type TestRun } from './observer.ts';

/** A function that takes marks from its queue. */
export type Taker = 'register-datasets' | 'update-campaign-runs';

const queueOutputs = {
  'register-datasets': { name: 'uploads', url: 'UploadsQueueUrl' },
  'update-campaign-runs': { name: 'commands', url: 'CommandsQueueUrl' },
} as const satisfies Record<Taker, { name: keyof TestRun['queues']; url: keyof StageOutputs }>;

/** What an event source mapping gets back: the messages that failed. */
const batchAnswer = z.object({ batchItemFailures: z.array(z.unknown()) });

/**
 * Looks for what keeps a message in its queue, or a function from ending it. It checks the mapping,
 * then the function itself with a test message, and what waits in the queue.
 */
export async function deliveryFindings(taker: Taker, run: TestRun): Promise<readonly Finding[]> {
  const { stage } = run.deps;
  const found = deployedFunctions(await stage.resources()).find(({ name }) => name === taker);
  if (found?.functionName === undefined) return [];
  const mappings = (await mappingFindings([found], run.deps)).filter(({ state }) => state !== 'ok');
  if (mappings.length > 0) return mappings;
  const trial = trialFinding(taker, await stage.invoke(found.functionName, await trialEvent(taker, run)));
  if (trial !== undefined) return [trial];
  const { name, url } = queueOutputs[taker];
  const { waiting } = await stage.depth(run.outputs[url]);
  if (waiting === 0) return [];
  return [
    {
      subject: `queue of ${taker}`,
      state: 'problem',
      says: `${counted(waiting, 'message')} in ${run.queues[name].arn} not taken, although its mapping is enabled, and the function ends a mark`,
      next: after('Its role must be allowed to receive from the queue, and to decrypt with its key.', putBack),
    },
  ];
}

/** A delivery of one mark, as Lambda's mapping hands it over. */
async function trialEvent(taker: Taker, run: TestRun): Promise<string> {
  const id = idOfMark(run, 'invocation');
  const now = await run.deps.now();
  const object = { key: keyOfLinkTest(id), versionId: 'doctor', etag: '', sizeBytes: 0, eventTime: now.toISOString() };
  const body =
    taker === 'register-datasets'
      ? objectCreatedMessage({ bucket: run.outputs.BucketName, ...object })
      : messageOfLinkTest({ id, link: 'invocation' });
  const record = {
    messageId: `doctor-${id}`,
    receiptHandle: 'doctor',
    body,
    attributes: { ApproximateReceiveCount: '1', SentTimestamp: String(now.getTime()) },
    messageAttributes: {},
    eventSource: 'aws:sqs',
    eventSourceARN: run.queues[queueOutputs[taker].name].arn,
  };
  return JSON.stringify({ Records: [record] });
}

const mostSaid = 300;

/** Reads why a function did not end a mark; `undefined` if it did. Pure. */
export function trialFinding(
  taker: Taker,
  { payload, functionError, logTail = '' }: InvocationAnswer,
): Finding | undefined {
  const answer = functionError === undefined ? batchAnswer.safeParse(jsonIn(payload)).data : undefined;
  if (answer?.batchItemFailures.length === 0) return undefined;
  const said = `${payload}\n${logTail}`;
  const denied = /is not authorized to perform: ([\w:*]+)(?: on resource: ([^\s"\\]+))?/.exec(said);
  if (denied !== null) {
    const [, action, resource = 'its resource'] = denied;
    return {
      subject: `role of ${taker}`,
      state: 'problem',
      says: `it may not ${action} on ${resource}`,
      next: after('Its policy, or one that denies, was changed.', putBack),
    };
  }
  const why = /attempt failed: ([^"]+)/.exec(logTail)?.[1] ?? payload;
  return {
    subject: taker,
    state: 'problem',
    says: `it cannot end a mark: ${why.slice(0, mostSaid)}`,
    next: { says: 'Read its log.' },
  };
}

/** A service that asks to do something. */
export interface Guest {
  /** For instance `s3.amazonaws.com`. */
  readonly service: string;
  /** For instance `sqs:SendMessage`. */
  readonly action: string;
  /** The resource in whose name the service asks. */
  readonly sourceArn: string;
}

interface PolicyStatement {
  readonly Effect?: unknown;
  readonly Principal?: unknown;
  readonly Action?: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * Says whether a statement of a resource's policy lets a service in. It judges what a stage writes:
 * the service, the action and the source. It is called only if nothing came through, to name the
 * cause. Pure.
 * @param policy - JSON; absent if the resource has none
 */
export function policyLetsIn(policy: string | undefined, guest: Guest): boolean {
  return statementsOf(policy).some(
    (statement) =>
      statement.Effect === 'Allow' &&
      isFor(statement.Principal, guest.service) &&
      textsOf(statement.Action).some((action) => isLike(guest.action.toLowerCase(), action.toLowerCase())) &&
      sourcesOf(statement).every((sources) => sources.some((source) => isLike(guest.sourceArn, source))),
  );
}

function statementsOf(policy: string | undefined): readonly PolicyStatement[] {
  if (policy === undefined || policy === '') return [];
  const parsed: unknown = JSON.parse(policy);
  const statement: unknown = isRecord(parsed) ? parsed['Statement'] : undefined;
  return [statement].flat().filter(isRecord);
}

function isFor(principal: unknown, service: string): boolean {
  if (principal === '*') return true;
  return (
    isRecord(principal) &&
    [...textsOf(principal['Service']), ...textsOf(principal['AWS'])].some((one) => one === service || one === '*')
  );
}

/** For each condition on the source, the sources that it takes; condition keys have no upper and lower case. */
function sourcesOf({ Condition = {} }: PolicyStatement): readonly (readonly string[])[] {
  return Object.values(Condition).flatMap((keys) =>
    Object.entries(keys)
      .filter(([key]) => key.toLowerCase() === 'aws:sourcearn')
      .map(([, value]) => textsOf(value)),
  );
}

function isLike(text: string, pattern: string): boolean {
  const expression = pattern
    .split('*')
    .map((part) => part.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('?', '.'));
  return new RegExp(`^${expression.join('.*')}$`, 's').test(text);
}

function textsOf(value: unknown): readonly string[] {
  return [value].flat().filter((one) => typeof one === 'string');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

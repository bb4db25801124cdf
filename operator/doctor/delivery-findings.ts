import * as z from 'zod';
import { keyOfLinkTest, messageOfLinkTest } from '#shared/messages/link-test.ts';
import { objectCreatedMessage } from '#shared/uploads/object-key.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import type { StageOutputs } from '#shared/vocabulary/stack-outputs.ts';
import type { InvocationAnswer } from '../aws/lambda-function.ts';
import { isDenial } from '../failures.ts';
import { after, type Finding, putBack, judged } from '../finding.ts';
import { counted } from '../readable.ts';
import { jsonIn } from '#shared/text/json-in.ts';
import { logStep, mappingFindings } from './function-findings.ts';
import { deployedFunctions } from './stage-parts.ts';
import { idOfMark, type LinkTestRun } from './link-marks.ts';

/** A function that takes marks from its queue. */
export type Taker = 'register-datasets' | 'update-campaign-runs';

const queueOutputs = {
  'register-datasets': 'UploadsQueueUrl',
  'update-campaign-runs': 'CommandsQueueUrl',
} as const satisfies Record<Taker, keyof StageOutputs>;

/**
 * Looks for what keeps a message in its queue, or a function from ending it. It checks the mapping,
 * then the function itself with a test message, and what waits in the queue.
 */
export async function deliveryFindings(taker: Taker, run: LinkTestRun): Promise<readonly Finding[]> {
  const { stage, target } = run.deps;
  const found = deployedFunctions(await stage.resources()).find(({ name }) => name === taker);
  if (found?.functionName === undefined) return [];
  const mappings = (await mappingFindings([found], run.deps)).filter(({ state }) => state !== 'ok');
  if (mappings.length > 0) return mappings;
  const why = whyNotEnded(await stage.invoke(found.functionName, await trialEvent(taker, run)));
  if (why !== undefined) {
    const next = why.isDenied
      ? after('Its role lacks a permission, or a policy forbids it.', putBack)
      : logStep(found, target);
    return [judged.problem(taker, `it cannot end a mark: ${why.says}`, { next })];
  }
  const { waiting } = await stage.depth(run.outputs[queueOutputs[taker]]);
  if (waiting === 0) return [];
  const says = `${counted(waiting, 'message')} not taken, although its mapping is enabled, and the function ends a mark`;
  const next = after('Its role must be allowed to receive from the queue, and to decrypt with its key.', putBack);
  return [judged.problem(`queue of ${taker}`, says, { next })];
}

/** A delivery of one mark, as Lambda's mapping hands it over. */
async function trialEvent(taker: Taker, { deps, links, outputs, ...run }: LinkTestRun): Promise<string> {
  const id = idOfMark(run, 'invocation');
  const [now, eventSourceARN] = await Promise.all([deps.now(), links.queueArn(outputs[queueOutputs[taker]])]);
  const object = { key: keyOfLinkTest(id), versionId: 'doctor', etag: '', sizeBytes: 0, eventTime: now.toISOString() };
  const record = {
    messageId: `doctor-${id}`,
    receiptHandle: 'doctor',
    body:
      taker === 'register-datasets'
        ? objectCreatedMessage({ bucket: outputs.BucketName, ...object })
        : messageOfLinkTest({ id, link: 'invocation' }),
    attributes: { ApproximateReceiveCount: '1', SentTimestamp: String(now.getTime()) },
    messageAttributes: {},
    eventSource: 'aws:sqs',
    eventSourceARN,
  };
  return JSON.stringify({ Records: [record] });
}

/** What an event source mapping gets back: the messages that failed. */
const batchAnswer = z.object({ batchItemFailures: z.array(z.unknown()) });

/** The line of a worker's log about a message that it could not end. */
const failedLine = z.object({
  event: z.literal(logEvents.failed),
  messageId: z.string(),
  name: z.string(),
  message: z.string(),
});

const mostSaid = 300;

/** Why a function did not end a mark, in the words of its log; `undefined` if it did. Pure. */
export function whyNotEnded({
  payload,
  functionError,
  logTail = '',
}: InvocationAnswer): { readonly says: string; readonly isDenied: boolean } | undefined {
  const answer = functionError === undefined ? batchAnswer.safeParse(jsonIn(payload)).data : undefined;
  if (answer?.batchItemFailures.length === 0) return undefined;
  const [failed] = logTail.split('\n').flatMap((line) => failedLine.safeParse(jsonIn(line)).data ?? []);
  return { says: (failed?.message ?? payload).slice(0, mostSaid), isDenied: isDenial(failed?.name ?? '') };
}

/** One batch of an event source mapping: to the function, and what succeeded out of the queue. */
import { judgeBatch } from './batch-answer.ts';
import type { LocalMapping, MappingPorts } from './mapping.ts';
import type { QueueReader, ReceivedMessage } from './queue-reader.ts';
import type { SaidOnce } from './said-once.ts';
import { sqsEvent } from './sqs-event.ts';

/** What lies between a queue and its function. */
export interface BatchLine {
  readonly mapping: LocalMapping;
  readonly ports: MappingPorts;
  readonly queue: QueueReader;
  readonly say: SaidOnce;
}

/** Never rejects: whatever goes wrong leaves the messages in the queue, and they come back. */
export async function handleBatch(
  messages: readonly ReceivedMessage[],
  { mapping, ports: { access, invoke }, queue, say }: BatchLine,
): Promise<void> {
  try {
    const event = sqsEvent(messages, { queueArn: mapping.queueArn, region: access.region });
    const answer = await invoke(mapping.functionName, event);
    const ids = messages.map(({ MessageId }) => MessageId);
    const verdict = judgeBatch(ids, answer, mapping.reportsItemFailures);
    if (verdict.problem === undefined) say.fine('answer');
    else say.problem('answer', verdict.problem);

    const succeeded = new Set(verdict.succeeded);
    const problems = await queue.remove(messages.filter(({ MessageId }) => succeeded.has(MessageId)));
    for (const problem of problems) say.problem('delete', problem);
    if (problems.length === 0) say.fine('delete');
    say.fine('batch');
  } catch (error) {
    say.problem('batch', error);
  }
}

import { at, listOf } from './read-template.ts';
import { findingOn, type Located, type Rule, type StageModel } from './stage-model.ts';

/** The longest that SQS keeps a message. */
const fourteenDaysSeconds = 1_209_600;

/** What SQS and Lambda take where a template says nothing. */
const defaults = { visibilitySeconds: 30, timeoutSeconds: 3, retentionSeconds: 345_600, windowSeconds: 0 };

function mappings(stage: StageModel): Located[] {
  return stage.ofType('AWS::Lambda::EventSourceMapping');
}

function numberAt({ resource }: Located, path: string, otherwise: number): number {
  return Number(at(resource.Properties, path) ?? otherwise);
}

/** What feeds the functions: queues and mappings. */
export const queueRules: readonly Rule[] = [
  {
    id: 'visibility-timeout',
    sentence:
      'The visibility timeout of a queue is at least six times the timeout of its function, and the batching window: a message that is still being worked on is not delivered again',
    find: (stage) =>
      mappings(stage).flatMap((mapping) => {
        const queue = stage.behind(mapping.resource.Properties['EventSourceArn'], mapping.template);
        const worker = stage.behind(mapping.resource.Properties['FunctionName'], mapping.template);
        if (queue === undefined || worker === undefined) {
          return [findingOn(mapping, 'Properties', 'the queue or the function is in no template of the stage')];
        }
        const visibility = numberAt(queue, 'VisibilityTimeout', defaults.visibilitySeconds);
        const timeout = numberAt(worker, 'Timeout', defaults.timeoutSeconds);
        const window = numberAt(mapping, 'MaximumBatchingWindowInSeconds', defaults.windowSeconds);
        if (visibility >= 6 * timeout + window) return [];
        const found = `${visibility} s for the ${timeout} s of ${worker.id} and a window of ${window} s`;
        return [findingOn(queue, 'Properties.VisibilityTimeout', found)];
      }),
  },
  {
    id: 'message-retention',
    sentence:
      'Every queue keeps messages for 14 days: in a dead-letter queue the clock goes on from the first queue, so a shorter one of either loses work',
    find: (stage) =>
      stage.ofType('AWS::SQS::Queue').flatMap((queue) => {
        const retention = numberAt(queue, 'MessageRetentionPeriod', defaults.retentionSeconds);
        if (retention === fourteenDaysSeconds) return [];
        return [findingOn(queue, 'Properties.MessageRetentionPeriod', `${retention} s`)];
      }),
  },
  {
    id: 'mapping-answers-by-record',
    sentence:
      'A mapping reports failures by record: without it, what a function calls failed is deleted with its batch',
    find: (stage) =>
      mappings(stage)
        .filter(
          ({ resource }) => !listOf(resource.Properties['FunctionResponseTypes']).includes('ReportBatchItemFailures'),
        )
        .map((mapping) => findingOn(mapping, 'Properties.FunctionResponseTypes', 'no ReportBatchItemFailures')),
  },
  {
    id: 'mapping-concurrency',
    sentence: 'A mapping has a maximum concurrency: a full queue does not take the concurrency of the whole account',
    find: (stage) =>
      mappings(stage)
        .filter((mapping) => !(numberAt(mapping, 'ScalingConfig.MaximumConcurrency', 0) >= 2))
        .map((mapping) => findingOn(mapping, 'Properties.ScalingConfig.MaximumConcurrency', 'none')),
  },
];

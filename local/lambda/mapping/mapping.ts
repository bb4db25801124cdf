/** An event source mapping of the template as the run on one machine needs it, and what it needs from the runner. */
import type { CallsInHand } from '../../clock/calls-in-hand.ts';
import type { InvokeResult } from '../local-function.ts';
import type { QueueAccess } from './queue-reader.ts';

/** One AWS::Lambda::EventSourceMapping from SQS. */
export interface LocalMapping {
  readonly logicalId: string;
  readonly functionName: string;
  readonly queueArn: string;
  readonly enabled: boolean;
  /** @default 10 */
  readonly batchSize?: number | undefined;
  /** @default 0 */
  readonly maximumBatchingWindowSeconds?: number | undefined;
  /** @default 5, where Lambda starts too */
  readonly maximumConcurrency?: number | undefined;
  /** FunctionResponseTypes holds ReportBatchItemFailures. */
  readonly reportsItemFailures: boolean;
  /** FilterCriteria are not emulated: a mapping that has them is refused, not run without them. */
  readonly hasFilterCriteria?: boolean | undefined;
}

/** What a mapping needs from the runner. */
export interface MappingPorts {
  /** The queue, under the function's role. */
  readonly access: QueueAccess;
  readonly invoke: (functionName: string, payload: string) => Promise<InvokeResult>;
  /** No batch is taken while the clock is about to move. */
  readonly calls: CallsInHand;
  readonly log: (line: string) => void;
}

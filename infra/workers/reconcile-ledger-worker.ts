import { Construct } from 'constructs';
import { objectPrefixes } from '../../shared/vocabulary/object-prefixes.ts';
import { grantReadDepth, grantSend } from '../constructs/queue-grants.ts';
import type { Tick } from '../constructs/stage-schedules.ts';
import { WorkerFunction } from '../constructs/worker-function.ts';
import type { WorkerProps } from './worker-props.ts';

/** Finds uploads that nobody told us of, and work that nobody finished, and tells the workers again. */
export class ReconcileLedgerWorker extends Construct {
  readonly tick: Tick;

  constructor(scope: Construct, id: string, props: WorkerProps) {
    super(scope, id);
    const { state } = props;
    const uploads = state.queues.uploads.queue;
    const plans = state.queues.plans.queue;
    const worker = new WorkerFunction(this, 'Function', {
      name: 'reconcile-ledger',
      surroundings: props,
      memoryMb: 256, // a page of a listing or of rows at a time
      environment: {
        LEDGER_TABLE: state.ledger.tableName,
        BUCKET_NAME: state.bucket.bucketName,
        UPLOADS_QUEUE_URL: uploads.queueUrl,
        PLANS_QUEUE_URL: plans.queueUrl,
      },
    });
    // The next tick is the retry.
    worker.function.configureAsyncInvoke({ retryAttempts: 0 });
    state.ledger.grantReadWrite(worker);
    state.ledger.grantListOpen(worker);
    state.bucket.grantListVersions(worker, Object.values(objectPrefixes));
    for (const queue of [uploads, plans]) {
      grantSend(queue, worker);
      grantReadDepth(queue, worker);
    }
    this.tick = {
      name: 'reconcile-ledger',
      description: 'finds uploads that nobody told us of, and work that nobody finished',
      expression: 'rate(5 minutes)', // an upload is found 20 minutes after it was put, at the latest
      function: worker.function,
    };
  }
}

import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { grantSend } from '../constructs/queue-grants.ts';
import { WorkerFunction } from '../constructs/worker-function.ts';
import type { WorkerProps } from './worker-props.ts';

/** Walks a listing when its schedule calls, one walk of a watch at a time by its lease in the ledger; a change sends a command. */
export class PollScannerPackagesWorker extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, props: WorkerProps) {
    super(scope, id);
    const { state, bus } = props;
    const { queue } = state.queues.commands;
    const worker = new WorkerFunction(this, 'Function', {
      name: 'poll-scanner-packages',
      surroundings: props,
      memoryMb: 512, // for its share of a CPU: however long the listing, ten thousand fingerprints are in memory at most
      environment: {
        LEDGER_TABLE: state.ledger.tableName,
        TOKEN_SECRET_ARN: state.token.secretArn,
        EVENT_BUS_NAME: bus.eventBusName,
        COMMANDS_QUEUE_URL: queue.queueUrl,
      },
    });
    this.function = worker.function;
    // The next tick is the retry; Lambda's own two would only walk the same pages beside it.
    worker.function.configureAsyncInvoke({ retryAttempts: 0 });
    state.ledger.grantReadWrite(worker);
    state.token.grantRead(worker);
    grantSend(queue, worker);
    bus.grantPut(worker);
  }
}

import { Construct } from 'constructs';
import { grantSend } from '../constructs/queue-grants.ts';
import type { Tick } from '../constructs/stage-schedules.ts';
import { WorkerFunction } from '../constructs/worker-function.ts';
import type { WorkerProps } from './worker-props.ts';

/** Sends the stops that are due, every minute, by what the ledger says is in flight. */
export class WatchCampaignsWorker extends Construct {
  readonly tick: Tick;

  constructor(scope: Construct, id: string, props: WorkerProps) {
    super(scope, id);
    const { stage, state } = props;
    const { queue } = state.queues.commands;
    const worker = new WorkerFunction(this, 'Function', {
      name: 'watch-campaigns',
      stage,
      assetDirectory: props.assets['watch-campaigns'],
      timeoutSeconds: props.numbers.timeoutSeconds['watch-campaigns'],
      memoryMb: 256, // a page of rows at a time
      environment: { STAGE: stage, LEDGER_TABLE: state.ledger.tableName, COMMANDS_QUEUE_URL: queue.queueUrl },
    });
    // The next tick is the retry.
    worker.function.configureAsyncInvoke({ retryAttempts: 0 });
    state.ledger.grantReadWrite(worker);
    state.ledger.grantListOpen(worker);
    grantSend(queue, worker);
    this.tick = {
      name: 'watch-campaigns',
      description: 'sends the stops that are due',
      expression: 'rate(1 minute)',
      function: worker.function,
    };
  }
}

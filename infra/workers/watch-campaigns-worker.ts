import { Construct } from 'constructs';
import { grantSend } from '../constructs/queue-grants.ts';
import type { Tick } from '../constructs/stage-schedules.ts';
import { WorkerFunction } from '../constructs/worker-function.ts';
import type { WorkerProps } from './worker-props.ts';

/** Every minute, by what the ledger says: sends what is due, and reads the campaigns that somebody waits for. */
export class WatchCampaignsWorker extends Construct {
  readonly tick: Tick;

  constructor(scope: Construct, id: string, props: WorkerProps) {
    super(scope, id);
    const { state, bus } = props;
    const { queue } = state.queues.commands;
    const worker = new WorkerFunction(this, 'Function', {
      name: 'watch-campaigns',
      surroundings: props,
      memoryMb: 256, // a page of rows at a time
      environment: {
        LEDGER_TABLE: state.ledger.tableName,
        TOKEN_SECRET_ARN: state.token.secretArn,
        EVENT_BUS_NAME: bus.eventBusName,
        COMMANDS_QUEUE_URL: queue.queueUrl,
      },
    });
    // The next tick is the retry.
    worker.function.configureAsyncInvoke({ retryAttempts: 0 });
    state.ledger.grantReadWrite(worker);
    state.ledger.grantListOpen(worker);
    state.token.grantRead(worker);
    grantSend(queue, worker);
    bus.grantPut(worker);
    this.tick = {
      name: 'watch-campaigns',
      description: 'sends stops and starts that are due, looks whether starts took place',
      expression: 'rate(1 minute)',
      function: worker.function,
    };
  }
}

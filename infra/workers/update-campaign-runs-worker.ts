import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { grantSend } from '../constructs/queue-grants.ts';
import { WorkerFunction } from '../constructs/worker-function.ts';
import type { WorkerProps } from './worker-props.ts';

/** What it needs beside the connections of every worker. */
export interface UpdateCampaignRunsWorkerProps extends WorkerProps {
  readonly maxConcurrency: number;
}

/** Commands queue → PATCH of a campaign run. */
export class UpdateCampaignRunsWorker extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, props: UpdateCampaignRunsWorkerProps) {
    super(scope, id);
    const { state, bus } = props;
    const { queue } = state.queues.commands;
    const worker = new WorkerFunction(this, 'Function', {
      name: 'update-campaign-runs',
      surroundings: props,
      memoryMb: 512, // processor time for a quick cold start: a stop waits for it; the work itself needs a fifth
      environment: {
        LEDGER_TABLE: state.ledger.tableName,
        TOKEN_SECRET_ARN: state.token.secretArn,
        EVENT_BUS_NAME: bus.eventBusName,
        COMMANDS_QUEUE_URL: queue.queueUrl,
      },
    });
    // A command is rare and urgent: none waits for a neighbour.
    worker.consume('Commands', { queue, batchSize: 1, maxConcurrency: props.maxConcurrency });
    state.ledger.grantReadWrite(worker);
    state.ledger.grantListOpen(worker); // a preview has to know what is in flight
    state.token.grantRead(worker);
    bus.grantPut(worker);
    // The stop of a run in flight that a newer start replaces.
    grantSend(queue, worker);
    this.function = worker.function;
  }
}

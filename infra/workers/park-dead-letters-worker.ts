import { Construct } from 'constructs';
import { WorkerFunction } from '../constructs/worker-function.ts';
import type { WorkerProps } from './worker-props.ts';

/** Dead letters in one batch. */
const batchSize = 10;

/** The least that AWS takes; a dead letter is rare. */
const maxConcurrency = 2;

/** Every dead-letter queue → a parked row of the ledger. */
export class ParkDeadLettersWorker extends Construct {
  constructor(scope: Construct, id: string, props: WorkerProps) {
    super(scope, id);
    const { state, bus } = props;
    const queues = {
      Commands: state.queues.commands.deadLetterQueue,
      Uploads: state.queues.uploads.deadLetterQueue,
      Plans: state.queues.plans.deadLetterQueue,
      Schedules: state.schedulesDeadLetters,
    };
    const worker = new WorkerFunction(this, 'Function', {
      name: 'park-dead-letters',
      surroundings: props,
      memoryMb: 256, // it copies messages into rows
      environment: {
        LEDGER_TABLE: state.ledger.tableName,
        EVENT_BUS_NAME: bus.eventBusName,
        COMMANDS_DLQ_ARN: queues.Commands.queueArn,
        UPLOADS_DLQ_ARN: queues.Uploads.queueArn,
        PLANS_DLQ_ARN: queues.Plans.queueArn,
        SCHEDULES_DLQ_ARN: queues.Schedules.queueArn,
      },
    });
    for (const [name, queue] of Object.entries(queues)) worker.consume(name, { queue, batchSize, maxConcurrency });
    state.ledger.grantReadWrite(worker);
    bus.grantPut(worker);
  }
}

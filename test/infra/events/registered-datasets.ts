import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** A queue of yours that gets each dataset registered under datasets/pii/. */
export class RegisteredDatasets extends Construct {
  constructor(scope: Construct, id: string, stage: string) {
    super(scope, id);
    const deadLetterQueue = { queue: new Queue(this, 'DeadLetters', { enforceSSL: true }), maxReceiveCount: 10 };
    const queue = new Queue(this, 'Queue', {
      deadLetterQueue,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
    const rule = new Rule(this, 'Rule', {
      eventBus: EventBus.fromEventBusName(this, 'Bus', `gateway-autopilot-${stage}`),
      eventPattern: {
        source: ['gateway-autopilot'],
        detailType: ['DatasetRegistered'],
        detail: { rule: ['datasets/pii/'] },
      },
    });
    rule.addTarget(new SqsQueue(queue));
  }
}

import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { grantKeyUse } from '../storage/encryption-key.ts';
import { grantActions } from './grant-actions.ts';

/** Sends to one queue, and nothing else: CDK's own grant adds two reading actions that no sender here uses. */
export function grantSend(queue: IQueue, grantee: IGrantable, why: string): Grant {
  grantKeyUse(queue.encryptionMasterKey?.keyArn, grantee, {
    through: 'sqs',
    actions: ['kms:Decrypt', 'kms:GenerateDataKey'], // SQS proves a data key that it uses again
    why: 'SQS encrypts the messages that are sent',
  });
  return grantActions(grantee, { actions: ['sqs:SendMessage'], resourceArns: [queue.queueArn], why });
}

/** Looks at how many messages a queue holds. */
export function grantReadDepth(queue: IQueue, grantee: IGrantable, why: string): Grant {
  return grantActions(grantee, { actions: ['sqs:GetQueueAttributes'], resourceArns: [queue.queueArn], why });
}

/** What an event source mapping does under the function's role. */
export function grantConsume(queue: IQueue, grantee: IGrantable): Grant {
  grantKeyUse(queue.encryptionMasterKey?.keyArn, grantee, {
    through: 'sqs',
    actions: ['kms:Decrypt'],
    why: 'SQS decrypts the messages that are received',
  });
  return grantActions(grantee, {
    actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
    resourceArns: [queue.queueArn],
    why: 'Lambda takes the messages of the queue in its name, and deletes those that are done',
  });
}

/** Puts a message that was received out of sight for as long as its worker says. */
export function grantPostpone(queue: IQueue, grantee: IGrantable): Grant {
  return grantActions(grantee, {
    actions: ['sqs:ChangeMessageVisibility'],
    resourceArns: [queue.queueArn],
    why: 'what has to wait comes back after its own back-off instead of the visibility timeout of the queue',
  });
}

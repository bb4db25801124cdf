import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';

/** Sends to one queue, and nothing else: CDK's own grant adds two reading actions that no sender here uses. */
export function grantSend(queue: IQueue, grantee: IGrantable): Grant {
  return Grant.addToPrincipal({ grantee, actions: ['sqs:SendMessage'], resourceArns: [queue.queueArn] });
}

/** Looks at how many messages a queue holds. */
export function grantReadDepth(queue: IQueue, grantee: IGrantable): Grant {
  return Grant.addToPrincipal({ grantee, actions: ['sqs:GetQueueAttributes'], resourceArns: [queue.queueArn] });
}

/** What an event source mapping does under the function's role, and the postponing of a message by the function or the mapping. */
export function grantConsume(queue: IQueue, grantee: IGrantable): Grant {
  return Grant.addToPrincipal({
    grantee,
    actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility', 'sqs:GetQueueAttributes'],
    resourceArns: [queue.queueArn],
  });
}

import { SNSClient } from '@aws-sdk/client-sns';
import { expect, test } from 'vitest';
import { listSubscriptions } from '#operator/aws/topic-subscriptions.ts';
import { startLocalAws } from '../../local/aws/start-local-aws.ts';

test('an address that has not confirmed its subscription is told as such', async () => {
  await using aws = await startLocalAws();
  const client = new SNSClient(aws.developer);

  const found = await listSubscriptions(client, 'arn:aws:sns:eu-west-1:000000000000:alarms');

  expect(found).toEqual([{ protocol: 'email', endpoint: 'soc@example.com', isConfirmed: false }]);
  client.destroy();
});

import type { Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { handler } from '#functions/register-datasets/handler.ts';

const context: Context = {
  callbackWaitsForEmptyEventLoop: false,
  functionName: 'register-datasets',
  functionVersion: '1',
  invokedFunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:register-datasets',
  memoryLimitInMB: '256',
  awsRequestId: 'request-1',
  logGroupName: 'group',
  logStreamName: 'stream',
  getRemainingTimeInMillis: () => 120_000,
  done: () => {},
  fail: () => {},
  succeed: () => {},
};

describe('the exported handler', () => {
  it('is the wrapped one: its cold start names every variable that is missing, at once', async () => {
    await expect(handler({}, context)).rejects.toThrow(
      /^register-datasets: environment variables missing: .*LEDGER_TABLE.*TOKEN_SECRET_ARN.*UPLOADS_QUEUE_URL.*BUCKET_NAME/,
    );
  });
});

import { expect, test } from 'vitest';
import { handler } from '#functions/reconcile-ledger/handler.ts';

test('a cold start without its environment names every variable that is missing', async () => {
  const context = { awsRequestId: 'r1', getRemainingTimeInMillis: () => 1000 };

  const answer = handler({}, context as Parameters<typeof handler>[1]);

  await expect(answer).rejects.toThrow(
    /^reconcile-ledger: environment variables missing: STAGE, AUTOPILOT_VERSION, LEDGER_TABLE, EVENT_BUS_NAME, BUCKET_NAME, UPLOADS_QUEUE_URL, PLANS_QUEUE_URL$/,
  );
});

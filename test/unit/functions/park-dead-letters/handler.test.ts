import { expect, test } from 'vitest';
import { handler } from '#functions/park-dead-letters/handler.ts';

test('a cold start without its environment names every variable that is missing', async () => {
  const context = { awsRequestId: 'r1', getRemainingTimeInMillis: () => 1000 };

  const answer = handler({}, context as Parameters<typeof handler>[1]);

  await expect(answer).rejects.toThrow(
    /^park-dead-letters: environment variables missing: STAGE, AUTOPILOT_VERSION, LEDGER_TABLE, /,
  );
});

import { expect, test } from 'vitest';
import { commonVariables, envContract } from '#shared/config/env-contract.ts';

test.each(Object.entries(envContract))(
  'a cold start of %s without its environment names every variable that is missing',
  async (name, variables) => {
    const file = `#functions/${name}/handler.ts`;
    const { handler } = await import(file);
    const context = { awsRequestId: 'r1', getRemainingTimeInMillis: () => 1000 };

    const answer: unknown = handler({}, context);

    const missing = [...commonVariables, ...variables].join(', ');
    await expect(answer).rejects.toThrow(`${name}: environment variables missing: ${missing}`);
  },
);

import { expect, test } from 'vitest';
import { command } from '#cli/parked/parked.ts';
import { nightlyIds, aCommand, createUpdateBench } from '../../functions/update-campaign-runs/harness/update-bench.ts';
import { argumentsOf, fakeDeps, textOf } from '../../operator/fake-deps.ts';

test('a stop by name that was refused stops the run once a person repeats it', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand({ id: 'start-1', run: 'nightly' }));
  bench.passMs(60_000);
  bench.answerWith({ status: 422, text: 'not now', fields: ['status'] });
  const stop = aCommand({ id: 'stop-1', run: 'nightly', action: 'stop', issuedAt: bench.now().toISOString() });
  expect(await bench.deliver(stop)).toMatchObject({ outcomes: [{ kind: 'parked' }] });
  bench.passMs(60_000);
  const fake = fakeDeps();
  const stage = {
    ...fake.deps.stage,
    ledger: async () => bench.table,
    send: async (_queue: string, body: string) => void (await bench.deliver(JSON.parse(body))),
  };

  const result = await command.run(argumentsOf(command, 'resolve', 'stop-1', '--repeat'), {
    ...fake.deps,
    now: async () => bench.now(),
    stage,
  });

  expect(textOf(result)).toContain('sent again: stopped');
  expect(bench.patches.at(-1)).toMatchObject({ campaignRunId: nightlyIds[0], status: 'cancelled' });
  expect(bench.patches).toHaveLength(3);
});

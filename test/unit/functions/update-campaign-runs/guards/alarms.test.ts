/** Starts of a campaign that an alarm holds. */
import { expect, test } from 'vitest';
import { alarmSwitch } from '#shared/ledger/switches.ts';
import { atTen, nightly } from '../harness/guard-nights.ts';
import { createUpdateBench } from '../harness/update-bench.ts';

const arn = 'arn:aws:cloudwatch:eu-west-1:123456789012:alarm:target-5xx';
const other = 'arn:aws:cloudwatch:eu-west-1:123456789012:alarm:other';

test('a start is skipped while its alarm holds the campaign, and sent once it does not', async () => {
  const bench = createUpdateBench({ haltOn: [other, arn] });
  await bench.turn(alarmSwitch('chat-bot', arn), true);
  await bench.deliver(atTen());
  await bench.turn(alarmSwitch('chat-bot', arn), false);
  await bench.deliver(nightly('later'));

  const outcome = await bench.outcomeOf('at-ten');
  expect(outcome).toMatchObject({ kind: 'skipped', reason: 'HELD_BY_ALARM' });
  expect(outcome?.detail).toContain('campaign chat-bot held by ann since');
  expect(await bench.outcomeOf('later')).toMatchObject({ kind: 'applied' });
});

test('plan skips the starts of a campaign that is held', async () => {
  const bench = createUpdateBench({ haltOn: [arn] });
  await bench.turn(alarmSwitch('chat-bot', arn), true);
  const plan = await bench.preview(
    [nightly('tomorrow', { issuedAt: '2026-11-21T22:00:00Z' })],
    new Date('2026-11-22T22:00:00Z'),
  );

  expect(plan.commands).toMatchObject([{ id: 'tomorrow', outcome: 'skipped', reason: 'HELD_BY_ALARM' }]);
});

/** Starts of a campaign that an alarm holds. */
import { expect, test } from 'vitest';
import { alarmSwitch } from '#shared/ledger/switches.ts';
import { atTen, nightly, operator } from '../harness/guard-nights.ts';
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

const past = (guard: 'paused' | 'alarm') => ({ origin: operator, override: { guards: [guard], reason: 'CHG-9' } });

test('an override of a pause does not pass the alarm, and one of the alarm does', async () => {
  const bench = createUpdateBench({ haltOn: [arn] });
  await bench.turn(alarmSwitch('chat-bot', arn), true);
  await bench.deliver(nightly('past-pause', past('paused')));
  await bench.deliver(nightly('past-alarm', past('alarm')));

  expect(await bench.outcomeOf('past-pause')).toMatchObject({ reason: 'HELD_BY_ALARM' });
  expect(await bench.outcomeOf('past-alarm')).toMatchObject({ kind: 'applied' });
});

test('an alarm that the campaign does not name, and one of another campaign, hold nothing back', async () => {
  const bench = createUpdateBench({ haltOn: [arn] });
  await bench.turn(alarmSwitch('chat-bot', other), true);
  await bench.turn(alarmSwitch('another', arn), true);
  await bench.deliver(atTen());

  expect(await bench.outcomeOf('at-ten')).toMatchObject({ kind: 'applied' });
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

/** Ten nights that a forgotten freeze skipped used to ring nothing (I12). */
import { describe, expect, test } from 'vitest';
import { setSwitch, stageSwitch } from '#shared/ledger/switches.ts';
import { createSilenceBench, dayMs, friday, nightly } from './silence-bench.ts';

const frozen = { kind: 'skipped', reason: 'FROZEN', detail: 'frozen by grace: CHG-1' } as const;
const freeze = { isOn: true, by: 'grace', reason: 'CHG-1', at: friday };

test('a stage that is frozen on a Friday and forgotten rings at its first skipped start', async () => {
  const bench = createSilenceBench();
  await setSwitch(bench.ledger, stageSwitch, freeze);
  await bench.pass();
  await bench.end('2026-11-20T22:00:00Z', frozen);

  const silent = await bench.pass('2026-11-20T22:01:00.000Z');

  expect(silent).toEqual(['every-night']);
  expect(bench.levels).toEqual([0, 1]);
  expect(bench.events).toEqual([
    {
      type: 'ScheduleSilent',
      eventId: 'silent:every-night@2026-11-20T22:00:00.000Z#0',
      schedule: 'every-night',
      run: 'nightly',
      missed: 1,
      since: '2026-11-20T22:00:00.000Z',
      reason: 'FROZEN',
      meaning: 'the stage is frozen: an operator said that nothing is started',
      detail: 'frozen by grace: CHG-1',
      nextStep: 'End the freeze: npx --no -- autopilot thaw --aws --stage prod --region eu-west-1',
      at: '2026-11-20T22:01:00.000Z',
    },
  ]);
});

test('reminds of a silent schedule once a day, under another id', async () => {
  const bench = createSilenceBench({ schedules: [{ ...nightly, expression: 'cron(0 22 ? * FRI *)' }] });
  await bench.pass();
  await bench.end('2026-11-20T22:00:00Z', { kind: 'parked', reason: 'NO_RUN_LEFT' });
  for (const at of ['20T22:05', '21T22:00', '21T22:10', '21T23:00', '22T22:10'])
    await bench.pass(`2026-11-${at}:00.000Z`);

  expect(bench.events.map(({ at }) => at)).toEqual([
    '2026-11-20T22:05:00.000Z',
    '2026-11-21T22:10:00.000Z',
    '2026-11-22T22:10:00.000Z',
  ]);
  expect(new Set(bench.events.map(({ eventId }) => eventId)).size).toBe(3);
});

test('closes by itself when a start comes, and rings again at the next silence', async () => {
  const bench = createSilenceBench();
  await bench.pass();
  await bench.end('2026-11-20T22:00:00Z', frozen);
  await bench.end('2026-11-21T22:00:00Z', { kind: 'applied' });
  await bench.end('2026-11-22T22:00:00Z', { kind: 'skipped', reason: 'BUDGET' });
  for (const day of ['20', '21', '22']) await bench.pass(`2026-11-${day}T22:05:00.000Z`);

  expect(bench.levels).toEqual([0, 1, 0, 1]);
  expect(bench.events.map(({ reason, lastStartAt }) => [reason, lastStartAt])).toEqual([
    ['FROZEN', undefined],
    ['BUDGET', '2026-11-21T22:00:00.000Z'],
  ]);
});

test('a start that a person has repeated ends the silence', async () => {
  const bench = createSilenceBench();
  await bench.pass();
  await bench.end('2026-11-20T22:00:00Z', { kind: 'parked', reason: 'NO_RUN_LEFT' });
  await bench.pass('2026-11-20T22:05:00.000Z');
  await bench.end('2026-11-20T22:00:00Z', { kind: 'applied' });

  expect(await bench.pass('2026-11-20T22:10:00.000Z')).toEqual([]);
});

describe('a schedule of which no command comes', () => {
  const silentAt = '2026-11-20T22:16:00.000Z';

  test.each([
    ['DISABLED', { expression: nightly.expression, timezone: 'UTC', isEnabled: false }],
    ['CHANGED_BY_HAND', { expression: 'cron(0 23 * * ? *)', timezone: 'UTC' }],
    ['CHANGED_BY_HAND', { expression: nightly.expression, timezone: 'Europe/Dublin' }],
    ['NO_MESSAGE', { expression: nightly.expression, timezone: 'UTC' }],
    ['DELETED', undefined],
  ])('rings, and says %s', async (reason, deployed) => {
    const bench = createSilenceBench();
    bench.state.deployed = deployed;
    await bench.pass();

    expect(await bench.pass(silentAt)).toEqual(['every-night']);
    expect(bench.events).toMatchObject([{ reason, missed: 1 }]);
  });
});

describe('what came before is not known', () => {
  test('of a schedule whose times changed: its count begins again', async () => {
    const bench = createSilenceBench();
    await bench.pass();
    const silent = await bench.pass('2026-11-21T12:00:00.000Z');
    const expression = 'cron(0 21 * * ? *)';
    bench.state.config = { ...bench.state.config, schedules: [{ ...nightly, expression }] };

    expect([silent, await bench.pass()]).toEqual([['every-night'], []]);
  });

  test('of a stage that acts again after nights on which it only observed', async () => {
    const bench = createSilenceBench();
    await bench.pass();
    bench.state.config = { ...bench.state.config, mode: 'observe' };
    await bench.pass('2026-11-25T12:00:00.000Z');
    bench.state.config = { ...bench.state.config, mode: 'act' };
    const acts = await bench.pass();

    expect([acts, await bench.pass('2026-11-25T22:16:00.000Z')]).toEqual([[], ['every-night']]);
    expect(bench.events).toMatchObject([{ missed: 1, since: '2026-11-25T22:00:00.000Z' }]);
  });
});

test('a silence that goes on keeps its beginning beyond the occurrences that are read', async () => {
  const bench = createSilenceBench();
  await bench.pass();
  for (let days = 1; days <= 70; days += 1) {
    await bench.pass(new Date(friday.getTime() + days * dayMs).toISOString());
  }

  expect(bench.state.seen.silent?.[nightly.name]).toMatchObject({ first: '2026-11-20T22:00:00.000Z', missed: 70 });
  expect(new Set(bench.events.map(({ since }) => since)).size).toBe(1);
});

test('a bus that takes no notice leaves the silence untold: the next pass tells it', async () => {
  const bench = createSilenceBench();
  await bench.pass();
  await bench.end('2026-11-20T22:00:00Z', frozen);
  bench.state.isBusDown = true;
  await expect(bench.pass('2026-11-20T22:05:00.000Z')).rejects.toThrow('the bus is down');
  bench.state.isBusDown = false;
  await bench.pass();

  expect(bench.levels).toEqual([0, 1, 1]);
  expect(bench.events).toHaveLength(1);
});

describe('a freeze or a pause', () => {
  test('is reminded of once a day, with who, since when, why and until when', async () => {
    const bench = createSilenceBench({ schedules: [] });
    await setSwitch(bench.ledger, stageSwitch, { ...freeze, reason: 'CHG-1 "<b>\n{x}' });
    const paused = { scope: 'campaign', name: 'chat-bot' } as const;
    const until = new Date(friday.getTime() + 3 * dayMs);
    await setSwitch(bench.ledger, paused, { ...freeze, at: new Date(friday.getTime() + 60_000), until });
    for (const at of ['20T12:05', '21T11:55', '21T12:05', '21T12:10', '22T12:05', '23T12:05'])
      await bench.pass(`2026-11-${at}:00.000Z`);

    expect(bench.events.map(({ name, at }) => [name, at])).toEqual([
      ['stage', '2026-11-21T12:05:00.000Z'],
      ['chat-bot', '2026-11-21T12:05:00.000Z'],
      ['stage', '2026-11-22T12:05:00.000Z'],
      ['chat-bot', '2026-11-22T12:05:00.000Z'],
      ['stage', '2026-11-23T12:05:00.000Z'],
    ]);
    expect(bench.events[0]).toMatchObject({
      type: 'StartsHeldBack',
      subject: 'the stage',
      by: 'grace',
      because: 'CHG-1  b x',
      since: friday.toISOString(),
      ends: 'It has no end.',
      nextStep: 'npx --no -- autopilot thaw --aws --stage prod --region eu-west-1',
    });
    expect(bench.events[1]).toMatchObject({
      until: until.toISOString(),
      nextStep: 'npx --no -- autopilot resume campaign chat-bot --aws --stage prod --region eu-west-1',
    });
  });

  test('by an alarm is reminded of too, its name without what could end a text', async () => {
    const bench = createSilenceBench({ schedules: [] });
    const hold = { scope: 'alarm', name: 'chat-bot/5xx "<b>' } as const;
    await setSwitch(bench.ledger, hold, { ...freeze, by: 'alarm 5xx "<b>', reason: 'it rings' });
    await bench.pass('2026-11-21T12:05:00.000Z');

    expect(bench.events).toMatchObject([
      {
        scope: 'alarm',
        name: 'chat-bot/5xx  b',
        by: 'alarm 5xx  b',
        ends: 'It ends once the alarm is OK.',
        nextStep: 'npx --no -- autopilot status --aws --stage prod --region eu-west-1',
      },
    ]);
  });
});

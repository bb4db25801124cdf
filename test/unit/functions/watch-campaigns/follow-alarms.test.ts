/** Campaigns that halt on alarms of their target, as the watcher follows them. */
import { beforeEach, expect, test } from 'vitest';
import { checkAlarms } from '#functions/watch-campaigns/follow-alarms.ts';
import type { AlarmState } from '#shared/aws/alarms-and-calendars.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { createObservedLedger } from '#shared/ledger/observed-ledger.ts';
import { alarmSwitch, listSwitches, readSwitch, setSwitch } from '#shared/ledger/switches.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { aRunInFlight, commandRow, runCommand, targetRow } from '../../../builders/run-rows.ts';
import { aResolvedGateway } from '../../../builders/resolved-gateway.ts';
import { createWatchBench } from './watch-bench.ts';

const arnOf = (name: string) => `arn:aws:cloudwatch:eu-west-1:123456789012:alarm:${name}`;
const [errors, latency] = [arnOf('target-5xx'), arnOf('target: p99')];

type Bench = ReturnType<typeof createWatchBench>;
let bench: Bench;
let states: Record<string, AlarmState | undefined>;
let failure: Error | undefined;

beforeEach(() => {
  bench = createWatchBench();
  states = { [errors]: 'OK', [latency]: 'OK' };
  failure = undefined;
});

const alarms = {
  async statesOf() {
    if (failure !== undefined) throw failure;
    return states;
  },
};

async function tick(haltOn: Readonly<Record<string, readonly string[]>> = { 'chat-bot': [errors, latency] }) {
  const config = { mode: 'act' as const, gateway: aResolvedGateway(), haltOn };
  return bench.tick({ alarms, config });
}

const held = async () => (await listSwitches(bench.ledger, bench.now())).map(({ name }) => name);

/** A run of the campaign, and the row of its start. */
async function begin(fields: Parameters<typeof aRunInFlight>[0] = {}, start = runCommand()) {
  await bench.put(targetRow(aRunInFlight(fields)));
  await bench.put(commandRow(start));
}

test('a campaign whose alarm rings is held, and its run in flight gets one stop that says so', async () => {
  await begin();
  states[errors] = 'ALARM';
  const answer = await tick();
  await tick();

  expect(await held()).toEqual(['chat-bot/target-5xx']);
  expect(await readSwitch(bench.ledger, alarmSwitch('chat-bot', errors))).toMatchObject({ by: 'alarm target-5xx' });
  expect(bench.sent).toMatchObject([
    { id: commandIds.end('start-1'), action: 'stop', startId: 'start-1', reason: 'held by alarm target-5xx' },
  ]);
  expect(answer.summary).toContain('chat-bot is held by alarm target-5xx');
});

test('an alarm that flaps twenty times sends one stop for a run', async () => {
  await begin();
  for (let flaps = 0; flaps < 20; flaps += 1) {
    states[errors] = 'ALARM';
    await tick();
    states[errors] = 'OK';
    await tick();
    bench.passMs(10_000);
  }

  expect(bench.sent).toHaveLength(1);
  expect(await held()).toEqual([]);
});

test('a hold that the operator lifted stays lifted until its alarm rings again', async () => {
  states[errors] = 'ALARM';
  await tick();
  const { ringsSince } = (await readSwitch(bench.ledger, alarmSwitch('chat-bot', errors))) ?? {};
  const lifting = { isOn: false, by: 'ann', reason: 'INC-78', at: bench.now(), ringsSince };
  await setSwitch(bench.ledger, alarmSwitch('chat-bot', errors), lifting);
  await begin();
  await tick();

  expect(ringsSince).toBeDefined();
  expect(await held()).toEqual([]);
  expect(bench.sent).toEqual([]);

  for (const state of ['OK', 'ALARM'] as const) {
    states[errors] = state;
    await tick();
  }
  expect(await held()).toEqual(['chat-bot/target-5xx']);
  expect(bench.sent).toHaveLength(1);
});

test('a campaign is held until the last of its alarms is OK', async () => {
  Object.assign(states, { [errors]: 'ALARM', [latency]: 'ALARM' });
  await tick();
  states[errors] = 'OK';
  await tick();
  expect(await held()).toEqual(['chat-bot/target: p99']);

  states[latency] = 'OK';
  await tick();
  expect(await held()).toEqual([]);
});

test('an alarm without enough data neither halts nor lifts', async () => {
  await begin();
  Object.assign(states, { [errors]: 'INSUFFICIENT_DATA', [latency]: 'INSUFFICIENT_DATA' });
  await tick();
  expect(await held()).toEqual([]);
  expect(bench.sent).toEqual([]);

  states[errors] = 'ALARM';
  await tick();
  states[errors] = 'INSUFFICIENT_DATA';
  await tick();
  expect(await held()).toEqual(['chat-bot/target-5xx']);
});

test('an alarm that is OK lifts neither a pause nor a freeze by a person', async () => {
  const by = { isOn: true, by: 'ann', reason: 'INC-77', at: bench.now() };
  await setSwitch(bench.ledger, { scope: 'campaign', name: 'chat-bot' }, by);
  await setSwitch(bench.ledger, { scope: 'stage', name: 'stage' }, by);
  states[errors] = 'ALARM';
  await tick();
  states[errors] = 'OK';
  await tick();

  expect((await held()).toSorted()).toEqual(['chat-bot', 'stage']);
});

test('runs of other campaigns, and those that are stopping, get no stop', async () => {
  await bench.put(
    targetRow(aRunInFlight({ campaign: 'other' }), aRunInFlight({ startId: 'start-2', state: 'stopping' })),
  );
  states[errors] = 'ALARM';
  await tick();

  expect(bench.sent.filter(({ reason = '' }) => reason.includes('held by'))).toEqual([]);
});

test('a run that a person started past the alarm goes on', async () => {
  await begin({}, runCommand({ override: { guards: ['alarm'], reason: 'CHG-9' } }));
  states[errors] = 'ALARM';
  await tick();

  expect(bench.sent).toEqual([]);
});

test('an alarm that was deleted fails the tick after the others were followed, and keeps its hold', async () => {
  states[errors] = 'ALARM';
  await tick();
  Object.assign(states, { [errors]: undefined, [latency]: 'ALARM' });

  await expect(tick()).rejects.toThrow(`no such alarm in this account and region: ${errors} (haltOn of chat-bot)`);
  expect((await held()).toSorted()).toEqual(['chat-bot/target-5xx', 'chat-bot/target: p99']);
  await expect(checkAlarms({ 'chat-bot': [errors] }, alarms)).rejects.toThrow('no such alarm');
});

test('alarms that cannot be read fail the tick, and the stop of a run that is due is sent all the same', async () => {
  await begin({ endsAt: bench.now().toISOString() });
  failure = new Error('DescribeAlarms answered 400 AccessDenied');

  await expect(tick()).rejects.toThrow('DescribeAlarms answered 400');
  expect(bench.sent).toMatchObject([{ id: commandIds.plannedStop('start-1') }]);
});

test('a stage that observes holds its campaign where its switches lie', async () => {
  const acting = createMemoryLedger();
  bench = createWatchBench({ mode: 'observe', ledger: createObservedLedger(createMemoryLedger(), acting) });
  states[errors] = 'ALARM';
  await tick();

  expect((await listSwitches(acting, bench.now())).map(({ name }) => name)).toEqual(['chat-bot/target-5xx']);
});

test('a stage without alarms reads none', async () => {
  failure = new Error('asked');
  await tick({});

  expect(bench.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

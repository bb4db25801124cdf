/**
 * What used to happen at a change of mode. An observed stop stopped a real run, and a real stop was
 * reported as observed and never sent.
 */
import { describe, expect, test } from 'vitest';
import { commandsOfMode, ledgerOfMode } from '#functions/_handler/observe.ts';
import { observedGateway } from '#functions/update-campaign-runs/send-patch.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { approveRepeat, dueStop, hours, outcomeOf, plannedStopsOf } from './harness/guard-nights.ts';
import { aCommand, createUpdateBench, type Delivery, surelyLandedMs } from './harness/update-bench.ts';

const minutes = (count: number) => count * 60_000;

/**
 * One ledger and one gateway under a worker that acts and, after a deployment, under one that
 * observes; both see the same clock.
 */
function createFlip() {
  const act = createUpdateBench({ startsRepeatSafely: true });
  const observe = createUpdateBench({ mode: 'observe', startsRepeatSafely: true });
  const observed = {
    ledger: ledgerOfMode('observe', act.table),
    acting: act.table,
    gateway: observedGateway(act.gateway),
  };
  return {
    ...act,
    eventsWhileObserving: observe.events,
    whileObserving: async (command: CampaignRunCommand, delivery: Delivery = {}) =>
      observe.deliver(command, { ...observed, ...delivery }),
    passMs: (ms: number) => {
      act.passMs(ms);
      observe.passMs(ms);
    },
  };
}

type Flip = ReturnType<typeof createFlip>;

/** The command as the worker reads it if a stage that observes has sent it. */
async function asObservedSends(command: CampaignRunCommand): Promise<CampaignRunCommand> {
  const bodies: string[] = [];
  await commandsOfMode('observe', { send: async (body) => void bodies.push(body) }).send(JSON.stringify(command));
  return JSON.parse(bodies[0] ?? '');
}

/** The planned stop of the run that is in flight, once it is due. */
async function theDueStop(bench: Flip): Promise<CampaignRunCommand> {
  const [planned] = await plannedStopsOf(bench);
  if (planned === undefined) throw new Error('no stop is planned');
  return dueStop(planned);
}

const thenStart = () => aCommand({ id: 'upload:x:smoke', origin: { kind: 'upload', name: 'datasets/a.csv' } });
const stopNow = (bench: Flip) => aCommand({ id: 'stop', action: 'stop', issuedAt: bench.now().toISOString() });
const waits = { kind: 'later', delayMs: minutes(15) };

describe('a stage that acts, of what it sent while it observed', () => {
  test('never makes a real stop of a due stop: the run that was started for real goes on', async () => {
    const bench = createFlip();
    await bench.deliver(aCommand({ id: 'start' }));
    bench.passMs(minutes(31));
    const due = await theDueStop(bench);

    const result = await bench.deliver(await asObservedSends(due));

    expect(result).toMatchObject({ kind: 'done', outcomes: [{ kind: 'ignored', subject: due.id }] });
    expect(bench.transitions).toEqual(['aa:running']);
  });

  test('never makes a real start of what an observed upload asked for, however long it waited at the gate', async () => {
    const bench = createFlip();
    const command = await asObservedSends(thenStart());
    await bench.whileObserving(command);

    const result = await bench.deliver(command, { receiveCount: 2 });

    expect(result).toMatchObject({ kind: 'done', outcomes: [{ kind: 'ignored', subject: 'upload:x:smoke' }] });
    expect(bench.patches).toEqual([]);
    expect(bench.events).toEqual([]);
  });

  test('keeps no row of it, so that the same command may come for real', async () => {
    const bench = createFlip();
    await bench.deliver(await asObservedSends(thenStart()));
    expect(bench.table.all()).toEqual([]);

    await bench.deliver(thenStart());

    expect(bench.transitions).toEqual(['aa:running']);
  });

  test('judges afresh what others sent, whatever was observed of it', async () => {
    const bench = createFlip();
    await bench.whileObserving(aCommand({ id: 'start' }));

    await bench.deliver(aCommand({ id: 'start' }), { receiveCount: 2 });

    expect(bench.transitions).toEqual(['aa:running']);
    expect(await outcomeOf(bench, 'start')).toMatchObject({ kind: 'applied' });
  });
});

describe('a stage that observes, of what was begun while it acted', () => {
  test('leaves a stop that is not applied yet alone, and it is sent once the stage acts again', async () => {
    const bench = createFlip();
    await bench.deliver(aCommand({ id: 'start' }));
    bench.passMs(minutes(5));
    bench.answerWith('not-sent');
    const stop = stopNow(bench);
    await bench.deliver(stop);

    const result = await bench.whileObserving(stop, { receiveCount: 2 });

    expect(result).toMatchObject(waits);
    expect(bench.transitions).toEqual(['aa:running']);
    bench.passMs(hours(1));
    await bench.deliver(stop, { receiveCount: 3 });
    expect(bench.transitions).toEqual(['aa:running', 'aa:stopped']);
    expect(await plannedStopsOf(bench)).toEqual([]);
  });

  test('does not tell a start in doubt as one that was not sent', async () => {
    const bench = createFlip();
    bench.answerWith('applied-then-lost');
    const start = aCommand({ id: 'start' });
    await bench.deliver(start);

    expect(await bench.whileObserving(start, { receiveCount: 2 })).toMatchObject(waits);

    expect(await bench.table.read(`observe#${ledgerKeys.command('start')}`)).toBeUndefined();
    bench.passMs(surelyLandedMs);
    await bench.deliver(start, { receiveCount: 3 });
    expect(await outcomeOf(bench, 'start')).toMatchObject({ kind: 'applied' });
    expect(bench.transitions).toEqual(['aa:running']);
  });

  test('leaves what a person repeats for the stage that acts', async () => {
    const bench = createFlip();
    bench.answerWith({ status: 422, text: 'no' });
    const start = aCommand({ id: 'start' });
    await bench.deliver(start);
    await approveRepeat(bench, 'start');

    expect(await bench.whileObserving(start)).toMatchObject(waits);

    await bench.deliver(start, { receiveCount: 2 });
    expect(bench.transitions).toEqual(['aa:running']);
  });

  test('tells what was done for real as done for real, and ends its message', async () => {
    const bench = createFlip();
    const start = aCommand({ id: 'start' });
    await bench.deliver(start);

    const result = await bench.whileObserving(start, { receiveCount: 2 });

    expect(result).toEqual({ kind: 'done', outcomes: [] });
    expect(bench.eventsWhileObserving).toEqual(bench.events);
    expect(bench.events).toMatchObject([{ type: 'CampaignRunStarted' }]);
    expect(bench.events[0]?.detail['isObserved']).toBeUndefined();
    expect(bench.table.all().map(({ pk }) => pk.startsWith('observe#'))).not.toContain(true);
  });

  test('goes on judging what was not begun', async () => {
    const bench = createFlip();

    const result = await bench.whileObserving(aCommand({ id: 'start' }));

    expect(result).toMatchObject({ outcomes: [{ kind: 'applied', fields: { isObserved: true } }] });
    expect(bench.patches).toEqual([]);
  });
});

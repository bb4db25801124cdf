/** Runs as the workers write them, told by what their rows say. */
import { expect, test } from 'vitest';

import { readRowsOf } from '#operator/run-state/run-rows.ts';
import { runState } from '#operator/run-state/run-state.ts';
import { atTen, aStop, minutes, running } from '../../functions/update-campaign-runs/harness/guard-nights.ts';
import { type Answer, createUpdateBench, smokeId } from '../../functions/update-campaign-runs/harness/update-bench.ts';

type Bench = ReturnType<typeof createUpdateBench>;

/** How the start at ten stands at that time. */
async function toldOf(bench: Bench, time: string, id = 'at-ten') {
  const [facts] = await readRowsOf([id], bench.ledger);
  if (facts === undefined) throw new Error('no such start');
  const { state, says, startAt } = runState(facts, { now: new Date(`2026-11-20T${time}:00Z`), zone: 'UTC' });
  return `${startAt.slice(11, 16)} ${state}: ${says}`;
}

test.each<readonly [string, object]>([
  ['by name', {}],
  ['by uuid', { run: undefined, campaignRunId: smokeId }],
])('a stop %s leaves its end, and its instant, in the row of the id', async (_how, fields) => {
  const bench = await running();
  await bench.deliver(aStop(fields));

  expect(await toldOf(bench, '22:10')).toBe('22:01 stopped: stopped 22:05 by schedule weeknights');
  expect((await bench.commandOf('stop'))?.stops).toEqual({
    [smokeId]: { how: 'stopped', at: '2026-11-20T22:05:00.000Z' },
  });
});

test('a stop by name reads the row of an id that another stop has written since', async () => {
  const bench = await running();
  bench.answerWith({ status: 422, text: 'no such status', fields: ['body.status'] });
  await bench.deliver(aStop({ id: 'by-id', run: undefined, campaignRunId: smokeId }));
  expect(await toldOf(bench, '22:06')).toBe('22:01 not-stopped: its stop was refused (422): it may still run');

  await bench.deliver(aStop());
  expect(await toldOf(bench, '22:10')).toBe('22:01 stopped: stopped 22:05 by schedule weeknights');
});

test.each<readonly [string, Answer]>([
  ['that says so', { status: 409, text: 'not running' }],
  ['whose words are configured', { status: 422, text: 'has ended already' }],
])('a run that its stop found ended is over, at a gateway %s', async (_which, answer) => {
  const bench = await running();
  bench.answerWith(answer);
  await bench.deliver(aStop());

  expect(await toldOf(bench, '22:10')).toBe('22:01 over: had ended when its stop came, 22:05');
});

test('a gateway that answers 503 is told with its answers, and an applied repeat at once as accepted', async () => {
  const busy: Answer = { status: 503, text: 'busy' };
  const bench = createUpdateBench({ answers: [busy, busy] });
  await bench.deliver(atTen());
  bench.passMs(minutes(1));
  await bench.deliver(atTen(), { receiveCount: 2 });
  expect(await toldOf(bench, '22:01')).toBe(
    '22:02 unanswered: asked 22:00, 2 times since then, last answered 503: it may begin 22:02',
  );

  bench.passMs(minutes(1));
  await bench.deliver(atTen(), { receiveCount: 3 });
  expect(await toldOf(bench, '22:05')).toMatch(/^22:03 accepted: /);
});

test('the startAt of an earlier request counts again once a later one is refused', async () => {
  const bench = createUpdateBench({ answers: ['applied-then-lost'] });
  await bench.deliver(atTen());
  bench.passMs(minutes(3));
  await bench.deliver(atTen(), { receiveCount: 2 });

  expect((await bench.commandOf('at-ten'))?.requests).toMatchObject({
    count: 2,
    first: { startAt: '2026-11-20T22:01:00.000Z' },
    last: { startAt: '2026-11-20T22:04:00.000Z', answer: { applied: 'no', status: 409 } },
  });
  expect((await bench.commandOf('at-ten'))?.startAt).toBe('2026-11-20T22:01:00.000Z');
});

test('a reading that ended a start is kept in its row', async () => {
  const bench = createUpdateBench({
    readsRuns: true,
    answers: ['applied-then-lost'],
    kind: { starts: 'startAt', runsForMs: minutes(2) },
  });
  await bench.deliver(atTen());
  bench.passMs(minutes(10));
  await bench.deliver(atTen(), { receiveCount: 2 });

  expect(await toldOf(bench, '22:11')).toMatch(/^22:01 complete: complete after 9 min/);
});

/** What the model has found: the shortest history of each defect, with what used to happen. */
import { afterEach, expect, test, vi } from 'vitest';
import { drain, play } from './play.ts';
import { brokenPromises } from './promises/promises.ts';
import { runIds } from './stage-config.ts';
import { createStage } from './stage.ts';
import type { Step } from './steps.ts';
import { takeTimers } from './world/virtual-time.ts';

afterEach(() => vi.unstubAllGlobals());

const minutes = 60_000;

/**
 * Two deliveries of one start at the same time. One gave it up (it found it late by a clock that is
 * half a second ahead, or its GET of the campaign was redirected) and recorded that, while the
 * other, which had read the same rows, sent it.
 */
test.each<[string, Step, number]>([
  ['late', { do: 'tick', ms: 0 }, 2 * minutes - 300],
  ['redirected', { do: 'gateway fails', method: 'GET', fault: 'redirect', calls: 1 }, 0],
])('a start that one delivery gives up (%s) is not sent by another', async (_why, mishap, ageMs) => {
  const broken: string[] = [];
  for (let seed = 0; seed < 200; seed += 1) {
    const steps: readonly Step[] = [
      mishap,
      { do: 'command', action: 'start', run: 'smoke', ageMs, validFor: 'PT2M' },
      { do: 'command again', pick: 0 },
    ];
    broken.push(...brokenPromises(await play({ seed, isStrict: false, maxReceiveCount: 1000, steps })));
  }

  expect(broken).toEqual([]);
});

/**
 * A run that was stopped, a newer start of it whose answer was lost (and which did start it), and a
 * stop that the gateway refused. The refusal was taken for "stopped since the older stop", although
 * the start in doubt came after that one. The run went on, and its stop counted as applied.
 */
test('a stop that is refused while a newer start is in doubt is not recorded as applied', async () => {
  const steps: readonly Step[] = [
    { do: 'command', action: 'stop', run: 'foreign', ageMs: 1000 },
    { do: 'tick', ms: 5000 },
    { do: 'gateway fails', method: 'PATCH', fault: 'reset after applying', calls: 1 },
    { do: 'command', action: 'start', run: 'foreign', ageMs: 0 },
    { do: 'tick', ms: 5000 },
    { do: 'gateway fails', method: 'PATCH', fault: '409', calls: 2 },
    { do: 'command', action: 'stop', run: 'foreign', ageMs: 0 },
    { do: 'tick', ms: 20 * minutes },
  ];

  expect(brokenPromises(await play({ seed: 0, isStrict: false, maxReceiveCount: 1000, steps }))).toEqual([]);
});

/**
 * A start whose answers were lost, of a run whose campaign cannot be read back. It was repeated
 * inside its validity, and each repeat moved the armed stop to half an hour from then, although the
 * run may have been running since the first.
 */
test('a start that is never answered is stopped when its first attempt says so', async () => {
  const stage = createStage({ seed: 1, isStrict: false, maxReceiveCount: 1000 });
  const { time, gateway, queues } = stage.world;
  takeTimers(time, vi.stubGlobal);
  gateway.breakFor('silence after applying', 5 * 60 * minutes, 'starts');
  const issuedAt = new Date(time.nowMs()).toISOString();
  const origin = { kind: 'operator', name: 'model' };
  const fields = { action: 'start', campaignRunId: runIds.foreign, validFor: 'P1D', stopAfter: 'PT30M' };
  queues.commands.send(JSON.stringify({ version: 1, id: 'start', issuedAt, origin, ...fields }));

  await time.advance(5 * 60 * minutes);
  await drain(stage);

  const [started, stopped] = gateway.changes.filter(({ isTransition }) => isTransition);
  expect((stopped?.atMs ?? Infinity) - (started?.atMs ?? 0)).toBeLessThanOrEqual(35 * minutes);
});

/**
 * A start whose answer was lost, and a stop behind it: while the ledger did not answer either, the
 * start got its outcome as its last chance. The parked row did not say whether a request had left.
 */
test('a start that ends while a stop of its run is not settled says whether it was sent', async () => {
  const steps: readonly Step[] = [
    { do: 'kill', of: 'update-campaign-runs', effects: 4, when: 'before' },
    { do: 'command', action: 'start', run: 'solo', ageMs: 1000 },
    { do: 'tick', ms: 19 },
    { do: 'command', action: 'stop', run: 'solo', ageMs: 0 },
    { do: 'kill', of: 'register-datasets', effects: 1, when: 'before' },
    { do: 'command', action: 'start', run: 'smoke', ageMs: 1000 },
    { do: 'tick', ms: 15_099 },
    { do: 'command', action: 'stop', run: 'smoke', ageMs: 0 },
    { do: 'command', action: 'start', run: 'smoke', ageMs: 0, overrides: false },
    { do: 'kill', of: 'update-campaign-runs', effects: 20, when: 'before' },
    { do: 'tick', ms: 277 },
    { do: 'port fails', port: 'ledger answer', after: 8, calls: 5 },
    { do: 'kill', of: 'register-datasets', effects: 5, when: 'before' },
    {
      do: 'upload',
      files: [
        { rule: 'gone', content: 0 },
        { rule: 'checked', content: 0 },
      ],
    },
    { do: 'tick', ms: 10 },
    { do: 'duplicate', queue: 'uploads', pick: 0 },
    { do: 'tick', ms: 220_651 },
  ];

  expect(brokenPromises(await play({ seed: 0, isStrict: false, maxReceiveCount: 1000, steps }))).toEqual([]);
});

/**
 * A start in doubt whose message SQS gave up, and later its planned stop ended it. The bus failed
 * once, and no message was left to repeat that event. Its listeners had heard of the dead letter,
 * which names the same command; the oracle looked for the very same text.
 */
test('a start that its stop ended after its message had died is told of by its dead letter', async () => {
  const steps: readonly Step[] = [
    { do: 'kill', of: 'update-campaign-runs', effects: 1, when: 'before' },
    { do: 'command', action: 'start', run: 'smoke', ageMs: 0, validFor: 'PT2M', overrides: false },
    {
      do: 'upload',
      files: [
        { rule: 'checked', content: 0 },
        { rule: 'checked', content: 0 },
      ],
    },
    { do: 'port fails', port: 'bus', after: 8, calls: 1 },
    { do: 'gateway fails', method: 'PATCH', fault: '500', calls: 1 },
    { do: 'command', action: 'start', run: 'solo', ageMs: 1000 },
    { do: 'tick', ms: 253 },
    { do: 'command', action: 'stop', run: 'solo', ageMs: 0 },
    { do: 'tick', ms: 1800000 },
    { do: 'kill', of: 'register-datasets', effects: 4, when: 'before' },
    { do: 'upload', files: [{ rule: 'checked', content: 0 }] },
    { do: 'tick', ms: 29901 },
    { do: 'duplicate', queue: 'uploads', pick: 0 },
    { do: 'tick', ms: 60000 },
    { do: 'upload', files: [{ rule: 'checked', content: 0 }] },
  ];

  expect(brokenPromises(await play({ seed: 2147479479, isStrict: false, maxReceiveCount: 4, steps }))).toEqual([]);
});

/**
 * A start in doubt whose repeat a person had ordered, and a later stop. One request of that stop
 * was applied late, and the next ones were refused for good. The stop was parked, and then the
 * repeat went out, although it was ordered before the stop.
 */
test('a repeat that a person ordered is not sent after a later stop', async () => {
  const steps: readonly Step[] = [
    { do: 'gateway fails', method: 'PATCH', fault: 'reset before applying', calls: 1 },
    { do: 'command', action: 'start', run: 'foreign', ageMs: 0 },
    { do: 'tick', ms: 1000 },
    { do: 'decide', pick: 0, decision: 'look at the gateway' },
    { do: 'tick', ms: 2 * minutes },
    { do: 'outage', fault: '403', ms: 4 * minutes },
    { do: 'gateway fails', method: 'PATCH', fault: 'silence, applied late', calls: 1 },
    { do: 'command', action: 'stop', run: 'foreign', ageMs: 0 },
    { do: 'tick', ms: 20 * minutes },
  ];

  expect(brokenPromises(await play({ seed: 0, isStrict: false, maxReceiveCount: 1000, steps }))).toEqual([]);
});

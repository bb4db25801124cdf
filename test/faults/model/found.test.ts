/** What the model has found: the shortest history of each defect, with what used to happen. */
import { afterEach, expect, test, vi } from 'vitest';
import { play, settle } from './play.ts';
import { brokenPromises } from './promises/promises.ts';
import { gatewayNames } from './stage-config.ts';
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
    broken.push(...brokenPromises(await play({ seed, gateway: 'startAt', maxReceiveCount: 1000, steps })));
  }

  expect(broken).toEqual([]);
});

/**
 * A start whose answers were lost, for hours. It was repeated inside its validity, and each repeat
 * moved the armed stop to half an hour from then, although the run may have been running since the
 * first.
 */
test.each(gatewayNames)('a start that is never answered is stopped on time: %s', async (name) => {
  const stage = createStage({ seed: 1, gateway: name, maxReceiveCount: 1000 });
  const { time, gateway, queues } = stage.world;
  takeTimers(time, vi.stubGlobal);
  gateway.breakFor('silence after applying', 5 * 60 * minutes, 'start');
  const issuedAt = new Date(time.nowMs()).toISOString();
  const origin = { kind: 'operator', name: 'model' };
  const fields = { action: 'start', run: 'solo', validFor: 'P1D', stopAfter: 'PT30M' };
  queues.commands.send(JSON.stringify({ version: 1, id: 'start', issuedAt, origin, ...fields }));

  await time.advance(5 * 60 * minutes);
  await settle(stage);

  const began = gateway.effects().filter(({ kind }) => kind === 'begins');
  expect(gateway.running()).toEqual([]);
  for (const { campaignRunId, atMs } of began) {
    const end = gateway.effects().findLast((one) => one.kind === 'ends' && one.campaignRunId === campaignRunId);
    expect((end?.atMs ?? Infinity) - atMs).toBeLessThanOrEqual(35 * minutes);
  }
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

  expect(brokenPromises(await play({ seed: 2147479479, gateway: 'startAt', maxReceiveCount: 4, steps }))).toEqual([]);
});

/**
 * Two starts by a word, and a stop by their name. The stop may not ask for one of them yet, and the
 * other did not answer. One attempt sent the same request again and again, since the run that it had
 * to pass over was the one that was tried least.
 */
test('a stop does not ask for one run again and again while another one may still land', async () => {
  const steps: readonly Step[] = [
    { do: 'gateway fails', method: 'GET', fault: '403', calls: 1 },
    { do: 'kill', of: 'update-campaign-runs', effects: 1, when: 'before' },
    { do: 'command', action: 'start', run: 'solo', ageMs: 0 },
    { do: 'tick', ms: 10 },
    { do: 'command', action: 'stop', run: 'solo', ageMs: 1000 },
    {
      do: 'upload',
      files: [
        { rule: 'checked', content: 0 },
        { rule: 'checked', content: 0 },
      ],
    },
    { do: 'outage', fault: '502, applied late', ms: 187_945 },
    { do: 'tick', ms: 2000 },
    { do: 'kill', of: 'register-datasets', effects: 1, when: 'before' },
    { do: 'command', action: 'start', run: 'solo', ageMs: 1000 },
    { do: 'tick', ms: 10 },
    { do: 'command', action: 'stop', run: 'solo', ageMs: 0 },
    { do: 'kill', of: 'update-campaign-runs', effects: 1, when: 'before' },
    { do: 'tick', ms: 185_934 },
  ];

  expect(brokenPromises(await play({ seed: 0, gateway: 'a word', maxReceiveCount: 1000, steps }))).toEqual([]);
});

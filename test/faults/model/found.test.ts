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
  for (let seed = 0; seed < 60; seed += 1) {
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

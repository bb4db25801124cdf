/** Against the strict peer, by the operations of our client: the pool fills, and nothing of it begins that no start began. */
import { expect, test } from 'vitest';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { type IdRow, poolKey, type PoolRow, type RunRow } from '#shared/ledger/rows/run-row.ts';
import { stageSwitch } from '#shared/ledger/switches.ts';
import type { Behaviour } from '../../../../peer/behaviour.ts';
import { settle } from '../../../../peer/run-life.ts';
import { peerIds } from '../../../../peer/seed.ts';
import type { Effect, EffectOf } from '../../../../peer/state.ts';
import { aCommand } from '../../update-campaign-runs/harness/update-bench.ts';
import { type LocalFault, peerInProcess } from './peer-in-process.ts';
import { aPool, createPoolStage, day, hour, minute } from './pool-stage.ts';

function openStage(given: Partial<Behaviour> = {}, keepReady = 16) {
  let peer: ReturnType<typeof peerInProcess> | undefined;
  const stage = createPoolStage((now) => (peer = peerInProcess(now, given)), keepReady);
  if (peer === undefined) throw new Error('no peer was opened');
  const { behaviour, requests, state } = peer;
  const asked = (wanted: string) =>
    requests.filter(({ method, path }) => method === wanted && /campaign-(schedules|runs)$/.test(path)).length;
  return {
    ...stage,
    behaviour,
    requests,
    posts: () => asked('POST'),
    lists: () => asked('GET'),
    run: (id = '') => stage.runs().find((one) => one.id === id),
    scheduled: () => stage.runs().filter(({ status }) => status === 'scheduled'),
    effects<K extends Effect['kind']>(kind: K) {
      settle(state);
      return state.effects.filter((effect): effect is EffectOf<K> => effect.kind === kind);
    },
  };
}

test('fills an empty pool of 16 within ten minutes, for its campaign and providers, two years ahead', async () => {
  const stage = openStage();

  await stage.tickFor(10 * minute);

  expect(await stage.ready()).toBe(16);
  const runs = stage.scheduled();
  expect(runs).toHaveLength(16);
  expect(new Set(runs.map(({ name }) => name)).size).toBe(1);
  expect(runs[0]).toMatchObject({ campaignId: peerIds.campaigns.smoke, providerIds: [peerIds.providers.first] });
  for (const { startAt } of runs) expect(startAt.getTime() - stage.now().getTime()).toBeGreaterThan(729 * day);
});

test('a start takes a made run without a call more, and it is replaced within the hour', async () => {
  const stage = openStage();
  await stage.tickFor(10 * minute);
  const before = stage.requests.length;

  const id = await stage.start();

  expect(stage.requests.slice(before).map(({ method }) => method)).toEqual(['PATCH']);
  expect(await stage.outcomeOf(id)).toMatchObject({ kind: 'applied' });
  await stage.tickFor(2 * minute);
  expect(stage.effects('began')).toHaveLength(1);
  expect(await stage.ready()).toBe(16);
  expect(stage.scheduled()).toHaveLength(16);
});

test('a full pool asks the gateway for nothing but a list a day', async () => {
  const stage = openStage({}, 5);
  await stage.tickFor(10 * minute);
  const [posts, before] = [stage.posts(), stage.requests.length];

  await stage.tickFor(3 * day, { everyMs: 10 * minute });

  expect(stage.posts()).toBe(posts);
  expect(stage.requests.slice(before).map(({ path }) => path)).toEqual(
    Array.from({ length: 3 }, () => '/backend/v1/campaign-runs'),
  );
});

test('without the setting neither operation is called, and what was made before is cancelled', async () => {
  const stage = openStage({}, 5);
  await stage.tickFor(5 * minute);
  const before = stage.posts() + stage.lists();
  stage.deploy(undefined);

  await stage.tickFor(hour, { makesRuns: false });
  await stage.tickFor(2 * day, { everyMs: hour, makesRuns: false });

  expect(stage.posts() + stage.lists()).toBe(before);
  expect(stage.scheduled()).toEqual([]);
});

/** The nth request to make a run comes to this. */
function faultAt(stage: ReturnType<typeof openStage>, ...faults: readonly (LocalFault | undefined)[]): void {
  let count = 0;
  stage.behaviour.faultOf = ({ method, path }) =>
    method === 'POST' && path.endsWith('campaign-schedules') ? faults[count++] : undefined;
}

test('a run whose answer was lost is found by a list, and counts', async () => {
  const stage = openStage({}, 5);
  faultAt(stage, undefined, { kind: 'lose-answer' });

  await stage.tickFor(10 * minute);

  expect(await stage.ready()).toBe(5);
  expect(stage.scheduled()).toHaveLength(5);
  expect(await stage.row()).toMatchObject({ lost: 0 });
});

test('a run that a gateway lists late is taken in within a day, and no answer at all slows it down', async () => {
  const stage = openStage({ listedLateMs: 3 * hour }, 5);
  faultAt(stage, ...Array.from({ length: 5 }, (): LocalFault => ({ kind: 'lose-answer' })));

  await stage.tickFor(2 * day, { everyMs: 5 * minute });

  expect(stage.posts()).toBe(10);
  expect((await stage.row())?.made).toHaveLength(10);
  expect(stage.scheduled()).toHaveLength(10);
});

test('a gateway that loses every answer and lists nothing gets one request a day in the end', async () => {
  const stage = openStage({ listedLateMs: undefined }, 5);
  stage.behaviour.faultOf = ({ method }) => (method === 'POST' ? { kind: 'lose-answer' } : undefined);

  await stage.tickFor(3 * day, { everyMs: 5 * minute });
  const posts = stage.posts();
  await stage.tickFor(5 * day, { everyMs: 5 * minute });

  expect(posts).toBeLessThan(30);
  expect(stage.posts() - posts).toBe(5);
  expect(await stage.row()).toMatchObject({ everLost: true });
});

const refusal = (status: number, body: unknown): LocalFault => ({ kind: 'answer', status, body });
const saysNo = { detail: 'Not enough permissions' };

test.each([
  [403, saysNo, 'Not enough permissions'],
  [404, { detail: 'Not Found' }, 'Not Found'],
  [
    422,
    { detail: [{ loc: ['body', 'providerIds'], msg: 'unknown provider', type: 'value_error' }] },
    'unknown provider',
  ],
])(
  'a refusal by %i is told in the words of the gateway, closes no gate, and is tried again the next day',
  async (status, body, words) => {
    const stage = openStage({}, 5);
    const gate: string[] = [];
    const deps = {
      gate: {
        waitMs: async () => 0,
        failed: async ({ why }: { why: string }) => void gate.push(why),
        answered: async () => {},
      },
    };
    stage.behaviour.faultOf = ({ method }) => (method === 'POST' ? refusal(status, body) : undefined);

    await stage.tickFor(hour, deps);

    expect([stage.posts(), gate]).toEqual([1, []]);
    expect((await stage.row())?.failing?.says).toContain(words);
    expect(stage.events).toMatchObject([
      { type: 'RunPoolNotFilled', detail: { run: 'smoke', ready: 0, keepReady: 5 } },
    ]);
    stage.behaviour.faultOf = () => undefined;
    await stage.tickFor(day);
    expect(await stage.ready()).toBe(5);
    expect((await stage.row())?.failing).toBeUndefined();
  },
);

test.each([
  ['429', refusal(429, { detail: 'slow down' }), 5],
  ['503', { kind: 'answer', status: 503, body: { detail: 'busy' } }, 5],
  ['a page of an edge', { kind: 'answer', status: 403, body: '<html>Just a moment…</html>' }, 5],
] as const)('%s pauses it for five minutes, and the gate hears of it', async (_name, fault, ready) => {
  const stage = openStage({}, 5);
  let failures = 0;
  faultAt(stage, fault);

  await stage.tick({
    gate: { waitMs: async () => 0, failed: async () => void (failures += 1), answered: async () => {} },
  });
  await stage.tickFor(4 * minute);
  expect([stage.posts(), failures]).toEqual([1, 1]);
  await stage.tickFor(5 * minute);

  expect(await stage.ready()).toBe(ready);
});

test('a closed gate keeps it from asking', async () => {
  const stage = openStage();

  await stage.tickFor(hour, { gate: { waitMs: async () => 1000, failed: async () => {}, answered: async () => {} } });

  expect(stage.requests).toEqual([]);
});

test('another provider is another pool: the old runs are cancelled, and no start takes one', async () => {
  const stage = openStage({}, 5);
  await stage.tickFor(5 * minute);
  stage.deploy(aPool({ providerIds: [peerIds.providers.second], keepReady: 5 }));

  const early = await stage.start();
  await stage.tickFor(5 * minute);
  await stage.start();
  await stage.tickFor(5 * minute);

  expect(await stage.outcomeOf(early)).toBeUndefined();
  const [began] = stage.effects('began');
  expect(stage.run(began?.id)?.providerIds).toEqual([peerIds.providers.second]);
  expect(stage.scheduled().every(({ providerIds }) => providerIds[0] === peerIds.providers.second)).toBe(true);
});

test('a start that is given up has its run cancelled: it would begin in two years', async () => {
  const stage = openStage({}, 5);
  await stage.tickFor(5 * minute);
  // Neither the start nor its repeats arrive.
  stage.behaviour.faultOf = ({ method }) => (method === 'PATCH' ? refusal(409, { detail: 'busy' }) : undefined);
  const id = await stage.start();
  const { campaignRunId = '' } = (await stage.commandOf(id)) ?? {};
  stage.behaviour.faultOf = () => undefined;

  await stage.tickFor(5 * minute);

  expect(await stage.outcomeOf(id)).toMatchObject({ kind: 'parked' });
  expect(stage.run(campaignRunId)?.status).toBe('cancelled');
  expect(await stage.ready()).toBe(5);
});

test('a start that is refused for now gives its run back to the pool, and binds none', async () => {
  const stage = openStage({}, 5);
  await stage.tickFor(5 * minute);
  stage.behaviour.faultOf = ({ method }) => (method === 'PATCH' ? refusal(403, saysNo) : undefined);

  await stage.start();
  await stage.tickFor(5 * minute);

  expect(await stage.ledger.read<RunRow>(ledgerKeys.run('smoke'))).toMatchObject({ used: [], bound: [] });
  expect([await stage.ready(), stage.posts()]).toEqual([5, 5]);
});

test('runs are replaced before their time comes, and nothing begins in two and a half years', async () => {
  const stage = openStage({}, 5);
  await stage.tickFor(5 * minute);

  await stage.tickFor(900 * day, { everyMs: 12 * hour });
  await stage.tickFor(5 * minute);

  expect(stage.effects('began')).toEqual([]);
  expect(await stage.ready()).toBe(5);
  expect(stage.scheduled()).toHaveLength(5);
});

test('after two years without a tick a start takes no run that begins within a day', async () => {
  const stage = openStage({}, 5);
  await stage.tickFor(5 * minute);
  stage.passMs(729.5 * day);

  await stage.start();

  expect(stage.effects('moved')).toEqual([]);
});

test.each([
  ['refused by the gateway', refusal(403, saysNo)],
  ['answered by something before it', refusal(409, '<html>Just a moment…</html>')],
])('a cancel that is %s is sent until it is done, and no start takes the run', async (_name, fault) => {
  const stage = openStage({}, 1);
  await stage.tickFor(minute);
  const old = stage.scheduled();
  stage.behaviour.faultOf = ({ method }) => (method === 'PATCH' ? fault : undefined);
  await stage.turn(stageSwitch, true);
  await stage.tickFor(hour, { drains: true });
  expect(await stage.tick({ drains: true })).toMatchObject([{ ids: [old[0]?.id], isDone: false }]);
  await stage.turn(stageSwitch, false);

  expect(await stage.outcomeOf(await stage.start())).toBeUndefined();
  expect(stage.effects('moved')).toEqual([]);
  stage.behaviour.faultOf = () => undefined;
  await stage.tickFor(3 * hour, { everyMs: 10 * minute });

  expect(stage.run(old[0]?.id ?? '')?.status).toBe('cancelled');
  expect(await stage.ready()).toBe(1);
});

test('a drained pool is emptied, listed once more, and filled again after the freeze', async () => {
  const stage = openStage({}, 5);
  faultAt(stage, { kind: 'lose-answer' });
  await stage.tickFor(2 * minute);
  await stage.turn(stageSwitch, true);

  const first = await stage.tick({ drains: true });
  await stage.tickFor(6 * minute);
  const last = await stage.tick({ drains: true });

  expect([first[0]?.isDone, last]).toMatchObject([false, [{ isDone: true, ids: [], mayHaveMore: false }]]);
  await stage.tickFor(3 * hour);
  expect(stage.scheduled()).toEqual([]);
  await stage.turn(stageSwitch, false);
  await stage.tickFor(5 * minute);
  expect(await stage.ready()).toBe(5);
});

test('an id that was bound to another run, and started, keeps no pool from being emptied', async () => {
  const stage = openStage({}, 2);
  await stage.tickFor(minute);
  const campaignRunId = stage.scheduled()[0]?.id ?? '';
  const pk = ledgerKeys.runId(campaignRunId);
  await stage.ledger.write<IdRow>(undefined, { pk, kind: 'run-id', campaignRunId, run: 'nightly', startId: 'a' });
  await stage.turn(stageSwitch, true);

  await stage.tickFor(2 * minute, { drains: true });

  expect(stage.scheduled().map(({ id }) => id)).toEqual([campaignRunId]);
  expect(await stage.tick({ drains: true })).toMatchObject([{ ids: [], isDone: true }]);
});

test('a list that is refused after a lost answer keeps the pool from filling for a day, and is said', async () => {
  const stage = openStage({}, 5);
  faultAt(stage, { kind: 'lose-answer' });
  await stage.tick();
  const { faultOf } = stage.behaviour;
  stage.behaviour.faultOf = (request) => (request.method === 'GET' ? refusal(403, saysNo) : faultOf(request));

  await stage.tickFor(2 * hour);

  expect(stage.posts()).toBe(1);
  expect((await stage.row())?.failing?.says).toContain('Not enough permissions');
  expect(stage.events).toMatchObject([{ type: 'RunPoolNotFilled' }]);
  await stage.tickFor(day);
  expect(await stage.ready()).toBe(5);
});

test('a stage that observes makes and cancels nothing, and still finds what it has made', async () => {
  const stage = openStage({}, 5);
  faultAt(stage, { kind: 'lose-answer' });
  await stage.tick();
  const posts = stage.posts();

  await stage.tickFor(10 * minute, { mode: 'observe' });

  expect(stage.posts()).toBe(posts);
  expect((await stage.row())?.made).toHaveLength(1);
  expect(stage.scheduled()).toHaveLength(1);
});

test('instants of a clock that was wrong count as none', async () => {
  const stage = openStage({}, 5);
  await stage.tickFor(5 * minute);
  const row = await stage.ledger.read<PoolRow>(poolKey(aPool({ keepReady: 5 })));
  const ahead = new Date(stage.now().getTime() + 400 * day).toISOString();
  const asks = Array.from({ length: 60 }, () => ({ at: ahead, answer: 'refused' as const }));
  await stage.ledger.write<PoolRow>(row, { ...(row as PoolRow), asks, listed: ahead, made: [] });

  await stage.tickFor(5 * minute);

  expect(await stage.ready()).toBe(5);
});

test('a gateway whose clock is far ahead: its runs are replaced by its clock', async () => {
  const stage = openStage({ aheadMs: 710 * day }, 2);
  await stage.tickFor(5 * minute);
  const first = new Set(stage.scheduled().map(({ startAt }) => startAt.getTime() - stage.now().getTime() > 720 * day));

  expect(first).toEqual(new Set([true]));
  expect(stage.effects('began')).toEqual([]);
});

test('a start that finds its pool empty waits for it a quarter of an hour, and not at all if no run is made', async () => {
  const waiting = openStage({}, 5);
  const id = await waiting.start();
  await waiting.tickFor(minute);
  expect(await waiting.outcomeOf(id)).toBeUndefined();
  await waiting.deliver(aCommand({ id, issuedAt: '2026-11-20T22:00:00.000Z' }));
  expect(await waiting.outcomeOf(id)).toMatchObject({ kind: 'applied' });

  const refused = openStage({ makesRuns: 403 }, 5);
  await refused.tick();
  expect(await refused.outcomeOf(await refused.start())).toMatchObject({ reason: 'NO_RUN_LEFT' });
});

test('a plan of more nights than runs are ready finds one for each, unless none is made', async () => {
  const nights = Array.from({ length: 9 }, (_, night) =>
    aCommand({
      id: `night-${night}`,
      issuedAt: new Date(Date.parse('2026-11-21T22:00:00Z') + night * day).toISOString(),
    }),
  );
  const outcomesOf = async (stage: ReturnType<typeof openStage>) => {
    const { commands } = await stage.preview(nights, new Date('2026-12-10T00:00:00Z'));
    return commands.filter(({ action }) => action === 'start').map(({ outcome, reason }) => reason ?? outcome);
  };
  const filled = openStage({}, 5);
  await filled.tickFor(3 * minute);
  expect(await outcomesOf(filled)).toEqual(nights.map(() => 'applied'));

  const refused = openStage({ makesRuns: 403 }, 5);
  await refused.tick();
  expect(await outcomesOf(refused)).toEqual(nights.map(() => 'NO_RUN_LEFT'));
});

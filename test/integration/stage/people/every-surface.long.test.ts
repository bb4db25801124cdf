/**
 * One run for each row of the table of how a run stands, on stages that run, beside a gateway as strict as the real one. Every surface has of each
 * of them the same state, the same times and the same sentence, without an ISO time and without an id of the product's own making.
 */
import { afterAll, describe, expect, test } from 'vitest';
import type { RunStateName } from '#operator/run-state/look.ts';
import type { Fault } from '../../../peer/behaviour.ts';
import { peerIds } from '../../../peer/seed.ts';
import { openPeerStage, type PeerStage } from '../harness/peer-stage.ts';
import { until } from '../harness/stage-process.ts';
import { toldBy } from '../harness/told-runs.ts';
import type { TestedAutomation } from '../harness/write-automation.ts';

const hourMs = 3_600_000;
const { campaigns } = peerIds;
/** A local time of UTC, so many minutes from now. */
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString().slice(0, 16);
const farAhead = new Date(Date.now() + 200 * 24 * hourMs);

/** What a campaign of one run has beside the run; its `stopAfter` is the run's. */
type Runs = Readonly<Record<string, { readonly stopAfter?: string | undefined; readonly [setting: string]: unknown }>>;

/** A stage with a campaign for each run, and what the gateway does with one of them. */
interface RunsStage extends PeerStage {
  readonly idOf: (name: string) => string;
  /** Answers to every PATCH of a run. */
  readonly patched: Map<string, number | { readonly status: number; readonly body: object }>;
  /** What a GET of a run shows in place of what the gateway has. */
  readonly shown: Map<string, object>;
  /** Starts a run, and does not wait. @returns the id of the start */
  readonly start: (name: string, ...options: readonly string[]) => Promise<string>;
  readonly stop: (name: string) => Promise<unknown>;
}

async function openRuns(runs: Runs, more: Partial<TestedAutomation> = {}): Promise<RunsStage> {
  const names = Object.keys(runs);
  const ids = (name: string) =>
    [0, 1].map((n) => `0199c000-0000-7000-8000-0000000${String(names.indexOf(name) + 70)}${n}00`);
  const it = await openPeerStage(
    {
      // Beside UTC, so that a time of the ledger in a sentence is another one.
      timezone: 'Asia/Tokyo',
      campaigns: Object.fromEntries(
        Object.entries(runs).map(([name, { stopAfter, ...campaign }]) => [
          name,
          {
            ...campaign,
            runs: { [name]: { campaignRunIds: ids(name), ...(stopAfter === undefined ? {} : { stopAfter }) } },
          },
        ]),
      ),
      ...more,
    },
    { lengthMsOf: () => 20 * hourMs },
  );
  for (const id of names.flatMap(ids)) it.peer.addRun({ id, campaignId: campaigns.nightly, startAt: farAhead });
  const idOf = (name: string) => ids(name)[0] ?? '';
  const [patched, shown]: [RunsStage['patched'], RunsStage['shown']] = [new Map(), new Map()];
  it.peer.behaviour.faultOf = ({ method, path }): Fault | undefined => {
    const name = names.find((one) => ids(one).some((id) => path.endsWith(id)));
    const [answer, run] = [patched.get(name ?? ''), shown.get(name ?? '')];
    if (method === 'PATCH' && answer !== undefined)
      return {
        kind: 'answer',
        ...(typeof answer === 'number' ? { status: answer, body: { detail: 'busy' } } : answer),
      };
    if (method !== 'GET' || run === undefined) return undefined;
    const { id, campaignId, startAt, createdAt } = it.peer.run(path.split('/').at(-1) ?? '');
    return { kind: 'answer', status: 200, body: { campaignRun: { id, campaignId, startAt, createdAt, name, ...run } } };
  };
  /** Until all that is left waits for its time. A message that was just taken is in no queue and at no worker: one look proves nothing. */
  const untilDone = async () => {
    let looks = 0;
    await until('the workers to be done', async () => {
      const { host, frontDoor } = it.stage().stage;
      const depths = Object.values(frontDoor.queueDepths());
      looks = host.busyCount() === 0 && depths.every(({ visible }) => visible === 0) ? looks + 1 : 0;
      return looks === 3;
    });
  };
  const sent = async (...words: readonly string[]) => {
    const { json } = await it.autopilot('send', ...words, '--reason', 'CHG-1', '--no-wait', '--json');
    await untilDone();
    return (json()['command'] as { readonly id: string }).id;
  };
  return {
    ...it,
    idOf,
    patched,
    shown,
    start: async (name, ...options) => sent('start', name, ...options),
    stop: async (name) => sent('stop', name),
    async pass(minutes) {
      for (let minute = 0; minute < minutes; minute += 1) {
        it.stage().clock.moveForward(60_000);
        await it.stage().invoke('watch-campaigns', { tick: 'watch-campaigns' });
        await untilDone();
      }
    },
  };
}

/** The state that each start is to have, by its id. */
type Expected = Readonly<Record<string, RunStateName>>;

/** What contradicts each time: a start that is tried between two questions has another sentence at the second. */
async function contradictions(it: RunsStage, expected: Expected): Promise<readonly string[]> {
  for (const _ of [1, 2]) if ((await contradictionsNow(it, expected)).length === 0) return [];
  return contradictionsNow(it, expected);
}

/** Asks every surface, and gathers what contradicts another one, the gateway, or what people are to read. */
async function contradictionsNow(it: RunsStage, expected: Expected): Promise<readonly string[]> {
  const { surfaces, screens, ids } = await toldBy(it.stage(), Object.keys(expected));
  const moved = it.peer.effects('moved');
  const wrong = Object.entries(expected).flatMap(([startId, state]) => {
    const all = surfaces.flatMap(({ name, runs }) =>
      runs.filter((run) => run.startId === startId).map((run) => ({ name, run })),
    );
    const [{ run } = { run: undefined }] = all;
    if (run === undefined) return [`${startId} is nowhere`];
    const kinds = Map.groupBy(all, (one) => JSON.stringify(one.run).replace(/ late by [^"]+/, ''));
    const differing = [...kinds].map(([said, those]) => `${said}: ${those.map(({ name }) => name).join(', ')}`);
    const { to = new Date(run.startAt) } = moved.findLast(({ id }) => id === run.campaignRunId) ?? {};
    const isAsTaken = run.state === state && run.startAt === to.toISOString();
    return [
      ...(differing.length === 1 ? [] : differing),
      ...(isAsTaken ? [] : [`${run.run} is ${state} from ${to.toISOString()}, not ${JSON.stringify(run)}`]),
    ];
  });
  const spoken = screens.flatMap(({ name, text }) =>
    [...isoTimes(text), ...ids.filter((id) => text.includes(id))].map((words) => `${name}: ${words}`),
  );
  return [...wrong, ...spoken];
}

const isoTimes = (text: string) => text.match(/.{0,60}\d{4}-\d\d-\d\dT\d\d:.{0,30}/g) ?? [];

describe('a stage that reads runs', async () => {
  const stopAfter = '8 hours';
  const names = 'held broken acme fine never elsewhere going hidden stopped ending early refused doubt busy'.split(' ');
  const it = await openRuns(Object.fromEntries(names.map((name) => [name, { stopAfter }])), {
    gateway: { readsRuns: true },
    blackouts: [
      {
        name: 'patching',
        from: inMinutes(-60),
        to: inMinutes(8),
        timezone: 'UTC',
        starts: 'defer',
        campaigns: ['held'],
      },
    ],
  });
  afterAll(it.close);
  const starts: Record<string, string> = {};
  const states = (expected: Readonly<Record<string, RunStateName>>): Expected =>
    Object.fromEntries(Object.entries(expected).map(([name, state]) => [starts[name] ?? name, state]));

  test('a start in a blackout', async () => {
    starts['held'] = await it.start('held');

    const found = await contradictions(it, states({ held: 'deferred' }));

    expect(found).toEqual([]);
  });

  test('starts that were asked for, and how their requests ended', async () => {
    await it.pass(15);
    it.patched.set('refused', {
      status: 422,
      body: { detail: [{ loc: ['body', 'name'], msg: 'is taken', type: 'x' }] },
    });
    it.patched.set('doubt', 503);
    for (const name of names.slice(1, -1)) starts[name] = await it.start(name, '--start-delay', '15m');
    starts['twice'] = await it.start('broken');
    await it.stop('early');
    // The last: after this answer no worker calls the gateway for a while.
    it.patched.set('busy', 429);
    starts['busy'] = await it.start('busy', '--start-delay', '15m');

    const found = await contradictions(
      it,
      states({
        held: 'running',
        fine: 'scheduled',
        early: 'cancelled',
        refused: 'not-started',
        twice: 'not-started',
        busy: 'waiting',
        doubt: 'unanswered',
      }),
    );

    expect(found).toEqual([]);
  });

  test('runs that began, and how some of them ended', async () => {
    it.patched.clear();
    await it.pass(5);
    it.peer.cancelRun(it.idOf('elsewhere'));
    it.shown.set('broken', { status: 'error', progress: 610, total: 1180 });
    const acme = { providerName: 'acme', errorCount: 40, totalPrompts: 40, providerFailed: true };
    it.shown.set('acme', { status: 'complete', providerErrors: { acme } });
    it.shown.set('fine', { status: 'complete', progress: 1180, total: 1180, CASIScore: 87 });
    it.shown.set('never', { status: 'schedule_error' });
    it.shown.set('going', { status: 'in_progress', progress: 610, total: 1180 });
    it.shown.set('hidden', { status: 'scheduled' });
    await it.pass(13);
    await it.stop('stopped');
    it.patched.set('ending', 503);
    await it.stop('ending');

    const found = await contradictions(
      it,
      states({
        broken: 'failed',
        acme: 'failed',
        fine: 'complete',
        never: 'failed',
        elsewhere: 'stopped',
        going: 'running',
        hidden: 'awaited',
        stopped: 'stopped',
        ending: 'stopping',
        doubt: 'running',
        busy: 'running',
      }),
    );

    expect(found).toEqual([]);
  });

  test('a run that the gateway still shows as scheduled', async () => {
    await it.pass(35);

    const found = await contradictions(
      it,
      states({ hidden: 'unconfirmed', going: 'running', ending: 'stopping', fine: 'complete' }),
    );

    expect(found).toEqual([]);
  });
});

describe('a stage that does not read runs', async () => {
  const it = await openRuns({
    accepted: { stopAfter: '8 hours' },
    over: { stopAfter: '8 hours' },
    refusing: { stopAfter: '8 hours' },
    late: { stopAfter: '1 hour' },
    lost: { stopAfter: '8 hours' },
    counted: { longestRun: '1 hour' },
    signed: { stopAfter: '8 hours', campaignId: campaigns.nightly },
    unsigned: { stopAfter: '8 hours', campaignId: campaigns.smoke },
  });
  afterAll(it.close);
  const starts: Record<string, string> = {};
  const states = (expected: Readonly<Record<string, RunStateName>>): Expected =>
    Object.fromEntries(Object.entries(expected).map(([name, state]) => [starts[name] ?? name, state]));

  test('runs that the gateway accepted', async () => {
    it.patched.set('lost', 500);
    for (const name of ['accepted', 'over', 'refusing', 'late', 'lost', 'counted', 'unsigned', 'signed'])
      starts[name] = await it.start(name);
    it.patched.set('lost', 409);
    await it.pass(4);
    it.patched.set('refusing', { status: 422, body: { detail: [{ loc: ['body', 'status'], msg: 'no', type: 'x' }] } });
    await it.stop('refusing');

    const found = await contradictions(
      it,
      states({ accepted: 'accepted', signed: 'running', unsigned: 'awaited', refusing: 'not-stopped' }),
    );

    expect(found).toEqual([]);
  });

  test('runs whose end is known, and is not', async () => {
    it.patched.set('late', 503);
    it.patched.set('over', 409);
    await it.stop('over');
    await it.pass(70);

    const found = await contradictions(
      it,
      states({
        accepted: 'accepted',
        over: 'over',
        refusing: 'not-stopped',
        late: 'stop-due',
        lost: 'may-have-run',
        counted: 'over',
        signed: 'running',
        unsigned: 'unconfirmed',
      }),
    );

    expect(found).toEqual([]);
  });
});

describe('a stage that only observes', async () => {
  const it = await openRuns({ watched: { stopAfter: '8 hours' } }, { mode: 'observe' });
  afterAll(it.close);

  test('a start that it would have made', async () => {
    const id = await it.start('watched');

    const found = await contradictions(it, { [id]: 'observed' });

    expect(found).toEqual([]);
  });
});

/**
 * Nights of a user against a gateway as strict as the real one. The stage is whole and goes by a moved clock. What is said of a run is what
 * happened at the gateway.
 */
import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { peerIds } from '../../../peer/seed.ts';
import { askedChanges, lifeOf, openPeerStage } from '../harness/peer-stage.ts';

const dayMs = 24 * 3_600_000;
const { campaigns } = peerIds;
const today = Date.now();
/** A time of a day, 1 is tomorrow: `at(1, '22:00')`. */
const at = (day: number, time: string) => `${new Date(today + day * dayMs).toISOString().slice(0, 10)}T${time}:00.000Z`;
const dateOf = (day: number) => at(day, '00:00').slice(0, 10);
const runId = (index: number) => `0199c000-0000-7000-8000-0000000009${String(index).padStart(2, '0')}`;
const configured = [1, 2, 3, 4].map(runId);
const added = Array.from({ length: 20 }, (_, index) => runId(11 + index));
const [first = '', second = '', third = '', fourth = ''] = configured;
const [fifth = '', sixth = ''] = added;

const automation = {
  timezone: 'UTC',
  campaigns: {
    'chat-bot': {
      campaignId: campaigns.nightly,
      project: 'chat-app',
      runs: {
        nightly: { campaignRunIds: configured, stopAfter: '8 hours', name: 'nightly {date}', preserve: true },
      },
    },
  },
  schedules: [
    {
      name: 'nights',
      start: 'nightly',
      at: 'cron(45 21 * * ? *)',
      startDelay: '15 minutes',
      startDate: at(1, '00:00'),
    },
  ],
  blackouts: [{ name: 'release', from: at(4, '18:00').slice(0, 16), to: at(5, '06:00').slice(0, 16) }],
};

const it = await openPeerStage(automation, {
  lengthMsOf: ({ id }) => (id === third || id === fourth ? 1 : 10) * 3_600_000,
});
for (const id of [...configured, ...added]) {
  it.peer.addRun({ id, campaignId: campaigns.nightly, startAt: new Date(at(200, '12:00')) });
}
afterAll(it.close);

/** What the gateway did for a start of a night, up to the begin of its run. */
const night = (day: number) => [
  `moved to ${at(day, '22:00')}`,
  `renamed nightly ${dateOf(day)}`,
  'preserved true',
  `began ${at(day, '22:00')}`,
];
const changesOf = (id: string) => askedChanges(it.peer).filter((change) => change.id === id);
const cancelOf = (id: string, status = 200) => ({ id, body: { status: 'cancelled' }, status });

/** What is asked for at the gateway while something is done. */
async function askedDuring(work: () => Promise<unknown>) {
  const before = askedChanges(it.peer).length;
  await work();
  return askedChanges(it.peer).slice(before);
}

describe('a night', () => {
  test('begins the run of its schedule once, at its startAt, with its name and its data kept', async () => {
    await it.passUntil(at(1, '22:05'));

    expect(lifeOf(it.peer, first)).toEqual(night(1));
    const body = { startAt: at(1, '22:00'), name: `nightly ${dateOf(1)}`, preserve: true };
    expect(askedChanges(it.peer)).toEqual([{ id: first, body, status: 200 }]);
  });

  test('is confirmed by its campaign, whose lastRun is the id', async () => {
    const reads = it.peer.requests.filter(({ path }) => path === `/backend/v1/campaigns/${campaigns.nightly}`);

    const { stdout } = await it.autopilot('evidence', 'nightly');

    expect(reads.at(-1)?.answer?.body).toMatchObject({ campaign: { lastRun: first } });
    expect(stdout).toMatch(/^\| \S+ \| its campaign shows it \(lastRun\) \|$/m);
  });

  test('is ended by its planned stop', async () => {
    await it.passUntil(at(2, '07:00'));

    expect(lifeOf(it.peer, first)).toEqual([...night(1), 'cancelled in_progress', 'ended cancelled']);
    expect(changesOf(first).slice(1)).toEqual([cancelOf(first)]);
    const [cancelled] = it.peer.effects('cancelled');
    expect(cancelled?.at.toISOString()).toMatch(new RegExp(`^${dateOf(2)}T06`));
  });

  test('takes the next id, and a stop by hand ends it once', async () => {
    await it.passUntil(at(2, '23:00'));

    const stop = await it.autopilot('send', 'stop', 'nightly');
    const again = await askedDuring(async () => it.autopilot('send', 'stop', 'nightly'));
    await it.passUntil(at(3, '07:00'));

    expect(stop.code).toBe(0);
    expect(again).toEqual([]);
    expect(lifeOf(it.peer, second)).toEqual([...night(2), 'cancelled in_progress', 'ended cancelled']);
    expect(changesOf(second).slice(1)).toEqual([cancelOf(second)]);
  });
});

describe('no run begins', () => {
  test('while the stage is frozen', async () => {
    await it.autopilot('freeze', '--reason', 'INC-77');

    const asked = await askedDuring(async () => it.passUntil(at(4, '07:00')));
    await it.autopilot('thaw');

    expect(asked).toEqual([]);
    expect(await outcomeOfNight(3)).toBe('FROZEN');
  });

  test('in a blackout', async () => {
    const asked = await askedDuring(async () => it.passUntil(at(5, '07:00')));

    expect(asked).toEqual([]);
    expect(await outcomeOfNight(4)).toBe('BLACKOUT');
  });

  test('beside one that is in flight', async () => {
    await it.passUntil(at(5, '22:05'));

    const asked = await askedDuring(async () => it.autopilot('send', 'start', 'nightly'));

    expect(asked).toEqual([]);
    expect(lifeOf(it.peer, third)).toEqual(night(5));
  });
});

/** What the history says of the start of a night. */
async function outcomeOfNight(day: number): Promise<unknown> {
  const history = await it.stage().aws.history();
  const start = history.find(({ action, askedAt }) => action === 'start' && askedAt.startsWith(dateOf(day)));
  return start?.reason ?? start?.outcome;
}

describe('the planned stop of a run that ended by itself leaves no work behind', () => {
  test.each([
    { status: 409, lateStop: 409 as const, id: third, day: 5 },
    { status: 422, lateStop: 'names no field' as const, id: fourth, day: 6 },
  ])('refused with $status', async ({ status, lateStop, id, day }) => {
    it.peer.behaviour.lateStop = lateStop;

    await it.passUntil(at(day + 1, '07:00'));

    expect(lifeOf(it.peer, id)).toEqual([...night(day), 'ended complete']);
    expect(changesOf(id).slice(1)).toEqual([cancelOf(id, status)]);
    const stop = (await it.stage().aws.history()).find(({ action }) => action === 'stop');
    expect(stop).toMatchObject({ outcome: 'skipped', reason: 'ALREADY_ENDED' });
    expect((await it.autopilot('parked')).stdout).toBe('nothing is parked\n');
  });
});

describe('an empty pool', () => {
  test('asks the gateway for nothing and waits for a person', async () => {
    const asked = await askedDuring(async () => it.passUntil(at(7, '22:30')));

    expect(asked).toEqual([]);
    expect((await it.autopilot('parked')).stdout).toContain('NO_RUN_LEFT');
  });

  test('is filled by bind, and the parked start begins a bound run once', async () => {
    const bound = await it.autopilot('bind', 'nightly', ...added);
    const [row] = z
      .array(z.looseObject({ id: z.string() }))
      .parse((await it.autopilot('parked', '--json')).json()['parked']);

    const repeat = await it.autopilot('parked', 'resolve', row?.id ?? '', '--repeat');
    await it.passUntil(at(7, '23:30'));

    expect([bound.code, repeat.code]).toEqual([0, 0]);
    const began = it.peer.effects('began').filter((effect) => effect.id === fifth);
    expect(began).toHaveLength(1);
    expect(began[0]?.at.toISOString()).toMatch(new RegExp(`^${dateOf(7)}T22:`));
  });
});

test('a start whose run a person has cancelled at the gateway is told, since its campaign does not show it', async () => {
  await it.passUntil(at(8, '21:50'));
  it.peer.cancelRun(sixth);

  await it.passUntil(at(8, '23:00'));

  const told = it
    .stage()
    .stage.frontDoor.recentEvents()
    .filter(({ event }) => event['detail-type'] === eventTypes.campaignStartUnconfirmed);
  expect(told.map(({ event }) => event.detail)).toMatchObject([{ campaignRunId: sixth, lastRun: fifth }]);
});

test('no start was refused, no run began twice, and doctor finds the cancelled run alone', async () => {
  const starts = askedChanges(it.peer).filter(({ body }) => 'startAt' in Object(body));
  const began = it.peer.effects('began').map(({ id }) => id);

  const doctor = await it.autopilot('doctor');

  expect(starts.map(({ status }) => status)).toEqual(starts.map(() => 200));
  expect(began).toEqual([...configured, fifth]);
  expect(doctor.code).toBe(4);
  expect(doctor.stdout.match(/PROBLEM .*/g)).toEqual([expect.stringContaining("nightly's last start")]);
});

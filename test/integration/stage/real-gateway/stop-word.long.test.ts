/**
 * A stop word that the gateway does not know, and its correction: runs that were started before it are stopped by the word that is configured
 * now, in each way in which a run is stopped.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { peerIds } from '../../../peer/seed.ts';
import { askedChanges, lifeOf, openPeerStage } from '../harness/peer-stage.ts';
import type { TestedAutomation } from '../harness/write-automation.ts';

const minuteMs = 60_000;
const { campaigns } = peerIds;
const ids = {
  'by-name': '0199c000-0000-7000-8000-000000000801',
  'by-uuid': '0199c000-0000-7000-8000-000000000802',
  repeated: '0199c000-0000-7000-8000-000000000803',
  planned: '0199c000-0000-7000-8000-000000000804',
  'with-all': '0199c000-0000-7000-8000-000000000805',
} as const;
const names = Object.keys(ids) as (keyof typeof ids)[];

const automation = (stop: string): TestedAutomation => ({
  timezone: 'UTC',
  gateway: { status: { stop } },
  campaigns: Object.fromEntries(
    names.map((name) => {
      const stopAfter = name === 'planned' ? '2 hours' : '8 hours';
      return [name, { runs: { [name]: { campaignRunIds: [ids[name]], stopAfter } } }];
    }),
  ),
});

const it = await openPeerStage(automation('stopped'), { courseOf: () => ({ lengthMs: 20 * 60 * minuteMs }) });
afterAll(it.close);

beforeAll(async () => {
  const farAhead = new Date(Date.now() + 200 * 24 * 60 * minuteMs);
  for (const id of Object.values(ids)) it.peer.addRun({ id, campaignId: campaigns.nightly, startAt: farAhead });
  for (const name of names) await it.autopilot('send', 'start', name);
  await it.pass(5);
});

const stopsOf = (id: string) =>
  askedChanges(it.peer).flatMap((change) =>
    change.id === id && 'status' in Object(change.body) ? [`${Object(change.body).status} ${change.status}`] : [],
  );

async function parkedIds(): Promise<readonly string[]> {
  const rows = z.array(z.looseObject({ id: z.string() }));
  return rows.parse((await it.autopilot('parked', '--json')).json()['parked']).map(({ id }) => id);
}

test('a stop by a word that the gateway does not know waits for a person, and the run goes on', async () => {
  const stop = await it.autopilot('send', 'stop', 'repeated');

  expect(stop).toMatchObject({ code: 4, stdout: expect.stringContaining('gateway.status.stop') });
  expect(stopsOf(ids.repeated)).toEqual(['stopped 422']);
  expect(it.peer.run(ids.repeated).status).toBe('in_progress');
});

describe('once the word is corrected, a run that was in flight is stopped', () => {
  beforeAll(async () => it.deploy(automation('cancelled')));

  test.each<{ way: string; name: keyof typeof ids; stop: () => Promise<unknown> }>([
    { way: 'send stop NAME', name: 'by-name', stop: async () => it.autopilot('send', 'stop', 'by-name') },
    { way: 'send stop UUID', name: 'by-uuid', stop: async () => it.autopilot('send', 'stop', ids['by-uuid']) },
    {
      way: 'parked resolve --repeat',
      name: 'repeated',
      stop: async () => it.autopilot('parked', 'resolve', ...(await parkedIds()), '--repeat'),
    },
    { way: 'its planned stop', name: 'planned', stop: async () => it.pass(120) },
    {
      way: 'stop --all-in-flight',
      name: 'with-all',
      stop: async () => it.autopilot('stop', '--all-in-flight', '--reason', 'INC-77', '--yes'),
    },
  ])('by $way', async ({ name, stop }) => {
    const id = ids[name];
    expect(it.peer.run(id).status).toBe('in_progress');

    await stop();

    expect(stopsOf(id).at(-1)).toBe('cancelled 200');
    await it.pass(1);
    expect(lifeOf(it.peer, id).slice(1)).toEqual([
      expect.stringMatching('began'),
      'cancelled in_progress',
      'ended cancelled',
    ]);
  });

  test('and nothing is left to do', async () => {
    expect(await parkedIds()).toEqual([]);
    expect((await it.autopilot('status')).stdout).toContain('In flight (0)');
  });
});

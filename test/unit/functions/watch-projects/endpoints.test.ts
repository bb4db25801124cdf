import { describe, expect, test, vi } from 'vitest';
import { openGate } from '#functions/_gateway/gate.ts';
import { BadStatusError, type Endpoint } from '#shared/gateway-client/index.ts';
import { failing, statusError } from '../../../builders/ports.ts';
import { crashesUpTo } from '../poll-scanner-packages/poll-bench.ts';
import { aConfig, aWatch, createProjectBench } from './project-bench.ts';

const hourMs = 3_600_000;
const web: Endpoint = { id: 'e1', name: 'chat-web', groupId: 'g1' };
const mobile: Endpoint = { id: 'e2', name: 'chat-mobile', groupId: 'g1' };

/** A watch that reads endpoints, of a gateway that has these. */
function watching(endpoints: readonly Endpoint[], filter = { groupId: 'g1' }) {
  const bench = createProjectBench(aWatch({ endpoints: filter }));
  bench.deploy(endpoints);
  return bench;
}

const inUse = 'EndpointsStillInUse';

const refusing = (status: number) => failing(statusError(status));

describe('deprecated endpoints', () => {
  test('that are still there are reported by name, as of the group that is configured', async () => {
    const bench = watching([web, mobile]);
    const listEndpoints = vi.fn<typeof bench.gateway.listEndpoints>(bench.gateway.listEndpoints);

    const answer = await bench.tick({ deps: { gateway: { ...bench.gateway, listEndpoints } } });

    expect(listEndpoints.mock.calls).toEqual([[{ groupId: 'g1' }]]);
    expect(bench.eventsOf(inUse)).toEqual([
      {
        type: inUse,
        eventId: 'endpoints:projects.chat-app:2026-11-21',
        watch: 'projects.chat-app',
        at: '2026-11-21T22:00:00.000Z',
        count: 2,
        endpoints: [
          { id: 'e1', name: 'chat-web' },
          { id: 'e2', name: 'chat-mobile' },
        ],
      },
    ]);
    expect(answer.summary).toMatch(/2 deprecated endpoints in use$/);
    expect(bench.logged).toContainEqual(expect.objectContaining({ event: 'endpoints_read', level: 'info' }));
    expect(bench.counted).toContainEqual({ metric: 'EndpointsInUse', value: 2 });
  });

  test('are read once a day, however often the watch ticks', async () => {
    const bench = watching([web]);

    for (let tick = 0; tick < 48; tick += 1) await bench.tick({ afterMs: hourMs });

    expect(bench.asked.filter((what) => what === 'endpoints')).toHaveLength(3); // 23:00 of one day, the next, 0:00 to 22:00
  });

  test('are reported again when the list is another one, or a week has passed', async () => {
    const bench = watching([web]);
    const reports: number[] = [];

    for (let day = 0; day < 20; day += 1) {
      if (day === 3) bench.deploy([web, mobile]);
      if (day === 12) bench.deploy([mobile, web]); // the order is no news
      await bench.tick();
      if (bench.eventsOf(inUse).length > reports.length) reports.push(day);
    }

    expect(reports).toEqual([0, 3, 10, 17]);
    expect(new Set(bench.eventsOf(inUse).map(({ eventId }) => eventId)).size).toBe(4);
  });

  test('that are gone are no news; that come back are', async () => {
    const bench = watching([web]);
    await bench.tick();
    bench.deploy([]);

    const answer = await bench.tick();
    bench.deploy([web]);
    await bench.tick();

    expect(answer.summary).toBe('nothing changed, 0 deprecated endpoints in use');
    expect(bench.eventsOf(inUse)).toHaveLength(2);
  });

  test.each([404, 405, 410, 501])(
    'of a gateway that has withdrawn the listing (%i) are none, and the gate stays open',
    async (status) => {
      const bench = watching([web]);
      const told: unknown[] = [];
      const gate = { ...openGate, failed: async (verdict: unknown) => void told.push(verdict) };
      const listEndpoints = refusing(status);

      const answer = await bench.tick({ deps: { gate, gateway: { ...bench.gateway, listEndpoints } } });

      expect(answer.summary).toMatch(/0 deprecated endpoints in use$/);
      expect(told).toEqual([]);
    },
  );

  test('that cannot be read fail the tick after the look, which is done; the next tick tries again', async () => {
    const bench = watching([web]);
    await bench.tick();
    bench.configure(aConfig({ providerRouting: 'fallback' }));
    const listEndpoints = refusing(500);

    await expect(bench.tick({ deps: { gateway: { ...bench.gateway, listEndpoints } } })).rejects.toBeInstanceOf(
      BadStatusError,
    );
    await bench.tick({ afterMs: hourMs });

    expect(bench.eventsOf('ProjectChanged')).toMatchObject([{ difference: ['providerRouting: default → fallback'] }]);
    expect((await bench.row())?.endpoints).toMatchObject({ readOn: '2026-11-22' });
  });

  test.each(crashesUpTo(4))('are reported once, also when the tick dies $when effect $at', async (crash) => {
    const bench = watching([web]);

    expect(await bench.tickAndCrash(crash)).toBe(true);
    await bench.tick({ afterMs: hourMs });
    await bench.tick({ afterMs: hourMs });

    const ids = bench.eventsOf(inUse).map(({ eventId }) => eventId);
    expect(new Set(ids).size).toBe(1);
    expect((await bench.row())?.endpoints).not.toHaveProperty('report');
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientOf } from '../../integration/shared/gateway-client/clients.ts';
import { cursorsOf, pollsOf } from '../bench/workers.ts';
import { startRawGateway } from '../bench/raw-gateway.ts';
import { propertyRuns } from '../../builders/property-runs.ts';

const one = (id: string) => ({ id, name: `package ${id}` });

describe('cursors that never end', () => {
  it.each([
    ['come again, of the page itself', (asked: string) => (asked === 'c0' ? 'c1' : asked)],
    ['come again, of an earlier page', (asked: string) => ({ c0: 'c1', c1: 'c2', c2: 'c3' })[asked] ?? 'c1'],
    ['are new each time', (asked: string) => `c${Number(asked.slice(1)) + 1}`],
  ])(
    '[B1] cursors that %s end the walk after twenty pages with nothing new, and nothing is concluded',
    async (_name, next) => {
      const gateway = await startRawGateway({
        page: (cursor) => ({ packages: [one('the only')], next: next(cursor ?? 'c0') }),
      });
      const bench = pollsOf(gateway);

      await expect(bench.poll()).rejects.toMatchObject({ code: 'LISTING_ENDLESS' });

      expect(gateway.requests).toHaveLength(21);
      expect(bench.known()).toEqual([]);
      expect(bench.commands).toEqual([]);
    },
  );
});

/**
 * The forms in which a gateway may say that there is no next page, and those that only look like
 * it.
 */
const ends = fc.constantFrom({}, { next: null }, { next: '' });
const cursor = fc.oneof(
  fc.string({ minLength: 1, maxLength: 40 }),
  fc.integer(),
  fc.constantFrom('null', 'undefined', '0', ' '),
);

describe('the end of a listing', () => {
  it('[B4] a walk ends where the gateway says so and nowhere else: an empty page goes on, whatever its cursor looks like', async () => {
    const walks = fc.record({
      cursors: fc.uniqueArray(cursor, { maxLength: 6, selector: String }),
      sizes: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 7, maxLength: 7 }),
      end: ends,
    });
    let current: { cursors: readonly (string | number)[]; sizes: readonly number[]; end: object };
    const gateway = await startRawGateway({
      page: (asked) => {
        const { cursors, sizes, end } = current;
        const index = asked === undefined ? 0 : cursors.findIndex((candidate) => String(candidate) === asked) + 1;
        const packages = Array.from({ length: sizes[index] ?? 0 }, (_, item) => one(`p${index}-${item}`));
        return { packages, ...(index < cursors.length ? { next: cursors[index] } : end) };
      },
    });
    const client = clientOf(gateway.baseUrl);

    await fc.assert(
      fc.asyncProperty(walks, async (walk) => {
        current = walk;
        const before = gateway.requests.length;
        const ids: string[] = [];
        for await (const { packages } of client.listScannerPackages()) ids.push(...packages.map(({ id }) => id));

        const pages = walk.cursors.length + 1;
        const wanted = walk.sizes
          .slice(0, pages)
          .flatMap((size, page) => Array.from({ length: size }, (_, item) => `p${page}-${item}`));
        expect(ids).toEqual(wanted);
        expect(cursorsOf(gateway).slice(before)).toEqual([undefined, ...walk.cursors.map(String)]);
      }),
      propertyRuns(30),
    );
  });
});

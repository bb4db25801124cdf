import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientOf } from '../../integration/shared/gateway-client/clients.ts';
import { cursorsOf, pollsOf } from '../bench/workers.ts';
import { startRawGateway } from '../bench/raw-gateway.ts';
import { PageLimitError } from '#shared/gateway-client/index.ts';
import { propertyRuns } from '../../builders/property-runs.ts';

const one = (id: string) => ({ id, name: `package ${id}` });

describe('cursors that never end', () => {
  it.each([
    ['of the page itself', { c1: 'c1' }, [undefined, 'c1']],
    ['of an earlier page', { c1: 'c2', c2: 'c3', c3: 'c1' }, [undefined, 'c1', 'c2', 'c3']],
  ])('[B1] a cursor that comes again (%s) ends the walk, and nothing is concluded', async (_name, next, asked) => {
    const following: Readonly<Record<string, string>> = next;
    const gateway = await startRawGateway({
      page: (cursor) => ({
        packages: [one(cursor ?? 'first')],
        next: cursor === undefined ? 'c1' : following[cursor],
      }),
    });
    const bench = pollsOf(gateway);

    await expect(bench.poll()).rejects.toMatchObject({ code: 'CURSOR_LOOP' });

    expect(cursorsOf(gateway)).toEqual(asked);
    expect(bench.known()).toEqual([]);
    expect(bench.commands).toEqual([]);
  });

  it('[B1] cursors that are new each time end the walk after twenty pages without a package', async () => {
    let pages = 0;
    const gateway = await startRawGateway({ page: () => ({ packages: [], next: `c${(pages += 1)}` }) });
    const bench = pollsOf(gateway);

    await expect(bench.poll()).rejects.toMatchObject({ code: 'LISTING_ENDLESS' });

    expect(gateway.requests).toHaveLength(20);
    expect(bench.known()).toEqual([]);
  });

  it('[B1] cursors that are new each time end the walk at the cap of pages', async () => {
    let pages = 0;
    const gateway = await startRawGateway({ page: () => ({ packages: [], next: `c${(pages += 1)}` }) });
    const walk = clientOf(gateway.baseUrl).listScannerPackages({ maxPages: 20 });

    const walked = (async () => {
      for await (const _ of walk);
    })();

    await expect(walked).rejects.toBeInstanceOf(PageLimitError);
    expect(gateway.requests).toHaveLength(20);
  });
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
      propertyRuns(60),
    );
  });
});

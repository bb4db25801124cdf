import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pollsOf } from '../bench/workers.ts';
import { startRawGateway } from '../bench/raw-gateway.ts';
import { propertyRuns } from '../../builders/property-runs.ts';

const perPage = 3;

/**
 * A listing whose cursors are offsets, the worst kind: whatever comes or goes before one moves what
 * is behind it.
 */
async function offsetListing(count = 8) {
  const packages = Array.from({ length: count }, (_, index) => ({ id: `p${index}`, name: `p${index}` }));
  let made = packages.length;
  let moves: (() => void)[] = [];
  const gateway = await startRawGateway({
    page: (cursor) => {
      const from = Number(cursor ?? 0);
      const page = { packages: packages.slice(from, from + perPage), next: from + perPage };
      const isLast = page.next >= packages.length;
      moves.shift()?.();
      return isLast ? { packages: page.packages } : page;
    },
  });
  return {
    gateway,
    ids: () => packages.map(({ id }) => id),
    add(at: number) {
      const id = `p${(made += 1)}`;
      packages.splice(at, 0, { id, name: id });
    },
    remove: (at: number) => void packages.splice(at, 1),
    /** What happens between two pages of the next walk, one each. */
    during(next: readonly (() => void)[]) {
      moves = [...next];
    },
  };
}

describe('a listing that changes while it is walked', () => {
  it('[B2] a listing that is quiet for two walks is known as it is, whatever moved before, and each change was reported once', async () => {
    const move = fc.record({ add: fc.boolean(), at: fc.nat({ max: 7 }) });
    // So many that no walk misses half of them: such a walk is refused, and changes nothing.
    const many = 40;
    const walks = fc.array(fc.array(move, { maxLength: 4 }), { minLength: 1, maxLength: 4 });

    await fc.assert(
      fc.asyncProperty(walks, async (noisyWalks) => {
        const listing = await offsetListing(many);
        const bench = pollsOf(listing.gateway);
        await bench.poll();
        const atFirst = listing.ids();

        for (const moves of noisyWalks) {
          listing.during(
            moves.map(
              ({ add, at }) =>
                () =>
                  add ? listing.add(at) : listing.remove(at),
            ),
          );
          await bench.poll();
        }
        listing.during([]);
        await bench.poll();
        await bench.poll();

        const changes = bench.events.flatMap((event) => event['changes'] as { kind: string; packageId: string }[]);
        const balance = new Map(atFirst.map((id) => [id, 1]));
        for (const { kind, packageId } of changes)
          balance.set(packageId, (balance.get(packageId) ?? 0) + (kind === 'added' ? 1 : -1));
        const left = [...balance].filter(([, count]) => count !== 0);
        expect(left.every(([, count]) => count === 1)).toBe(true);
        expect(left.map(([id]) => id).toSorted()).toEqual(listing.ids().toSorted());
        expect(bench.known()).toEqual(listing.ids().toSorted());
      }),
      propertyRuns(15),
    );
  });
});

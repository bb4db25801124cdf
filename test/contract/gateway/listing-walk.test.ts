import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { runningGateway } from './running-gateway.ts';
import type { TestGateway } from './running-gateway.ts';
import { propertyRuns } from '../../builders/property-runs.ts';

let gateway: TestGateway;
beforeAll(async () => void (gateway = await runningGateway()));
afterAll(() => gateway.close());

const someProject = fc.constantFrom(...Object.values(seedIds.projects));
const filter = fc.oneof(
  fc.record({ search: fc.constantFrom('a', 'injection', 'zzz') }),
  fc.record({ direction: fc.constantFrom('request', 'response', 'both') }),
  fc.record({ source: fc.constantFrom('vendor', 'internal') }),
  fc.record({ type: fc.constantFrom('model', 'regex', 'keyword') }),
  fc.record({ published: fc.constantFrom('true', 'false') }),
  fc.record({ packaged: fc.constantFrom('true', 'false') }),
  fc.record({ accessibleToProjectId: someProject }),
  fc.record({ addedToProjectId: someProject, active: fc.constantFrom('true', 'false') }),
  fc.record({ tags: fc.constantFrom('security', 'house', 'security,strict') }),
);
const order = fc.record({
  sortBy: fc.constantFrom('name', 'created_at', 'updated_at'),
  ascending: fc.constantFrom('true', 'false'),
});
/** Two filters at most: more match so little that there is nothing to walk. */
const queries = fc
  .tuple(order, fc.array(filter, { maxLength: 2 }))
  .map(([sort, given]): Record<string, string> => Object.assign({}, sort, ...given));

interface Page {
  readonly ids: readonly string[];
  readonly next: string | null;
  readonly prev: string | null;
}

async function page(query: Record<string, string>): Promise<Page> {
  const { status, body } = await gateway.get(`/backend/v1/scanner-packages?${new URLSearchParams(query).toString()}`);
  expect(status).toBe(200);
  const ids = body.packages?.map((one) => one.id) ?? [];
  return { ids, next: body.next ?? null, prev: body.prev ?? null };
}

async function walk(first: Page, query: Record<string, string>, way: 'next' | 'prev'): Promise<Page[]> {
  const pages = [first];
  for (let cursor = first[way]; cursor !== null;) {
    const reached = await page({ ...query, cursor });
    pages.push(reached);
    cursor = reached[way];
  }
  return pages;
}

test('walks forward over every match once, and back over the same pages, for any filter, order and limit', async () => {
  await fc.assert(
    fc.asyncProperty(queries, fc.integer({ min: 5, max: 100 }), async (query, limit) => {
      const given = { ...query, limit: String(limit) };
      const forward = await walk(await page(given), given, 'next');
      const ids = forward.flatMap((one) => one.ids);
      const last = forward.at(-1) ?? { ids: [], next: null, prev: null };
      const backward = await walk(last, query, 'prev'); // the cursor brings the limit along

      const atOnce = await walk(await page({ ...query, limit: '100' }), query, 'next');

      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toEqual(atOnce.flatMap((one) => one.ids));
      expect(forward.slice(0, -1).every((one) => one.ids.length === limit)).toBe(true);
      expect(backward.toReversed().map((one) => one.ids)).toEqual(forward.map((one) => one.ids));
    }),
    propertyRuns(8),
  );
});

test('a page past the end, left behind by deletions, is empty and leads back', async () => {
  const cursor = Buffer.from('{"offset":5000,"limit":50}').toString('base64url');
  const past = await page({ cursor });

  expect(past).toMatchObject({ ids: [], next: null });
  expect((await page({ cursor: past.prev ?? '' })).next).toBeNull();
});

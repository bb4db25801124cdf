import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PollDeps } from '#functions/poll-scanner-packages/poll-state.ts';
import type { ListedPackage } from '#functions/poll-scanner-packages/walk/walk.ts';
import { toError } from '#shared/errors/app-error.ts';
import { aPackage, aWatch, createPollBench, knownIn, pagesFrom } from './poll-bench.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';

const count = 8;

/** What becomes of the listing before a poll, and how many pages the poll has time for. */
const step = fc.record({
  becomes: fc.array(fc.constantFrom('same', 'same', 'same', 'same', 'same', 'newer', 'older', 'gone', 'back'), {
    minLength: count,
    maxLength: count,
  }),
  /**
   * A package that stays where it is and is listed once more, as another one, at the beginning or
   * at the end.
   */
  twice: fc.option(fc.record({ index: fc.nat(count - 1), isFirst: fc.boolean() }), { nil: undefined, freq: 6 }),
  /** How far the order is turned. */
  turned: fc.constantFrom(0, 0, 0, 0, 1, 4),
  timeFor: fc.constantFrom(1, 2, 9, 9, 9, 9),
  laterMs: fc.constantFrom(0, 0, 0, 0, 80_000_000),
});

/** A bench whose every poll is told how many pages it has time for. */
function createSide(watch: ReturnType<typeof aWatch>, hasDigests: boolean) {
  const bench = createPollBench(watch);
  return {
    bench,
    async poll(listed: readonly ListedPackage[], timeFor: number): Promise<unknown> {
      const listing: PollDeps['listing'] = async function* (_filters, { cursor }) {
        for await (const { packages, next } of pagesFrom(listed, cursor)) {
          yield { packages, next, digest: hasDigests ? JSON.stringify(packages) : undefined };
        }
      };
      let left = timeFor + 1;
      const remainingMs = () => ((left -= 1) > 0 ? 900_000 : 0);
      return bench.poll([], { deps: { listing, remainingMs } }).catch((error: unknown) => toError(error).name);
    },
    told: () => ({ known: knownIn(bench.ledger), events: bench.events, commands: bench.commands }),
  };
}

test('what is known, reported and started is the same with pages that vouch as without, poll by poll', async () => {
  const settle = fc.constantFrom({}, { settle: 'PT20M' });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), settle, async (steps, waits) => {
      const watch = aWatch({ onChange: [{ match: { field: 'version' }, start: 'smoke' }], ...waits });
      const [vouching, comparing] = [createSide(watch, true), createSide(watch, false)];
      const versions = Array<number>(count).fill(1);
      const isThere = Array<boolean>(count).fill(true);

      for (const { becomes, twice, turned, timeFor, laterMs } of steps) {
        for (const [index, what] of becomes.entries()) {
          if (what === 'newer') versions[index] = (versions[index] ?? 0) + 1;
          if (what === 'older') versions[index] = 1;
          if (what === 'gone' || what === 'back') isThere[index] = what === 'back';
        }
        const there = versions.flatMap((version, index) =>
          isThere[index] ? [aPackage(`p${index}`, { version })] : [],
        );
        const inOrder = [...there.slice(turned), ...there.slice(0, turned)];
        const again = twice === undefined ? [] : [aPackage(`p${twice.index}`, { version: 0 })];
        const listed = twice?.isFirst === true ? [...again, ...inOrder] : [...inOrder, ...again];

        const answers = [await vouching.poll(listed, timeFor), await comparing.poll(listed, timeFor)];

        expect(answers[0]).toEqual(answers[1]);
        expect(vouching.told()).toEqual(comparing.told());
        vouching.bench.advance(laterMs);
        comparing.bench.advance(laterMs);
      }
    }),
    propertyRuns(200),
  );
});

import type { Parameters } from 'fast-check';

/**
 * The seed of each property unless another is asked for, so that `npm test` says the same of the
 * same code. A case that is first drawn at a merge says nothing about it; the search of every night
 * draws others.
 */
const usualSeed = 20_261_125;

/**
 * How a property is tried, as the options of `fc.assert`. FAST_CHECK_RUNS gives each property that
 * many cases. FAST_CHECK_SEED is another seed, or `drawn`: then each property draws its own, which
 * fast-check prints if the property fails. FAST_CHECK_PATH is the path printed beside it.
 * @param usual - the cases of a usual run: fewer for a property whose cases are slow, more for one
 * whose cases cost nothing
 */
export function propertyRuns(usual = 100): Pick<Parameters, 'seed' | 'path'> & { readonly numRuns: number } {
  const { FAST_CHECK_RUNS: runs, FAST_CHECK_SEED: seed = usualSeed, FAST_CHECK_PATH: path } = process.env;
  return {
    numRuns: Number(runs ?? usual),
    ...(seed !== 'drawn' && { seed: Number(seed) }),
    ...(path !== undefined && { path }),
  };
}

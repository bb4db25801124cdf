/**
 * How many cases a property tries: as many as FAST_CHECK_RUNS says, else what suits each run of the
 * tests.
 * @param usual - fewer for a property whose cases are slow, more for one whose cases cost nothing
 */
export function propertyRuns(usual = 100): number {
  return Number(process.env['FAST_CHECK_RUNS'] ?? usual);
}

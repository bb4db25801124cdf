/**
 * What poll-scanner-packages has of memory, and how its engine uses it. 512 MB are for the share of a CPU that comes with them: however long the
 * listing, ten thousand fingerprints are in memory at most. Lambda would give the engine a nursery of three times 25 MB, and a long listing fills
 * whatever it is given with pages that nobody needs any more. Who names one of the two sizes names both, since Lambda then sets neither: the second
 * is what it would set, nine tenths. Measured in docs/adr/0023-pages-that-are-as-before.md.
 */
export const pollMemory = {
  memoryMb: 512,
  nodeOptions: '--max-semi-space-size=1 --max-old-space-size=461',
} as const;

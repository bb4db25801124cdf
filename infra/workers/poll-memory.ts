/**
 * What poll-scanner-packages has of memory, and how its process uses it. 512 MB are for the share of a CPU that comes with them: however long the
 * listing, ten thousand fingerprints are in memory at most. Lambda would give the engine a nursery of three times 25 MB, and a long listing fills
 * whatever it is given with pages that nobody needs any more. Who names one of the two sizes names both, since Lambda then sets neither: the second
 * is what it would set, nine tenths. Blocks of 32 KB and more, which bodies of pages are, go back to the system when they are freed, where the C library
 * would keep them between smaller ones. Measured in docs/adr/0027-large-blocks-go-back.md and docs/adr/0029-a-nursery-of-four-megabytes.md.
 */
export const pollMemory = {
  memoryMb: 512,
  processEnvironment: {
    NODE_OPTIONS: '--max-semi-space-size=4 --max-old-space-size=461',
    MALLOC_MMAP_THRESHOLD_: '32768',
    MALLOC_TRIM_THRESHOLD_: '65536',
  },
} as const;

import { defineConfig } from 'vitest/config';

/** A run that asks its properties for more cases than usual needs more time for each test. */
const patience = process.env['FAST_CHECK_RUNS'] === undefined ? 1 : 20;

// Levels as in docs/architecture.md: what a test may touch decides its project, and so its limits.
export default defineConfig({
  test: {
    // Whole processes wait more than they compute: one test file beside another is quicker also on two cores.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          testTimeout: 20_000 * patience,
          hookTimeout: 60_000 * patience,
          benchmark: { include: [] },
        },
      },
      {
        test: {
          name: 'golden',
          include: ['test/golden/**/*.test.ts'],
          testTimeout: 20_000 * patience,
          benchmark: { include: [] },
        },
      },
      {
        test: {
          name: 'contract',
          include: ['test/contract/**/*.test.ts'],
          testTimeout: 30_000 * patience,
          benchmark: { include: [] },
        },
      },
      {
        test: {
          name: 'infra',
          include: ['test/infra/**/*.test.ts'],
          testTimeout: 60_000 * patience,
          benchmark: { include: [] },
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          testTimeout: 120_000 * patience,
          hookTimeout: 60_000 * patience,
          benchmark: { include: [] },
        },
      },
      {
        test: {
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          testTimeout: 60_000 * patience,
          benchmark: { include: [] },
        },
      },
    ],
  },
});

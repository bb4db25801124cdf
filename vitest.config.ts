import { defineConfig } from 'vitest/config';

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
          testTimeout: 20_000,
          hookTimeout: 60_000,
          benchmark: { include: [] },
        },
      },
      {
        test: {
          name: 'golden',
          include: ['test/golden/**/*.test.ts'],
          testTimeout: 20_000,
          benchmark: { include: [] },
        },
      },
      {
        test: {
          name: 'contract',
          include: ['test/contract/**/*.test.ts'],
          testTimeout: 30_000,
          benchmark: { include: [] },
        },
      },
      {
        test: { name: 'infra', include: ['test/infra/**/*.test.ts'], testTimeout: 60_000, benchmark: { include: [] } },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          benchmark: { include: [] },
        },
      },
      {
        test: {
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          testTimeout: 60_000,
          benchmark: { include: [] },
        },
      },
    ],
  },
});

import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import type { Reporter, Vitest } from 'vitest/node';

/** A run that asks its properties for more cases than usual needs more time for each test. */
const patience = process.env['FAST_CHECK_RUNS'] === undefined ? 1 : 20;

/** A limit ends what hangs, and nothing else: it is far above what any test takes, so that a busy machine makes none red. */
const limitsOf = (minutes: number) => ({
  testTimeout: minutes * 60_000 * patience,
  hookTimeout: minutes * 60_000 * patience,
  expect: { poll: { timeout: 120_000 } },
  benchmark: { include: [] },
});

/** What a test may touch decides its level (docs/architecture.md). */
const levels = ['unit', 'golden', 'contract', 'infra', 'integration', 'faults'];
const longFiles = 'test/**/*.long.test.ts';

export default defineConfig({
  test: {
    maxWorkers: '100%', // without it one core is left idle
    reporters: ['default', ...(process.env['GITHUB_ACTIONS'] === 'true' ? ['github-actions'] : []), sayWhatIsLeftOut()],
    coverage: {
      provider: 'v8',
      include: ['{cli,console,create,functions,gateway,infra,local,operator,shared}/**/*.{ts,tsx,mjs}'],
      reporter: ['text-summary', 'json-summary', 'json'],
    },
    projects: [
      // Files that share a worker share its modules: loading them once is half of the cost of a short file.
      // Those of stages come after all others: `npm test` took 97 s so, and 112 s with all levels mixed (two cores).
      ...levels.map((level) => ({
        test: {
          ...limitsOf(5),
          name: level,
          include: [`test/${level}/**/*.test.ts`],
          exclude: [longFiles],
          isolate: false,
          ...(level === 'integration' && { maxWorkers: availableParallelism() + 1, sequence: { groupOrder: 1 } }),
          env: {
            // esbuild's service, until its test stops it (Go's runtime reads this): without a bound it keeps a GB.
            // A bound that its work does not fit triples that work: bundling the functions takes 360 MB.
            GOMEMLIMIT: '400MiB',
            // A program that a test starts is compiled once: half of the cost of its start.
            NODE_COMPILE_CACHE: resolve('node_modules/.cache/compiled'),
          },
        },
      })),
      // `npm test` leaves these out: whole stages, browsers, and what else takes as long as all of the short ones.
      // Whole processes wait more than they compute: so more of them than cores, after all others.
      {
        test: {
          ...limitsOf(15),
          name: 'long',
          include: [longFiles],
          maxWorkers: availableParallelism() + 2,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});

/** Says at the end of `npm test` what it does not hold: a green run without the long files is not the whole. */
function sayWhatIsLeftOut(): Reporter {
  let vitest: Vitest | undefined;
  return {
    onInit(started) {
      vitest = started;
    },
    onTestRunEnd() {
      if (vitest === undefined) return;
      const names = vitest.projects.map(({ name }) => name);
      // A run of one level was asked for by its name.
      if (names.length === 1 || names.includes('long')) return;
      const paths = globSync(longFiles, { cwd: vitest.config.root });
      vitest.logger.log(`\n${leftOut(paths.map((path) => path.replaceAll('\\', '/')))}\n`);
    },
  };
}

/** One line on the long files, and the folders that have most of them. */
function leftOut(paths: readonly string[]): string {
  const folders = Map.groupBy(paths, (path) => path.split('/').slice(1, 3).join('/'));
  const most = [...folders].toSorted(([, one], [, other]) => other.length - one.length);
  const named = most.slice(0, 3).map(([folder, files]) => `${folder} ${files.length}`);
  const more = most.length > named.length ? ', …' : '';
  return `npm test leaves out ${paths.length} long files (${named.join(', ')}${more}); npm run test:all runs them`;
}

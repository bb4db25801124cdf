import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { buildFunctions } from '#infra/bundle/build-functions.ts';

/**
 * A subject as it would be deployed: through the product's own bundler, since what that does to the
 * code is part of its speed.
 */
export interface BundledSubject extends AsyncDisposable {
  readonly file: string;
}

/**
 * Bundles `subjects/<name>.ts` into a temporary folder, which is gone with the disposal.
 * @throws Error if it does not build
 */
export async function bundledSubject(name: string): Promise<BundledSubject> {
  const outDir = await mkdtemp(join(tmpdir(), 'autopilot-bench-'));
  const entry = join(import.meta.dirname, '..', 'subjects', `${name}.ts`);
  const id = basename(name);
  await buildFunctions({ outDir, entries: { [id]: entry } });
  return {
    file: join(outDir, id, 'handler.mjs'),
    async [Symbol.asyncDispose]() {
      await rm(outDir, { recursive: true, force: true });
    },
  };
}

import { join } from 'node:path';
import { build } from 'esbuild';

/** The typical worker as a bundle. */
export interface TypicalBuild {
  readonly file: string;
  readonly bytes: number;
}

/**
 * Bundles a typical worker in the way that AWS and Powertools describe for ES modules: minified,
 * packages by their ES form, everything in it, `require` for what needs it. No plugin takes
 * anything out.
 */
export async function buildTypical(
  outDir: string,
  worker: 'typical-worker' | 'typical-uploads-worker' = 'typical-worker',
): Promise<TypicalBuild> {
  const file = join(outDir, worker, 'handler.mjs');
  const { metafile } = await build({
    entryPoints: [join(import.meta.dirname, `${worker}.ts`)],
    outfile: file,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'none',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    metafile: true,
    logLevel: 'warning',
  });
  const [output] = Object.values(metafile.outputs);
  if (output === undefined) throw new Error('the typical worker was not built');
  return { file, bytes: output.bytes };
}

import { join } from 'node:path';
import { build, type BuildOptions as EsbuildOptions, type Metafile, type Plugin } from 'esbuild';
import { readAssets } from '#console/assets.ts';
import { projectRoot } from './build-functions.ts';

/** For people's machines: readable, and with whatever the packages bring along. */
const shared: EsbuildOptions = {
  absWorkingDir: projectRoot,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  legalComments: 'none', // all licences go into one file
  metafile: true,
  logLevel: 'warning',
};

/** Bundles the construct into `infra/autopilot.js`: with all it needs, but for the CDK, which has to be the app's own. */
export async function buildConstruct(outDir: string): Promise<Metafile> {
  const { metafile } = await build({
    ...shared,
    entryPoints: [join(projectRoot, 'infra', 'autopilot.ts')],
    outbase: projectRoot,
    outdir: outDir,
    external: ['aws-cdk-lib', 'constructs'],
    metafile: true,
  });
  return metafile;
}

/** The page of the console is made from its sources in the repository; what ships has it finished. */
const finishedConsole: Plugin = {
  name: 'finished-console',
  setup(bundler) {
    bundler.onLoad({ filter: /[\\/]console[\\/]assets\.ts$/ }, async () => ({
      contents: `export const readAssets = async () => (${JSON.stringify(await readAssets())});`,
      loader: 'js',
    }));
  },
};

/** Bundles the operator's command into `cli/autopilot.mjs` and the parts that it loads when they are asked for. */
export async function buildCommand(outDir: string): Promise<Metafile> {
  const { metafile } = await build({
    ...shared,
    entryPoints: [join(projectRoot, 'cli', 'autopilot.mjs')],
    outbase: projectRoot,
    outdir: outDir,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'cli/[name]-[hash]',
    splitting: true,
    plugins: [finishedConsole],
    minifyWhitespace: true, // the clients of AWS are nine tenths of it
    metafile: true,
  });
  return metafile;
}

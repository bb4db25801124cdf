import { cpSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type BuildOptions as EsbuildOptions, type Metafile, type Plugin } from 'esbuild';
import { readAssets } from '#console/assets.ts';
import { packageFolder } from '#shared/places.ts';

/** For people's machines: readable, and with all that the packages bring along. */
const shared = {
  absWorkingDir: packageFolder,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  legalComments: 'none', // all licences go into one file
  metafile: true,
  logLevel: 'warning',
} satisfies EsbuildOptions;

/**
 * Bundles the construct into `infra/autopilot.js`: with all it needs, but for the CDK, which has to
 * be the app's own.
 */
export async function buildConstruct(outDir: string): Promise<Metafile> {
  const { metafile } = await build({
    ...shared,
    entryPoints: [join(packageFolder, 'infra', 'autopilot.ts')],
    outbase: packageFolder,
    outdir: outDir,
    external: ['aws-cdk-lib', 'constructs'],
  });
  return metafile;
}

/** Bundles the creator into one file: npm fetches it for every new stage. */
export async function buildCreator(outDir: string): Promise<void> {
  await build({
    ...shared,
    entryPoints: ['create/create.mjs'],
    outbase: packageFolder,
    outdir: outDir,
    outExtension: { '.js': '.mjs' },
  });
}

/**
 * The entries of the installed package: the command, the thread that looks at files, the CDK app, and
 * what a configuration imports.
 */
const programs = [
  'cli/autopilot.mjs',
  'operator/uploads/look-thread.ts',
  'infra/app.ts',
  'shared/config/automation.ts',
];

/**
 * What a checkout alone loads: the package has finished bundles and a finished page, and judges no
 * template (ADR 51).
 */
const ofCheckout = ['esbuild', 'cdk-nag', '@aws/cloudformation-validate'];

/**
 * Bundles the programs; what several of them need, and what is loaded only if it is asked for, lies
 * in `chunks/`.
 */
export async function buildPrograms(outDir: string): Promise<Metafile> {
  const { metafile } = await build({
    ...shared,
    entryPoints: programs,
    outbase: packageFolder,
    outdir: outDir,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunks/[name]-[hash]',
    splitting: true,
    external: ofCheckout,
    plugins: [finishedConsole, nativeFiles(outDir)],
    // CommonJS packages inside an ES module may ask for what no bundler can see.
    banner: {
      js: "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url), __dirname = import.meta.dirname, __filename = import.meta.filename;",
    },
    minify: true,
    keepNames: true, // errors and constructs are known by the names of their classes
  });
  return metafile;
}

/**
 * The page of the console is made from its sources in the repository; what ships has it finished.
 */
const finishedConsole: Plugin = {
  name: 'finished-console',
  setup(bundler) {
    bundler.onLoad({ filter: /[\\/]console[\\/]assets\.ts$/ }, async () => ({
      contents: `export const readAssets = async () => (${JSON.stringify(await readAssets())});`,
      loader: 'js',
    }));
  },
};

/** The native code of `classic-level`, from its folder. */
const prebuilds = ['linux-x64', 'linux-arm64', 'darwin-x64+arm64', 'win32-x64'].map((name) => `prebuilds/${name}`);

/** Copies native code into `files/` of the package, and has its module read it there. */
function nativeFiles(outDir: string): Plugin {
  return {
    name: 'native-files',
    setup(bundler) {
      bundler.onLoad({ filter: /[\\/]classic-level[\\/]binding\.js$/ }, ({ path }) => {
        const folder = 'files/binding';
        for (const name of prebuilds) {
          cpSync(join(dirname(path), name), join(outDir, folder, name), { recursive: true });
        }
        // Each chunk lies one folder below the package.
        const contents = readFileSync(path, 'utf8').replaceAll('__dirname', `(__dirname + '/../${folder}')`);
        return { contents, loader: 'js' };
      });
    },
  };
}

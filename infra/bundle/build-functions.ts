import { join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { functionNames } from '#shared/vocabulary/resource-names.ts';
import { leftOutPlugin } from './function-plugins.ts';
import { packageFolder } from '#shared/places.ts';
import { isBuiltin } from 'node:module';

/** What to bundle, and where to. */
export interface BuildOptions {
  /** Gets `<name>/handler.mjs` and its source map. */
  readonly outDir: string;
  /** Entry files by function name. @default functions/<name>/handler.ts of this project */
  readonly entries?: Readonly<Record<string, string>>;
}

/** What went into which bundle. */
export type { Metafile };

/**
 * Bundles every function in one call (one process for each costs five times as long). Tests, the
 * run on one machine and deployments use the same bundles.
 * @example await buildFunctions({ outDir: 'build/functions' });
 */
export async function buildFunctions({ outDir, entries = functionEntries() }: BuildOptions): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: packageFolder,
    entryPoints: Object.entries(entries).map(([name, path]) => ({ in: path, out: `${name}/handler` })),
    outdir: outDir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // Packages say "module" if they have an ES form, which can be shaken; "main" would bring their
    // CommonJS form whole.
    mainFields: ['module', 'main'],
    treeShaking: true,
    minify: true,
    // Without keepNames: a call for every function that there is took 5 % of a cold start
    // (docs/reference/performance.md). Errors say their names themselves.
    sourcemap: 'linked',
    // The map points into the sources; carrying their text as well would triple the asset.
    sourcesContent: false,
    legalComments: 'none',
    // CommonJS packages inside an ES module may ask for what no bundler can see.
    banner: { js: "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);" },
    plugins: [builtinsPlugin, leftOutPlugin],
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}

function functionEntries(): Record<string, string> {
  return Object.fromEntries(functionNames.map((name) => [name, join(packageFolder, 'functions', name, 'handler.ts')]));
}

const namespace = 'node-builtin';

/**
 * Reaches Node's own modules through `process.getBuiltinModule`. An `import … from 'node:http'` in
 * an ES module reads every export of it, lazy ones too. So it loads the HTTP client that Node
 * bundles: 47 ms of each cold start for nothing.
 */
const builtinsPlugin: Plugin = {
  name: 'builtins',
  setup(bundling) {
    bundling.onResolve({ filter: /^[a-z_/:0-9]+$/ }, ({ path }) => (isBuiltin(path) ? { path, namespace } : undefined));
    bundling.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
      loader: 'js',
    }));
  },
};

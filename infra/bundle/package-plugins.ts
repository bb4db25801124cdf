import { cpSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';
import { readAssets } from '#console/assets.ts';

/** The page of the console is made from its sources in the repository; what ships has it finished. */
export const finishedConsole: Plugin = {
  name: 'finished-console',
  setup(bundler) {
    bundler.onLoad({ filter: /[\\/]console[\\/]assets\.ts$/ }, async () => ({
      contents: `export const readAssets = async () => (${JSON.stringify(await readAssets())});`,
      loader: 'js',
    }));
  },
};

/** dynalite loads its actions by `require('./actions/' + name)`. With an extension esbuild takes in the whole folder. */
export const foundByNameOnly: Plugin = {
  name: 'found-by-name-only',
  setup(bundler) {
    bundler.onLoad({ filter: /[\\/]node_modules[\\/]dynalite[\\/](?:index|db[\\/]index)\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(
        /require\('(\.\/\w+\/)' \+ (\w+)\)/g,
        "require('$1' + $2 + '.js')",
      ),
      loader: 'js',
    }));
  },
};

/** A module that reads files which lie beside it, or have their place by it. */
interface Reader {
  /** The end of its path. */
  readonly module: RegExp;
  /** Files and folders that it reads, from its own folder. */
  readonly reads: readonly string[];
}

const readers: readonly Reader[] = [
  {
    module: /[\\/]classic-level[\\/]binding\.js$/,
    reads: ['linux-x64', 'linux-arm64', 'darwin-x64+arm64', 'win32-x64'].map((platform) => `prebuilds/${platform}`),
  },
];

/** Copies what a module reads from its own folder into `files/` of the package, and has it read there. */
export function filesBeside(outDir: string): Plugin {
  return {
    name: 'files-beside',
    setup(bundler) {
      for (const { module, reads } of readers) {
        bundler.onLoad({ filter: module }, ({ path }) => {
          const folder = `files/${basename(path, '.js')}`;
          for (const name of reads) {
            cpSync(join(dirname(path), name), join(outDir, folder, name), { recursive: true });
          }
          // Each chunk lies one folder below the package.
          const contents = readFileSync(path, 'utf8').replaceAll('__dirname', `(__dirname + '/../${folder}')`);
          return { contents, loader: 'js' };
        });
      }
    },
  };
}

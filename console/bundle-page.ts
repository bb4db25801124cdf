import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { packageFolder } from '#shared/places.ts';

/** The files of the page, as they are sent: `/`, `/app.js` and `/app.css`. */
export interface PageFiles {
  readonly html: string;
  readonly script: string;
  readonly style: string;
}

const folder = join(packageFolder, 'console', 'page');

/**
 * Bundles the page in memory, once for each start of the console. Nothing is written to disk and no file of `page/` is ever run by Node, which
 * strips types but not JSX. The settings for JSX stand here too: without them esbuild would build calls of React and fail only in the browser.
 */
export async function bundlePage(): Promise<PageFiles> {
  const [html, { outputFiles }] = await Promise.all([readFile(join(folder, 'index.html'), 'utf8'), buildPage()]);
  const output = (end: string) => {
    const file = outputFiles.find(({ path }) => path.endsWith(end));
    if (file === undefined) throw new Error(`esbuild made no ${end} of the console's page`);
    return file.text;
  };
  return { html, script: output('.js'), style: output('.css') };
}

/** What goes into the page: a package that ships the page passes the licences on. */
export async function pageMetafile(): Promise<Metafile> {
  return (await buildPage()).metafile;
}

async function buildPage() {
  return build({
    absWorkingDir: packageFolder,
    entryPoints: [join(folder, 'main.tsx'), join(folder, 'style.css')],
    outdir: folder,
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfigRaw: {},
    logLevel: 'silent',
  });
}

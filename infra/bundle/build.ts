/** `npm run build`: bundles every function into build/functions and says how large each is. */
import { join, relative } from 'node:path';
import { buildFunctions, projectRoot } from './build-functions.ts';

const outDir = join(projectRoot, 'build', 'functions');
const { metafile } = await buildFunctions({ outDir });

for (const [file, { bytes }] of Object.entries(metafile.outputs)) {
  if (file.endsWith('.mjs'))
    console.log(`${String(Math.round(bytes / 1000)).padStart(5)} kB  ${relative('', join(projectRoot, file))}`);
}

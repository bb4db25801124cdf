/** `npm run build`: bundles every function into build/functions and says how large each is. */
import { join, relative } from 'node:path';
import { buildFunctions } from './build-functions.ts';
import { packageFolder } from '#shared/places.ts';

const outDir = join(packageFolder, 'build', 'functions');
const { outputs } = await buildFunctions({ outDir });

for (const [file, { bytes }] of Object.entries(outputs)) {
  if (file.endsWith('.mjs'))
    console.log(`${String(Math.round(bytes / 1000)).padStart(5)} kB  ${relative('', join(packageFolder, file))}`);
}

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildFunctions } from '#infra/bundle/build-functions.ts';
import { functionNames } from '#shared/vocabulary/resource-names.ts';
import type { BenchRow, Figure } from '../bench-row.ts';
import { buildTypical } from '../peers/build-typical.ts';
import { unexpectedInputs } from './unexpected-inputs.ts';

/**
 * What the typical build was when the bar was set (with undici 7). A newer undici has made it
 * larger: that is no merit of ours.
 */
export const typicalBytesOfBar = 945_000;

/** Sizes of what is uploaded, and what is in there. */
export const bundles: BenchRow = {
  id: 'bundles',
  title: 'bundle of each function',
  peer: 'the typical build, 945 KB at most',
  isNoiseFree: true,
  async measure() {
    const outDir = await mkdtemp(join(tmpdir(), 'autopilot-bench-'));
    try {
      const { metafile } = await buildFunctions({ outDir });
      const typical = await buildTypical(outDir);
      const peerBytes = Math.min(typical.bytes, typicalBytesOfBar);
      const outputs = Object.entries(metafile.outputs);
      const figures: Figure[] = [];
      const found: string[] = [];
      for (const name of functionNames) {
        const output = outputs.find(([file]) => file.endsWith(`${name}/handler.mjs`))?.[1];
        if (output === undefined) throw new Error(`${name} was not built`);
        const detail = `${kilobytes(output.bytes)} of ${kilobytes(peerBytes)}`;
        figures.push({ name, value: output.bytes / peerBytes, unit: '×', bar: 1, detail });
        const code = await readFile(join(outDir, name, 'handler.mjs'), 'utf8');
        found.push(...unexpectedInputs({ ...output, code }).map((what) => `${name}: ${what}`));
      }
      const detail =
        found.length === 0 ? 'locales, HTTP/2, a second parser or client, ESM imports of builtins' : found.join('; ');
      figures.push({ name: 'unexpected inputs', value: found.length, unit: 'inputs', bar: 0, detail });
      return { figures, notes: [`typical build of this run: ${kilobytes(typical.bytes)}`] };
    } finally {
      await rm(outDir, { recursive: true, force: true });
    }
  },
};

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1000)} KB`;
}

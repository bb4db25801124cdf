import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildFunctions } from '#infra/bundle/build-functions.ts';
import { functionNames } from '#shared/vocabulary/resource-names.ts';
import type { BenchRow } from '../bench-row.ts';
import { buildTypical } from '../peers/build-typical.ts';

/**
 * What the typical build was when the bar was set (with undici 7). A newer undici has made it
 * larger: that is no merit of ours.
 */
export const typicalBytesOfBar = 945_000;

/** Sizes of what is uploaded; test/infra/bundle looks at what is in there. */
export const bundles: BenchRow = {
  id: 'bundles',
  title: 'bundle of each function',
  peer: 'the typical build, 945 KB at most',
  isNoiseFree: true,
  async measure() {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'autopilot-bench-'));
    const metafile = await buildFunctions({ outDir: folder.path });
    const typical = await buildTypical(folder.path);
    const peerBytes = Math.min(typical.bytes, typicalBytesOfBar);
    const figures = functionNames.map((name) => {
      const output = Object.entries(metafile.outputs).find(([file]) => file.endsWith(`${name}/handler.mjs`))?.[1];
      if (output === undefined) throw new Error(`${name} was not built`);
      const detail = `${kilobytes(output.bytes)} of ${kilobytes(peerBytes)}`;
      return { name, value: output.bytes / peerBytes, unit: '×', bar: 1, detail };
    });
    return { figures, notes: [`typical build of this run: ${kilobytes(typical.bytes)}`] };
  },
};

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1000)} KB`;
}

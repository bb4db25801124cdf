import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '#shared/places.ts';

/** Where and with what something was measured. */
export interface Machine {
  /** `2 × AMD EPYC, 7.8 GB, linux x64, Node v24.21.0, undici 8.12.4, load 3.1`. */
  readonly sentence: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
}

/** This machine now. */
export function machineOf(): Machine {
  const [cpu] = cpus();
  const model = cpu?.model.trim() ?? 'processor unknown';
  const memory = `${(totalmem() / 2 ** 30).toFixed(1)} GB`;
  const place = `${availableParallelism()} × ${model}, ${memory}, ${process.platform} ${process.arch}`;
  const versions = `Node ${process.version}, undici ${versionOf('undici')}, zod ${versionOf('zod')}`;
  const load = loadavg()[0] ?? 0;
  return { sentence: `${place}, ${versions}, load ${load.toFixed(1)}`, date: new Date().toISOString().slice(0, 10) };
}

function versionOf(name: string): string {
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'node_modules', name, 'package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}

/**
 * Lives the week at a stage of the product in a folder, and packs the state that it leaves and its sources: `npm run upgrade:state`, at the tag of each minor
 * version. A later version takes the state over in `test/integration/upgrades/`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { keepSources, releasedFolder } from '#infra/release/released-sources.ts';
import { startStageOf } from '../integration/stage/harness/stage-process.ts';
import { liveTheWeek, setClock, weekBegin, writeWeeksAutomation } from './week.ts';

const productDir = resolve(process.argv[2] ?? '.');
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(productDir, 'package.json'), 'utf8')));

const scratch = mkdtempSync(join(tmpdir(), 'autopilot-week-'));
try {
  const dataDir = join(scratch, 'state');
  const config = writeWeeksAutomation(scratch);
  const fresh = await startStageOf(productDir, dataDir, '--config', config);
  await fresh.end('SIGINT'); // only a stage makes its folder
  setClock(dataDir, weekBegin);
  const stage = await startStageOf(productDir, dataDir, '--config', config);
  try {
    await liveTheWeek(stage, scratch);
    process.stdout.write(`${(await stage.autopilot('status')).stdout}\n`);
  } catch (error) {
    process.stderr.write(stage.output());
    throw error;
  } finally {
    await stage.end('SIGINT');
  }
  const packed = join(releasedFolder, `${version}.tar.gz`);
  // Each start makes its bundles and its key again.
  const left = ['build', 'cdk.out', 'credentials'].map((name) => `--exclude=state/${name}`);
  execFileSync('tar', ['-czf', packed, ...left, '-C', scratch, 'state', 'automation.config.mjs']);
  keepSources(productDir, version);
  process.stdout.write(`${packed}\n`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

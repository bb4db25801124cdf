import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AutomationDocument } from '#shared/config/automation.ts';

/** The embedded gateway; the stage puts its address there. */
const gateway = {
  baseUrl: 'http://127.0.0.1:1',
  status: { start: 'running', stop: 'stopped' },
  requestsPerSecond: { datasets: 20, runs: 10, reads: 10 },
};

/** Writes a configuration of the stage `local` into a folder; its path. */
export function writeAutomation(folder: string, automation: Omit<AutomationDocument, 'gateway'>): string {
  const path = join(folder, 'automation.config.mjs');
  writeFileSync(path, `export default ${JSON.stringify({ local: { gateway, ...automation } })};\n`);
  return path;
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { usualGatewayUrl } from '#shared/places.ts';
import type { AutomationDocument, GatewayDocument } from '#shared/config/automation.ts';

/** The stage puts the address of its gateway there; another one than this would be a warning. */
const usualGateway: GatewayDocument = {
  baseUrl: usualGatewayUrl,
  requestsPerSecond: { datasets: 20, runs: 10, reads: 10 },
};

/** A configuration, of whose gateway only what matters to the test is said. */
export type TestedAutomation = Omit<AutomationDocument, 'gateway'> & { readonly gateway?: Partial<GatewayDocument> };

/** Writes a configuration of the stage `local` into a folder; its path. */
export function writeAutomation(folder: string, { gateway, ...automation }: TestedAutomation): string {
  const path = join(folder, 'automation.config.mjs');
  const local = { ...automation, gateway: { ...usualGateway, ...gateway } };
  writeFileSync(path, `export default ${JSON.stringify({ local })};\n`);
  return path;
}

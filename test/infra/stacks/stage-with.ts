import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AutomationDocument } from '#shared/config/automation.ts';
import type { Deployment } from '#shared/config/automation.ts';
import { validDocument } from '../../unit/shared/config/document.ts';
import { type Configuration, onceFor, type StageTemplates, synthesizeAnew } from '../template.ts';

/** What a test changes about a complete document. */
export interface Changes extends Partial<Omit<AutomationDocument, 'gateway' | 'deployment'>> {
  readonly gateway?: Partial<AutomationDocument['gateway']>;
  readonly deployment?: Deployment;
}

/** The certificate of a private authority, where a configuration file of these tests finds it. */
export const caBundle = './certs/internal-ca.pem';

/** Synthesizes a complete document with changes as the app does. */
export async function stageWith(changes: Changes, stage: string): Promise<StageTemplates> {
  return onceFor(JSON.stringify([changes, stage]), async () => withDocument(changes, stage, synthesizeAnew));
}

/**
 * Writes a complete document with changes into a configuration file, with the certificates beside
 * it, and takes it away after its use.
 */
export async function withDocument<Result>(
  changes: Changes,
  stage: string,
  use: (configuration: Configuration) => Promise<Result>,
): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'autopilot-config-'));
  try {
    await mkdir(join(directory, 'certs'));
    await copyFile(join(import.meta.dirname, '../fixtures/internal-ca.pem'), join(directory, caBundle));
    const whole = validDocument();
    const document = { ...whole, ...changes, gateway: { ...whole.gateway, ...changes.gateway } };
    const configPath = join(directory, 'automation.config.mjs');
    await writeFile(configPath, `export default ${JSON.stringify({ [stage]: document })};\n`);
    return await use({ configPath, stage });
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** How the resources of two templates differ, by logical id. */
export interface ResourceChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** Compares what two stages deploy; the ids of both stacks together. */
export function changesBetween(before: StageTemplates, after: StageTemplates): ResourceChanges {
  const [old, young] = [before, after].map(({ state, workers }) => ({ ...state.resources, ...workers.resources }));
  const ids = Object.keys({ ...old, ...young }).toSorted();
  const text = (resources: typeof old, id: string) => JSON.stringify(resources?.[id]);
  return {
    added: ids.filter((id) => text(old, id) === undefined),
    removed: ids.filter((id) => text(young, id) === undefined),
    changed: ids.filter(
      (id) => text(old, id) !== undefined && text(young, id) !== undefined && text(old, id) !== text(young, id),
    ),
  };
}

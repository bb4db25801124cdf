/** Writes a cloud assembly by hand, as `cdk synth` would leave it, so that tests need no CDK. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ResolvedAssembly } from '#local/template/cloud-assembly.ts';
import type { JsonObject } from '#local/template/json.ts';
import { readAssembly } from '#local/template/read-assembly.ts';
import type { ReadAssemblyOptions } from '#local/template/read-assembly.ts';

/** Templates by stack name. */
export type Templates = Readonly<Record<string, JsonObject>>;

/**
 * Writes the assembly into a new folder; its path. Each `assets` entry maps an object key to a path
 * in the folder.
 */
export function writeAssembly(templates: Templates, assets: Readonly<Record<string, string>> = {}): string {
  const directory = mkdtempSync(join(tmpdir(), 'assembly-'));
  const artifacts: JsonObject = { Tree: { type: 'cdk:tree', properties: { file: 'tree.json' } } };
  for (const [stackName, template] of Object.entries(templates)) {
    const templateFile = `${stackName}.template.json`;
    writeFileSync(join(directory, templateFile), JSON.stringify(template));
    artifacts[`${stackName}Artifact`] = { type: 'aws:cloudformation:stack', properties: { templateFile, stackName } };
  }
  const files: JsonObject = {};
  for (const [objectKey, path] of Object.entries(assets))
    files[objectKey] = { source: { path, packaging: 'zip' }, destinations: { 'current_account-1': { objectKey } } };
  writeFileSync(join(directory, 'App.assets.json'), JSON.stringify({ version: '48.0.0', files }));
  artifacts['App.assets'] = { type: 'cdk:asset-manifest', properties: { file: 'App.assets.json' } };
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify({ version: '48.0.0', artifacts }));
  return directory;
}

/** Writes an assembly, reads it as the runner does, and leaves nothing behind. */
export function assemblyOf(templates: Templates, options?: ReadAssemblyOptions): ResolvedAssembly {
  const directory = writeAssembly(templates);
  try {
    return readAssembly(directory, options);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

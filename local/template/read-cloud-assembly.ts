/** Reads the files of a `cdk.out` directory: the manifest, each stack's template, each stack's asset list. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asObject, asText, parseJsonObject } from './json.ts';
import type { JsonObject } from './json.ts';

/** One stack as synthesized, nothing resolved yet. */
export interface StackTemplate {
  readonly stackName: string;
  readonly template: JsonObject;
}

/** A cloud assembly as synthesized. */
export interface CloudAssembly {
  readonly stacks: readonly StackTemplate[];
  /** Absolute paths by object key. */
  readonly assets: ReadonlyMap<string, string>;
}

/** Reads a cloud assembly, nested ones (CDK stages) included. */
export function readCloudAssembly(directory: string): CloudAssembly {
  const stacks: StackTemplate[] = [];
  const assets = new Map<string, string>();
  const manifest = readJson(directory, 'manifest.json');
  for (const [id, value] of Object.entries(asObject(manifest['artifacts']))) {
    const artifact = asObject(value);
    const properties = asObject(artifact['properties']);
    switch (artifact['type']) {
      case 'aws:cloudformation:stack': {
        const template = readJson(directory, requiredText(properties, 'templateFile', id));
        stacks.push({ stackName: asText(properties['stackName']) ?? id, template });
        break;
      }
      case 'cdk:asset-manifest':
        collectAssets(directory, requiredText(properties, 'file', id), assets);
        break;
      case 'cdk:cloud-assembly': {
        const nested = readCloudAssembly(join(directory, requiredText(properties, 'directoryName', id)));
        stacks.push(...nested.stacks);
        for (const [key, path] of nested.assets) assets.set(key, path);
        break;
      }
      default: // the construct tree, feature flag reports: nothing that is deployed
    }
  }
  return { stacks, assets };
}

function collectAssets(directory: string, file: string, assets: Map<string, string>): void {
  for (const value of Object.values(asObject(readJson(directory, file)['files']))) {
    const asset = asObject(value);
    const path = asText(asObject(asset['source'])['path']);
    if (path === undefined) continue;
    for (const destination of Object.values(asObject(asset['destinations']))) {
      const key = asText(asObject(destination)['objectKey']);
      if (key !== undefined) assets.set(key, join(directory, path));
    }
  }
}

function readJson(directory: string, file: string): JsonObject {
  const path = join(directory, file);
  try {
    return parseJsonObject(readFileSync(path, 'utf8'), path);
  } catch (error) {
    throw new Error(`could not read ${path}: is it a synthesized cloud assembly?`, { cause: error });
  }
}

function requiredText(properties: JsonObject, key: string, artifact: string): string {
  const text = asText(properties[key]);
  if (text === undefined) throw new Error(`artifact ${artifact} of the cloud assembly names no ${key}`);
  return text;
}

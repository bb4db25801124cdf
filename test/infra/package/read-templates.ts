import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What an assembly deploys, by the names of its stacks. */
export type Assembly = Readonly<Record<string, { readonly template: unknown; readonly isProtected: boolean }>>;

/** Reads the stacks of an assembly. */
export function readTemplates(directory: string): Assembly {
  const read = (file: string) => JSON.parse(readFileSync(join(directory, file), 'utf8'));
  const artifacts: Readonly<Record<string, StackArtifact>> = read('manifest.json').artifacts;
  const stacks = Object.entries(artifacts).filter(([, { type }]) => type === 'aws:cloudformation:stack');
  return Object.fromEntries(
    stacks
      .map(([id, { properties }]) => {
        const isProtected = properties.terminationProtection ?? false;
        return [properties.stackName ?? id, { template: read(properties.templateFile), isProtected }] as const;
      })
      .toSorted(([a], [b]) => a.localeCompare(b)),
  );
}

interface StackArtifact {
  readonly type: string;
  readonly properties: {
    readonly templateFile: string;
    readonly stackName?: string;
    readonly terminationProtection?: boolean;
  };
}

import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { build, type Plugin } from 'esbuild';
import { expect, test } from 'vitest';
import { packageFolder } from '#shared/places.ts';
import { condensePlugin } from '#infra/bundle/function-plugins.ts';

/**
 * What a file of a package exports, bundled with these plugins, as text: schemas hold each other,
 * and functions.
 */
async function exportsOf(file: string, plugins: readonly Plugin[]): Promise<string> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'autopilot-condense-'));
  const outfile = join(folder.path, 'bundle.mjs');
  const entry = join(packageFolder, 'node_modules', file);
  await build({ entryPoints: [entry], outfile, bundle: true, format: 'esm', platform: 'node', plugins: [...plugins] });
  const exported: object = await import(pathToFileURL(outfile).href);
  const text = inspect({ ...exported }, { depth: 12, maxArrayLength: null, maxStringLength: null, sorted: true });
  // The classes of errors are condensed too, and have no names of their own then.
  return text.replaceAll(/\[class [^\]]*\]/g, '[class]');
}

test.each(['s3', 'dynamodb', 'sqs', 'secrets-manager', 'eventbridge'])(
  'the schemas of the client of %s say what they say in the package',
  async (client) => {
    const file = `@aws-sdk/client-${client}/dist-es/schemas/schemas_0.js`;

    const inPackage = await exportsOf(file, []);

    expect(inPackage.length).toBeGreaterThan(5000);
    expect(await exportsOf(file, [condensePlugin])).toBe(inPackage);
  },
);

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuiltFunctions, projectRoot } from '../bundle/build-functions.ts';

/** What esbuild says went into a bundle. */
type Metafile = BuiltFunctions['metafile'];

/** The folders of the packages whose code is part of a bundle. */
function packagesIn(metafiles: readonly Metafile[]): string[] {
  const carried = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .flatMap(([path]) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []);
  return [...new Set(carried)].toSorted();
}

/** What the licences of bundled packages ask to be passed on: their texts, each once, below the packages that it is of. */
export function thirdPartyLicences(metafiles: readonly Metafile[]): string {
  const packages = packagesIn(metafiles).map((folder) => {
    const { name, version, license }: Record<string, unknown> = JSON.parse(
      readFileSync(join(projectRoot, folder, 'package.json'), 'utf8'),
    );
    return { title: `${String(name)} ${String(version)} (${String(license)})`, text: licenceText(folder) };
  });
  return [...Map.groupBy(packages, ({ text }) => text)]
    .map(([text, its]) => `${its.map(({ title }) => title).join('\n')}\n\n${text}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

function licenceText(folder: string): string {
  const path = join(projectRoot, folder);
  const files = existsSync(path)
    ? readdirSync(path).filter((file) => /^(?:licen[cs]e|copying|notice)\b/i.test(file))
    : [];
  if (files.length === 0) return 'Its package holds no text of a licence.';
  return files.map((file) => readFileSync(join(path, file), 'utf8').trim()).join('\n\n');
}

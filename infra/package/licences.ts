import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { packageFolder } from '#shared/places.ts';
import type { Metafile } from '../bundle/build-functions.ts';

/** A package whose code is part of a bundle. */
interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** Its name in the list of SPDX: `MIT`. */
  readonly license: string;
  /** From the project. */
  readonly folder: string;
}

/** The packages whose code is part of the bundles, each once. */
function bundledPackages(metafiles: readonly Metafile[]): readonly BundledPackage[] {
  const carried = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .flatMap(([path]) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []);
  return [...new Set(carried)].toSorted().map((folder) => {
    const { name, version, license } = manifestOf(folder);
    return { name, version, license: typeof license === 'string' ? license : license.type, folder };
  });
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  /** Old packages name it in an object. */
  readonly license: string | { readonly type: string };
  readonly author?: string | { readonly name: string };
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(packageFolder, folder, 'package.json'), 'utf8'));
}

/** What the licences of bundled packages ask to be passed on: their texts, each once, below the packages that it is of. */
export function thirdPartyLicences(metafiles: readonly Metafile[]): string {
  const packages = bundledPackages(metafiles).map((bundled) => ({
    title: `${bundled.name} ${bundled.version} (${bundled.license})`,
    text: licenceText(bundled),
  }));
  return [...Map.groupBy(packages, ({ text }) => text)]
    .map(([text, its]) => `${its.map(({ title }) => title).join('\n')}\n\n${text}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** @throws Error if the package holds no text, and its licence is not one whose text is known here */
function licenceText({ folder, name, license }: BundledPackage): string {
  const path = join(packageFolder, folder);
  // What is compiled into native code lies in folders of its own.
  const files = readdirSync(path, { recursive: existsSync(join(path, 'binding.gyp')), encoding: 'utf8' }).filter(
    (file) => /^(?:licen[cs]e|copying|notice)\b/i.test(basename(file)),
  );
  if (files.length > 0) return files.map((file) => readFileSync(join(path, file), 'utf8').trim()).join('\n\n');
  const { author = `the authors of ${name}` } = manifestOf(folder);
  if (license === 'MIT') return mitText(typeof author === 'string' ? author : author.name);
  if (license === 'Apache-2.0') return apacheText();
  throw new Error(`${name} holds no text of its licence ${license}: infra/package/licences.ts needs one`);
}

/** The text of SPDX, for packages that name the licence without it. */
function mitText(holder: string): string {
  const [, text = ''] = readFileSync(join(packageFolder, 'LICENSE'), 'utf8').split(/^Copyright .*$/m);
  return `MIT License\n\nCopyright (c) ${holder}\n\n${text.trim()}`;
}

/** By a package that is bundled and has it. */
function apacheText(): string {
  return readFileSync(join(packageFolder, 'node_modules', '@aws-sdk', 'client-s3', 'LICENSE'), 'utf8').trim();
}

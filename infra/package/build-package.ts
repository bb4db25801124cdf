import { chmod, copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { pageMetafile } from '#console/bundle-page.ts';
import { functionNames } from '#shared/vocabulary/resource-names.ts';
import { buildFunctions } from '../bundle/build-functions.ts';
import { packageFolder } from '#shared/places.ts';
import { copied } from '#create/stage-folder.ts';
import { buildConstruct, buildCreator, buildPrograms } from '../bundle/build-library.ts';
import { documentFile, flatDeclarations } from './document-types.ts';
import { thirdPartyLicences } from './licences.ts';
import { creatorManifest, docPages, packageManifest } from './manifests.ts';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';

/**
 * Lays out the installed product: the command with all its programs, and the bundles of the
 * functions. It also has the construct for people with a CDK app of their own. Paths are those of
 * the sources, so that one file finds the other as it does here.
 * @param options.bundlesDir - the folder in which the functions are bundled first: their source
 *   maps, and so their bytes, depend on its depth
 */
export async function buildPackage(options: { readonly outDir: string; readonly bundlesDir: string }): Promise<void> {
  const { outDir, bundlesDir } = options;
  for (const folder of [outDir, bundlesDir]) await rm(folder, { recursive: true, force: true });
  await mkdir(outDir, { recursive: true });
  const [page, functions, construct, command] = await Promise.all([
    pageMetafile(),
    buildFunctions({ outDir: bundlesDir }),
    buildConstruct(outDir),
    buildPrograms(outDir),
    writeDeclarations('infra/autopilot.ts', outDir),
  ]);
  for (const name of functionNames) {
    await cp(join(bundlesDir, name), join(outDir, 'build', 'functions', name), { recursive: true });
  }
  const licences = thirdPartyLicences([page, functions, construct, command]);
  await writeFile(join(outDir, 'THIRD-PARTY-LICENCES.txt'), licences);
  await writeFile(join(outDir, 'package.json'), `${JSON.stringify(packageManifest(), undefined, 2)}\n`);
  for (const path of asTheyAre) await cp(join(packageFolder, path), join(outDir, path), { recursive: true });
  await copyPages(outDir);
  for (const name of ['LICENSE', 'CHANGELOG.md']) await copyFile(join(packageFolder, name), join(outDir, name));
  await copyFile(join(packageFolder, 'infra', 'package', 'README.md'), join(outDir, 'README.md'));
  await setModes(outDir);
}

/**
 * Lays out `create-gateway-autopilot`, which makes the folder of a new stage as \`autopilot init\` does, without the product.
 */
export async function buildCreatorPackage(outDir: string): Promise<void> {
  await rm(outDir, { recursive: true, force: true });
  await mkdir(outDir, { recursive: true });
  await buildCreator(outDir);
  for (const path of Object.values(copied))
    await cp(join(packageFolder, path), join(outDir, path), { recursive: true });
  await writeFile(join(outDir, 'package.json'), `${JSON.stringify(creatorManifest(), undefined, 2)}\n`);
  await copyFile(join(packageFolder, 'LICENSE'), join(outDir, 'LICENSE'));
  await setModes(outDir);
}

/** Copies the pages of the guides. A link to what the package does not have becomes its words: a reader there cannot follow it. */
async function copyPages(outDir: string): Promise<void> {
  for (const page of docPages) {
    const text = await readFile(join(packageFolder, 'docs', page), 'utf8');
    const linked = text.replaceAll(
      /\[([^\]]+)\]\((?!https?:|#)([^)#\s]+)[^)\s]*\)/g,
      (link, words: string, target: string) =>
        docPages.includes(posix.join(posix.dirname(page), target)) ? link : words,
    );
    await mkdir(dirname(join(outDir, 'docs', page)), { recursive: true });
    await writeFile(join(outDir, 'docs', page), linked);
  }
}

/** The modes of an archive are part of its digest: by themselves they follow the umask of the person who packs. */
async function setModes(outDir: string): Promise<void> {
  for (const entry of await readdir(outDir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) await chmod(path, bins.some((bin) => path === join(outDir, bin)) ? 0o755 : 0o644);
  }
}

/** What a shell runs by its name. */
const bins = ['cli/autopilot.mjs', 'create/create.mjs'];

/** What is not bundled: what a process of its own begins with, the files of a new stage. */
const asTheyAre = [
  ...Object.values(copied),
  'infra/construct.mjs',
  'shared/require-node.mjs',
  'shared/private-folder.mjs',
  'local/clock/preload.mjs',
  'local/clock/moved-date.mjs',
  ...['child', 'child-handler'].map((name) => `local/lambda/${name}.mjs`),
];

/** A module of the project that a declaration names: by its source, which the compiler takes for the declaration beside it. */
const ownModule = /(?<=\bfrom\s+['"]|\bimport\(['"])[.#][^'"]+\.ts(?=['"])/g;

/**
 * Writes the declarations of a source file and of those that it leads to. Everything else that the
 * compiler declares stays hidden from the package's people.
 */
async function writeDeclarations(entry: string, outDir: string): Promise<void> {
  const declared = await mkdtemp(join(tmpdir(), 'autopilot-declarations-'));
  try {
    const compiler = join(packageFolder, 'node_modules', 'typescript', 'bin', 'tsc');
    const project = join(packageFolder, 'infra', 'package', 'tsconfig.json');
    await promisify(execFile)(process.execPath, [compiler, '--project', project, '--outDir', declared]);
    const document = join(declared, documentFile.replace(/\.ts$/, '.d.ts'));
    await writeFile(document, flatDeclarations(await readFile(document, 'utf8')));
    await copyReached(entry, { from: declared, to: outDir });
  } finally {
    await rm(declared, { recursive: true });
  }
}

async function copyReached(entry: string, { from, to }: { from: string; to: string }): Promise<void> {
  const reached = new Set([entry]);
  for (const source of reached) {
    const file = source.replace(/\.ts$/, '.d.ts');
    const text = await readFile(join(from, file), 'utf8');
    // The package does not have the project's names of rooms (`#shared/…`).
    const declaration = text.replaceAll(ownModule, (module) => {
      const target = module.startsWith('#') ? module.slice(1) : posix.join(posix.dirname(source), module);
      reached.add(target);
      const path = posix.relative(posix.dirname(source), target);
      return path.startsWith('.') ? path : `./${path}`;
    });
    await mkdir(dirname(join(to, file)), { recursive: true });
    await writeFile(join(to, file), declaration);
  }
}

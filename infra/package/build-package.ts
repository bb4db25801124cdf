import { copyFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import { pageMetafile } from '#console/bundle-page.ts';
import { functionNames } from '#shared/vocabulary/resource-names.ts';
import { buildFunctions, type BuiltFunctions } from '../bundle/build-functions.ts';
import { docPages, packageFolder } from '#shared/places.ts';
import { copied } from '#create/stage-folder.ts';
import { buildConstruct, buildCreator, buildPrograms } from '../bundle/build-library.ts';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';

/**
 * Lays out the installed product: the command with all its programs, the bundles of the functions, and the construct for people with a CDK app
 * of their own. Paths are those of the sources, so that one file finds the other as it does here.
 * @param options.bundlesDir - where the functions are bundled first: their source maps, and so their bytes, depend on how deep it lies
 */
export async function buildPackage(options: { readonly outDir: string; readonly bundlesDir: string }): Promise<void> {
  const { outDir, bundlesDir } = options;
  await rm(outDir, { recursive: true, force: true });
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
  const licences = thirdPartyLicences([page, functions.metafile, construct, command]);
  await writeFile(join(outDir, 'THIRD-PARTY-LICENCES.txt'), licences);
  await writeFile(join(outDir, 'package.json'), `${JSON.stringify(packageManifest(), undefined, 2)}\n`);
  for (const path of asTheyAre) await cp(join(packageFolder, path), join(outDir, path), { recursive: true });
  await copyFile(join(packageFolder, 'LICENSE'), join(outDir, 'LICENSE'));
  await copyFile(join(packageFolder, 'infra', 'package', 'README.md'), join(outDir, 'README.md'));
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
  const { name, version, description, license } = packageManifest();
  const manifest = {
    name: `create-${String(name)}`,
    version,
    description,
    license,
    type: 'module',
    engines: { node: '>=24' },
    bin: { [`create-${String(name)}`]: 'create/create.mjs' },
  };
  await writeFile(join(outDir, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await copyFile(join(packageFolder, 'LICENSE'), join(outDir, 'LICENSE'));
}

/** What is not bundled: what a process of its own begins with, the files of a new stage, and pages. */
const asTheyAre = [
  ...Object.values(copied),
  ...docPages.map((name) => `docs/${name}`),
  'shared/require-node.mjs',
  'shared/private-folder.mjs',
  'local/clock/preload.mjs',
  'local/clock/moved-date.mjs',
  ...['child', 'child-error', 'child-handler'].map((name) => `local/lambda/process/${name}.mjs`),
];

/**
 * The package.json of what ships. Not the project's own: everything is bundled but the CDK's command line. An app of other people brings its
 * own CDK library for the construct (two libraries make two kinds of constructs); npm installs no peer that is optional.
 */
export function packageManifest(): Record<string, unknown> {
  const project = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
  const { name, version, description, license, dependencies, devDependencies } = project;
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    engines: { node: '>=24' },
    // The second name is the one for npx outside of a folder: another package is called autopilot.
    bin: { autopilot: 'cli/autopilot.mjs', 'gateway-autopilot': 'cli/autopilot.mjs' },
    types: './infra/autopilot.d.ts', // for editors that do not read exports
    exports: {
      '.': { types: './infra/autopilot.d.ts', default: './infra/autopilot.js' },
      './config': { types: './shared/config/automation.d.ts', default: './shared/config/automation.mjs' },
      './package.json': './package.json',
    },
    dependencies: { 'aws-cdk': devDependencies['aws-cdk'] },
    peerDependencies: {
      'aws-cdk-lib': `^${dependencies['aws-cdk-lib']}`,
      constructs: `^${dependencies.constructs}`,
    },
    peerDependenciesMeta: { 'aws-cdk-lib': { optional: true }, constructs: { optional: true } },
  };
}

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
      readFileSync(join(packageFolder, folder, 'package.json'), 'utf8'),
    );
    return { title: `${String(name)} ${String(version)} (${String(license)})`, text: licenceText(folder) };
  });
  return [...Map.groupBy(packages, ({ text }) => text)]
    .map(([text, its]) => `${its.map(({ title }) => title).join('\n')}\n\n${text}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

const noText = 'Its package holds no text of a licence.';

function licenceText(folder: string): string {
  const path = join(packageFolder, folder);
  if (!existsSync(path)) return noText;
  // What is compiled into native code lies in folders of its own.
  const files = readdirSync(path, { recursive: existsSync(join(path, 'binding.gyp')), encoding: 'utf8' }).filter(
    (file) => /^(?:licen[cs]e|copying|notice)\b/i.test(basename(file)),
  );
  if (files.length === 0) return noText;
  return files.map((file) => readFileSync(join(path, file), 'utf8').trim()).join('\n\n');
}

/** A module of the project that a declaration names: by its source, which the compiler takes for the declaration beside it. */
const ownModule = /(?<=\bfrom\s+['"]|\bimport\(['"])[.#][^'"]+\.ts(?=['"])/g;

/**
 * Writes the declarations of a source file and of those that it leads to: of everything else that the compiler declares, the package's people
 * see nothing.
 */
export async function writeDeclarations(entry: string, outDir: string): Promise<void> {
  const declared = await mkdtemp(join(tmpdir(), 'autopilot-declarations-'));
  try {
    const compiler = join(packageFolder, 'node_modules', 'typescript', 'bin', 'tsc');
    const project = join(packageFolder, 'infra', 'package', 'tsconfig.json');
    await promisify(execFile)(process.execPath, [compiler, '--project', project, '--outDir', declared]);
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

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { readSources } from '../unit/architecture/read-imports.ts';
import { projectPaths, readProject } from '../unit/architecture/read-project.ts';
import { documentsByHand } from './documents.ts';
import { circles, fullFolders, lengthBars, lengths, repeatedNames, sizes } from './figures.ts';
import { filesOfPath } from './function-path.ts';
import { type PathName, pathNames } from './path-subject.ts';

const help = `npm run house -- [--all] [--path NAME]

Counts what makes the code easy or hard to take over: sizes, full folders, short and long files, circles of files and
folders, exported names that live in several files, words of documents written by hand, and the paths of a start, an
upload and a poll.

  --all        print each finding, and the files of each path
  --path NAME  only that path: start, upload or poll
  --help       this text`;

const root = join(import.meta.dirname, '..', '..');

async function main(options: { readonly all: boolean; readonly path?: string | undefined }): Promise<void> {
  if (options.path !== undefined) return printPath(pathNamed(options.path), options);
  const [paths, sources] = await Promise.all([projectPaths(root), readProject(root)]);
  const { product, tests } = sizes(sources);
  const imports = (await readSources(sources)).flatMap((file) => file.imports);
  const found = (what: string, findings: readonly string[]): void => {
    say(`${what}: ${findings.length}`);
    if (options.all) for (const finding of findings) say(`  ${finding}`);
  };
  say(`product: ${product.files} files, ${product.lines} lines`);
  say(`tests: ${tests.files} files, ${tests.lines} lines`);
  found('folders with more than 15 files (docs/adr and the field cases excepted)', fullFolders(paths));
  for (const kind of ['product', 'tests'] as const) {
    const [long, longest] = lengthBars[kind];
    const { short, long: longFiles, longest: longestFiles } = lengths(sources, kind);
    say(`${kind}: files under 40 lines: ${short}; over ${long}: ${longFiles}`);
    found(`${kind}: files over ${longest} lines`, longestFiles);
  }
  found('circles of files and folders', circles(imports));
  found('exported names that live in several files', repeatedNames(sources));
  const { words, documents } = await documentsByHand(root, paths);
  say(`words of documents by hand: ${words}`);
  if (options.all) for (const document of documents) say(`  ${document}`);
  for (const name of pathNames) await inOwnProcess(name, options);
}

async function printPath(name: PathName, { all }: { readonly all: boolean }): Promise<void> {
  const files = await filesOfPath(root, name);
  say(`path of one ${name}: ${files.length} files`);
  if (all) for (const file of files) say(`  ${file}`);
}

/** A function reads its environment and its configuration once in a process. */
async function inOwnProcess(name: PathName, { all }: { readonly all: boolean }): Promise<void> {
  const args = [import.meta.filename, '--path', name, ...(all ? ['--all'] : [])];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  process.stdout.write(stdout);
}

function pathNamed(text: string): PathName {
  const name = pathNames.find((known) => known === text);
  if (name === undefined) throw new Error(`--path ${text} is none of ${pathNames.join(', ')}`);
  return name;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

const { values } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    path: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) say(help);
else await main(values);

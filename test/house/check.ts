/**
 * `npm run check -- house`: the words, sentences and figures of the house style
 * (CONTRIBUTING.md), and what lists of the tests say about the code. Prints what breaks a rule.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readSources } from '../unit/architecture/read-imports.ts';
import { projectPaths, readProject } from '../unit/architecture/read-project.ts';
import { circles, fullFolders, linesOf, repeatedNames } from './figures.ts';
import { findMisfits, fixedProperties } from './lists.ts';
import { findSentences } from './sentences.ts';
import { findWords } from './words.ts';

const root = join(import.meta.dirname, '..', '..');

/** The files that a path may have. A change that makes one shorter lowers its bar. */
const pathBars = { start: 39, upload: 36, poll: 28 } as const;

/** The files and lines that the run worker may have, with room for a guard. A change that makes it smaller lowers them. */
const workerBars = { files: 24, lines: 3560 };

function workerProblems(sources: ReadonlyMap<string, string>): string[] {
  const worker = [...sources].filter(([path]) =>
    /^functions\/(?:_runs|update-campaign-runs|answer-questions)\//.test(path),
  );
  const lines = worker.reduce((sum, [, source]) => sum + linesOf(source), 0);
  return worker.length > workerBars.files || lines > workerBars.lines
    ? [`the run worker has ${worker.length} files and ${lines} lines: ${JSON.stringify(workerBars)} are allowed`]
    : [];
}

/** The trace needs the main thread of a process of its own. */
async function pathProblems(): Promise<string[]> {
  const problems: string[] = [];
  for (const [name, mostFiles] of Object.entries(pathBars)) {
    const { stdout } = await promisify(execFile)(process.execPath, ['test/house/main.ts', '--path', name]);
    const [, files] = /: (\d+) files/.exec(stdout) ?? [];
    const isWithin = Number(files) <= mostFiles;
    if (!isWithin) problems.push(`${stdout.trim()}; ${mostFiles} files are allowed`);
  }
  return problems;
}

/** Each rule with what breaks it. */
async function findProblems(): Promise<Readonly<Record<string, readonly string[]>>> {
  const [paths, sources] = await Promise.all([projectPaths(root), readProject(root)]);
  const imports = (await readSources(sources)).flatMap((file) => file.imports);
  // A reader that finds nothing to judge would find every rule kept.
  const isRead = paths.length > 500 && sources.size > 1000 && imports.length > 1000;
  return {
    'the project is read': isRead ? [] : [`${paths.length} files, ${sources.size} sources, ${imports.length} imports`],
    'words that the house style leaves': findWords(),
    'sentences and doc comments': findSentences(),
    'folders that are too full': fullFolders(paths),
    'circles of files and folders': circles(imports),
    'exported names that mean two things': repeatedNames(sources),
    'the run worker gets no larger': workerProblems(sources),
    'paths get no longer': await pathProblems(),
    'the list of mutants fits the code': findMisfits(),
    'properties take more cases and other seeds': fixedProperties(sources),
  };
}

process.chdir(root);
const problems = Object.entries(await findProblems()).filter(([, found]) => found.length > 0);
for (const [rule, found] of problems) process.stderr.write(`${rule}:\n${found.map((one) => `  ${one}\n`).join('')}`);
process.exitCode = problems.length > 0 ? 1 : 0;

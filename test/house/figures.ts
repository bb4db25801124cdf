import { posix } from 'node:path';
import type { Import } from '../unit/architecture/read-imports.ts';
import { roomOf, targetOf } from '../unit/architecture/rooms.ts';

/** Files of one kind. */
export interface Size {
  readonly files: number;
  readonly lines: number;
}

/** Lines as an editor counts them. */
export function linesOf(text: string): number {
  return text.trimEnd().split('\n').length;
}

/** Files and lines of the product and of its tests; examples and tools' settings are neither. */
export function sizes(sources: ReadonlyMap<string, string>): { readonly product: Size; readonly tests: Size } {
  return { product: sizeOf(sources, isProduct), tests: sizeOf(sources, isTest) };
}

function sizeOf(sources: ReadonlyMap<string, string>, belongs: (path: string) => boolean): Size {
  const texts = [...sources].filter(([path]) => belongs(path)).map(([, text]) => text);
  return { files: texts.length, lines: texts.reduce((sum, text) => sum + linesOf(text), 0) };
}

function isTest(path: string): boolean {
  return roomOf(path) === 'test';
}

/** A source of a room that is deployed or run for a user. */
function isProduct(path: string): boolean {
  return path.includes('/') && !isTest(path) && roomOf(path) !== 'examples';
}

/** Most files of a folder. Decision records are a list that only grows. */
const fullest = 15;
const mayBeFull = /^docs\/adr$|\/field-cases$/;

/** Folders with more files than a reader takes in at once, each with its count. */
export function fullFolders(paths: readonly string[]): string[] {
  const folders = Map.groupBy(paths, (path) => posix.dirname(path));
  return [...folders]
    .filter(([folder, files]) => files.length > fullest && folder !== '.' && !mayBeFull.test(folder))
    .map(([folder, files]) => `${folder} (${files.length})`)
    .toSorted();
}

/**
 * Bounds of a file's length: below the first it is a crumb, past the second it has more than one
 * subject.
 */
const shortest = 40;
export const lengthBars = { product: [250, 300], tests: [300, 500] } as const;

/** Short and long files of the product or of the tests. */
export function lengths(sources: ReadonlyMap<string, string>, kind: keyof typeof lengthBars) {
  const belongs = kind === 'product' ? isProduct : isTest;
  const [long, longest] = lengthBars[kind];
  const lines = [...sources].filter(([path]) => belongs(path)).map(([path, text]) => ({ path, lines: linesOf(text) }));
  return {
    short: lines.filter((file) => file.lines < shortest).length,
    long: lines.filter((file) => file.lines > long).length,
    longest: lines.filter((file) => file.lines > longest).map((file) => `${file.path} (${file.lines})`),
  };
}

/**
 * Files of the product that import each other, types counted, and folders whose files do: `a > b > a`. A folder and one inside of it are two.
 */
export function circles(imports: readonly Import[]): string[] {
  const edges = imports.flatMap(({ file, specifier }) => {
    const target = targetOf(file, specifier);
    return target !== undefined && isProduct(file) && isProduct(target) ? [[file, target] as const] : [];
  });
  const ofFolders = edges.map(([from, to]) => [posix.dirname(from), posix.dirname(to)] as const);
  return [...circlesOf(edges), ...circlesOf(ofFolders.filter(([from, to]) => from !== to))];
}

/** One circle through each edge that closes one of those before it. */
function circlesOf(edges: readonly (readonly [string, string])[]): string[] {
  const next = new Map<string, string[]>();
  const wayBetween = (from: string, to: string): readonly string[] | undefined => {
    const cameFrom = new Map<string, string | undefined>([[from, undefined]]);
    for (const [place] of cameFrom) {
      for (const step of next.get(place) ?? []) if (!cameFrom.has(step)) cameFrom.set(step, place);
    }
    if (!cameFrom.has(to)) return undefined;
    const way = [to];
    for (let place = cameFrom.get(to); place !== undefined; place = cameFrom.get(place)) way.unshift(place);
    return way;
  };
  const found = new Set<string>();
  for (const [from, to] of edges) {
    const known = next.get(from) ?? [];
    if (known.includes(to)) continue;
    next.set(from, [...known, to]);
    const back = wayBetween(to, from);
    if (back !== undefined) found.add([from, ...back].join(' > '));
  }
  return [...found].toSorted();
}

const exported =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;

/**
 * Names that several files of the product export, each with its files; `entryNames` mean the same
 * in each file.
 */
export function repeatedNames(sources: ReadonlyMap<string, string>): string[] {
  const byName = new Map<string, Set<string>>();
  for (const [path, text] of sources) {
    if (!isProduct(path)) continue;
    for (const [, name = ''] of text.matchAll(exported)) {
      byName.set(name, (byName.get(name) ?? new Set()).add(path));
    }
  }
  return [...byName]
    .filter(([name, files]) => files.size > 1 && !entryNames.has(name))
    .map(([name, files]) => `${name}: ${[...files].toSorted().join(', ')}`)
    .toSorted();
}

/** What Lambda, a process, and the CLI's lists of commands and programs read by name. */
const entryNames = new Set(['handler', 'main', 'command', 'run']);

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { docPages } from '#infra/package/manifests.ts';
import { packageFolder } from '#shared/places.ts';
import { everyHelp } from '../../cli/command-specs.ts';
import { readProject } from '../../architecture/read-project.ts';

/** A text that a person may see who runs the product. */
export interface PrintedText {
  /** Where it comes from, with its beginning. */
  readonly place: string;
  readonly text: string;
}

const rooms = /^(?:cli|operator|local|infra|gateway|shared|console|create|functions)\/.*\.(?:tsx?|mjs)$/;
/** Texts of programs for developers, who have the repository. */
const ofDevelopers = /^infra\/(?:package|release|bundle)\//;

/** The texts between quotes in the sources, and the sentences between the tags of the console. Values are written as `…`. */
export async function textsInSources(): Promise<readonly PrintedText[]> {
  return [...(await readProject(packageFolder))]
    .filter(([path]) => rooms.test(path) && !ofDevelopers.test(path))
    .flatMap(([path, source]) => {
      const seen = withoutComments(source);
      const quoted = [...seen.matchAll(/'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`|"((?:[^"\\\n]|\\.)*)"/g)].map(
        ([, single, template, double]) => single ?? template ?? double ?? '',
      );
      const between = path.endsWith('.tsx') ? seen.split('\n').filter((line) => /^\s*[A-Z`][^{};=]*$/.test(line)) : [];
      return [...quoted, ...between].map((text) => ({
        place: `${path}: ${text.trim().slice(0, 120)}`,
        text: text.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '…'),
      }));
    });
}

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(?<=^|\s)\/\/ .*$/gm, '');
}

/** The pages that a person reads with the product alone, line by line: those of the package and of the folder of a new stage. */
export function textsOfPages(): readonly PrintedText[] {
  const pages = [...docPages.map((name) => `docs/${name}`), 'create/template/README.md', 'infra/package/README.md'];
  return pages.flatMap((path) =>
    readFileSync(join(packageFolder, path), 'utf8')
      .split('\n')
      .map((text) => ({ place: `${path}: ${text.trim().slice(0, 120)}`, text })),
  );
}

/** What `--help` prints, of each command and each program. */
export async function helps(): Promise<readonly PrintedText[]> {
  return (await everyHelp()).flatMap(([name, help]) =>
    help.split('\n').map((text) => ({ place: `autopilot ${name} --help: ${text.trim()}`, text })),
  );
}

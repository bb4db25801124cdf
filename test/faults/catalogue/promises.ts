import { globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceBetween } from '../../unit/docs/documents/between-marks.ts';

/** The promises, each in a few words. I7 was about repeats of one run id: what remains of it is I6. */
export const promises: Readonly<Record<string, string>> = {
  I1: 'every accepted event has exactly one outcome',
  I2: 'no second effect, whatever is delivered twice, killed or cut off',
  I3: 'a start without an answer ends with certainty, and without a person',
  I4: 'no outcome says what is not known',
  I5: 'commands about a run are ordered; a stop ends every earlier start',
  I6: 'a planned stop belongs to one run',
  I8: 'nothing delays a stop',
  I9: 'refusals count for their own command',
  I10: 'one list of runs in flight, for everyone who reads it',
  I11: 'a guard that cannot read its fact lets no start pass',
  I12: 'a schedule that starts nothing raises an alarm',
  I13: 'calls are bounded in number, rate and time',
  I14: 'a gateway that is busy or down costs time only',
  I15: 'a bad record changes nothing for its neighbours',
  I16: 'no file takes the memory of a function',
  I17: 'the text of others drives no terminal, document or log',
  I18: 'the token is nowhere, and no byte goes to another origin',
  I19: 'parked work has its message, reason and next step',
  I20: 'each trouble raises the metric that its alarm reads',
};

const root = join(import.meta.dirname, '../../..');

/** The page that shows which file holds which promise. */
export const reliabilityPath = join(root, 'docs/reference/reliability.md');

const texts = globSync('test/**/*.test.ts', { cwd: root })
  .map((file) => file.replaceAll('\\', '/'))
  // The test of the judge quotes its sentences, and holds no promise.
  .filter((file) => !/^test\/(?:faults\/catalogue|unit\/chaos)\//.test(file))
  .toSorted()
  .map((file) => [file, readFileSync(join(root, file), 'utf8')] as const);

/** The test files that name a promise, by its id: `I5`, in a title or a comment. */
export function holdersOf(id: string): readonly string[] {
  const cites = new RegExp(`\\b${id}\\b`);
  return texts.filter(([, text]) => cites.test(text)).map(([file]) => file);
}

/** The page with the promises and the files that hold them. */
export async function freshReliabilityDocument(): Promise<string> {
  const rows = Object.entries(promises).map(
    ([id, words]) => `| ${id} | ${words} | ${holdersOf(id).map(shown).join(' · ')} |`,
  );
  const table = ['| | promise | held by (below `test/`) |', '|---|---|---|', ...rows].join('\n');
  const part = { name: 'promises', command: 'npm run docs -- reliability' };
  return replaceBetween(await readFile(reliabilityPath, 'utf8'), part, `${table}\n`);
}

function shown(file: string): string {
  return file.replace(/^test\//, '').replace(/\.test\.ts$/, '');
}

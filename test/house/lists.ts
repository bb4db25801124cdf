import { existsSync, readFileSync } from 'node:fs';
import { mutants } from '../mutants/list/mutants.ts';
import { occurrences } from '../mutants/mutant.ts';

/**
 * `npm run mutants` takes minutes; that its list still fits the code is seen here. Each mutant
 * stands in its file once, under a name of its own. Its tests are there, and one of decisions names a short file.
 */
export function findMisfits(): string[] {
  const names = mutants.map(({ name }) => name);
  const repeated = names.filter((name, at) => names.indexOf(name) !== at).map((name) => `two mutants "${name}"`);
  const wrong = mutants.flatMap(({ name, file, from, to, tests }) => {
    const isOfDecisions = /^(?:functions|shared)\//.test(file);
    const count = existsSync(file) ? occurrences(readFileSync(file, 'utf8'), from) : 0;
    const problems = {
      [`its text stands in ${file} ${count} times`]: count !== 1,
      'it changes nothing': to === from,
      'it names no test': tests.length === 0,
      'it names a test that is not there': tests.some((path) => !existsSync(path)),
      'npm test does not kill it: it names long files alone':
        isOfDecisions && tests.every((path) => path.endsWith('.long.test.ts')),
    };
    return Object.entries(problems).flatMap(([what, holds]) => (holds ? [`the mutant "${name}": ${what}`] : []));
  });
  return [...repeated, ...wrong];
}

/** Test files with properties that a person cannot give more cases, or another seed. */
export function fixedProperties(sources: ReadonlyMap<string, string>): string[] {
  return [...sources]
    .filter(([path, text]) => path.startsWith('test/') && path !== 'test/house/lists.ts' && isFixed(text))
    .map(([path]) => `${path}: a property that does not obey FAST_CHECK_RUNS and FAST_CHECK_SEED`);
}

function isFixed(text: string): boolean {
  const properties = text.match(/\bfc\.(?:assert|check)\(/g)?.length ?? 0;
  const obeying = text.match(/(?<!= )\bpropertyRuns\([\d_]*\)|(?<=\s|\.{3})(?:runs|tries)\b(?=,|\))/g)?.length ?? 0;
  return properties > obeying;
}

import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { changedMutants, changesSince } from './changed.ts';
import { mutants } from './list/mutants.ts';
import type { Mutant } from './mutant.ts';
import { type Finding, tryMutants } from './run-mutants.ts';

const root = join(import.meta.dirname, '..', '..');

const help = `npm run mutants -- [options]

Removes one protection of the code at a time, in a copy of the project, and runs the tests that promise it.
They must fail: a suite that passes without a protection proves nothing.

  --list         print the mutants and leave
  --only TEXT    those whose name or file holds this text
  --changed BASE those whose file, tests or entry changed since this commit; if it is '' or not in this clone,
                 since the branch left origin/main, or since the commit before the last
  --minutes N    begin no other mutant after this time, and say how many were not tried
  --jobs N       how many at once (default: one a core, at most 4)
  --tests-passed npm run test:all has just passed: leave out the run without any mutant
  --help         this text

Exit codes: 0 every mutant was killed, 1 one was not, 2 a wrong option.`;

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (typeof options === 'string') {
    process.stderr.write(`${options}\n`);
    return 2;
  }
  if (options.help) return say(help);
  const chosen = chooseMutants(options);
  if (chosen.length === 0 && options.changed === undefined) {
    process.stderr.write(`no mutant has "${options.only}" in its name or file; --list prints them\n`);
    return 2;
  }
  if (options.list) return say(chosen.map(({ name, file }) => `${name} (${file})`).join('\n'));
  if (chosen.length === 0) return say('0 mutants');

  const first = options['tests-passed'] ? '' : '; first all of their tests without any mutant';
  say(`${chosen.length} mutants, ${options.jobs} at once${first}`);
  const findings = await tryMutants(root, chosen, {
    jobs: options.jobs,
    testsPassed: options['tests-passed'],
    longestMs: options.minutes * 60_000,
    onFinding: (finding) => say(line(finding)),
  });
  const bad = findings.filter(({ kind }) => kind !== 'killed');
  const untried = chosen.length - findings.length;
  if (untried > 0) say(`${untried} were not tried in ${options.minutes} minutes`);
  say(`${findings.length - bad.length} of ${findings.length} mutants were killed`);
  return bad.length === 0 ? 0 : 1;
}

function chooseMutants({ only, changed }: Options): readonly Mutant[] {
  const named = mutants.filter(({ name, file }) => `${name} ${file}`.includes(only));
  if (changed === undefined) return named;
  const changes = changesSince(root, changed);
  say(`of what changed since ${changes.base}:`);
  return changedMutants(named, changes);
}

interface Options {
  readonly help: boolean;
  readonly list: boolean;
  readonly only: string;
  readonly changed?: string | undefined;
  readonly minutes: number;
  readonly jobs: number;
  readonly 'tests-passed': boolean;
}

/** The options, or what is wrong with them. */
function readOptions(args: readonly string[]): Options | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        only: { type: 'string', default: '' },
        changed: { type: 'string' },
        minutes: { type: 'string', default: 'Infinity' },
        'tests-passed': { type: 'boolean', default: false },
        jobs: { type: 'string', default: String(Math.min(4, availableParallelism())) },
      },
    });
    const jobs = Number(values.jobs);
    if (!Number.isInteger(jobs) || jobs < 1 || jobs > 16)
      return `--jobs takes a number from 1 to 16, not ${values.jobs}`;
    const minutes = Number(values.minutes);
    if (!(minutes > 0)) return `--minutes takes a number above 0, not ${values.minutes}`;
    return { ...values, jobs, minutes };
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n\n${help}`;
  }
}

function line(finding: Finding): string {
  const { name } = finding.mutant;
  switch (finding.kind) {
    case 'killed':
      return `killed     ${name}\n             by: ${finding.test}`;
    case 'survived':
      return `SURVIVED   ${name}\n             every test of ${finding.mutant.tests.join(', ')} passed`;
    case 'unproven':
      return `UNPROVEN   ${name}\n             ${finding.why}`;
  }
}

function say(text: string): 0 {
  process.stdout.write(`${text}\n`);
  return 0;
}

process.exitCode = await main();

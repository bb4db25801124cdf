import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Finding, runCampaign } from './campaign.ts';
import { protections } from './protections.ts';

const help = `npm run guards -- [options]

Takes one protection of the product out at a time, in a copy of the project, and runs the tests that promise it.
Each must go red: a suite that stays green without a protection proves nothing.

  --list         print the protections and leave
  --only TEXT    those whose name or file holds this text
  --jobs N       how many at once (default: one a core, at most 4)
  --help         this text

Exit codes: 0 each one turned its tests red, 1 one did not, 2 a wrong option.`;

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (typeof options === 'string') {
    process.stderr.write(`${options}\n`);
    return 2;
  }
  if (options.help) return say(help);
  const chosen = protections.filter(({ name, file }) => `${name} ${file}`.includes(options.only));
  if (chosen.length === 0) {
    process.stderr.write(`no protection has "${options.only}" in its name or file; --list prints them\n`);
    return 2;
  }
  if (options.list) return say(chosen.map(({ name, file }) => `${name} (${file})`).join('\n'));

  say(`${chosen.length} protections, ${options.jobs} at once; first all of their tests with everything in place`);
  const findings = await runCampaign(join(import.meta.dirname, '..', '..'), chosen, {
    jobs: options.jobs,
    onFinding: (finding) => say(line(finding)),
  });
  const bad = findings.filter(({ kind }) => kind !== 'red');
  say(`${findings.length - bad.length} of ${findings.length} protections turn the tests red when they are taken out`);
  return bad.length === 0 ? 0 : 1;
}

interface Options {
  readonly help: boolean;
  readonly list: boolean;
  readonly only: string;
  readonly jobs: number;
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
        jobs: { type: 'string', default: String(Math.min(4, availableParallelism())) },
      },
    });
    const jobs = Number(values.jobs);
    if (!Number.isInteger(jobs) || jobs < 1 || jobs > 16)
      return `--jobs takes a number from 1 to 16, not ${values.jobs}`;
    return { ...values, jobs };
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n\n${help}`;
  }
}

function line(finding: Finding): string {
  const { name } = finding.protection;
  switch (finding.kind) {
    case 'red':
      return `red        ${name}\n             by: ${finding.test}`;
    case 'unnoticed':
      return `UNNOTICED  ${name}\n             every test of ${finding.protection.tests.join(', ')} passed without it`;
    case 'unproved':
      return `UNPROVED   ${name}\n             ${finding.why}`;
  }
}

function say(text: string): 0 {
  process.stdout.write(`${text}\n`);
  return 0;
}

process.exitCode = await main();

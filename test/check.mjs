/** `npm run check`: everything that judges the project without running it. `-- --help` says the rest. */
import { spawnSync } from 'node:child_process';

const parts = {
  format: ['oxfmt --check .'],
  lint: ['oxlint --type-aware --deny-warnings .'],
  types: ['tsc', 'tsc -p console/page'],
  unused: ['knip'],
  lock: ['node test/check-lock.mjs'],
  api: ['redocly lint docs/openapi.yaml'],
  house: ['node --import ./shared/require-node.mjs test/house/check.ts'],
  fast: ['oxfmt --check .', 'oxlint --deny-warnings .', 'tsc', 'tsc -p console/page'],
  subjects: ['node test/check-subjects.mjs'],
};
const usual = ['format', 'lint', 'types', 'unused', 'lock', 'api', 'house'];

const help = `npm run check [-- PART …]: without a part ${usual.join(', ')}

  format           the form of every file; npx oxfmt . writes it
  lint             the rules of .oxlintrc.json, with types
  types            the type checker
  unused           files, exports and packages that nothing uses
  lock             the lock file: platforms, digests, no registry's host
  api              docs/openapi.yaml
  house            words, sentences, sizes, paths, the list of mutants
  fast             format, lint without types, types: in seconds, before each commit
  subjects [BASE]  the subjects of the commits since BASE; of the last commit, if there is no base
  --help           this text

Exit codes: 0 nothing was found, 1 something was, 2 a wrong part.
`;

process.exitCode = main(process.argv.slice(2));

function main(args) {
  if (args.includes('--help')) {
    process.stdout.write(help);
    return 0;
  }
  if (args[0] === 'subjects') return run(parts.subjects[0], args.slice(1));
  const unknown = args.find((name) => !Object.hasOwn(parts, name));
  if (unknown !== undefined) {
    process.stderr.write(`there is no part ${unknown}\n\n${help}`);
    return 2;
  }
  const commands = (args.length === 0 ? usual : args).flatMap((name) => parts[name]);
  return commands.every((line) => run(line, []) === 0) ? 0 : 1;
}

/** npm has put the packages' programs on PATH. */
function run(line, more) {
  process.stdout.write(`> ${[line, ...more].join(' ')}\n`);
  const [program = '', ...args] = line.split(' ');
  const { status, error } = spawnSync(program, [...args, ...more], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (error !== undefined)
    process.stderr.write(`${line} cannot be started (npm run check does it): ${error.message}\n`);
  return status ?? 1;
}

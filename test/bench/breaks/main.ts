/**
 * `npm run bench -- breaks`: whether the bench notices what it is there for. `--help` says the rest.
 */
import { parseArgs } from 'node:util';
import { packageFolder } from '#shared/places.ts';
import { makeScratchCopy, type ScratchCopy } from '../../mutants/scratch-copy.ts';
import { valueText } from '../report/table-text.ts';
import { type Break, breaks } from './breaks.ts';
import { type BenchFigure, runRow } from './run-row.ts';

const help = `npm run bench -- breaks [options]

Makes one mistake at a time in a copy of the project and measures the row of the bench that has to notice: at least one of
its figures goes over its bar, or beyond half as much again if it is over it already. All of them take about ten minutes.

  --only ROW     the mistakes that this row has to notice: ${[...new Set(breaks.map(({ row }) => row))].join(', ')}
  --help         this text

Exit codes: 0 each mistake turned its row red, 1 one did not, 2 a wrong option.`;

const say = (line: string) => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const only = readOnly(process.argv.slice(2));
  if (only === 'help') {
    say(help);
    return 0;
  }
  const chosen = breaks.filter(({ row }) => only === undefined || row === only);
  if (chosen.length === 0) {
    process.stderr.write(`--only ${only} is none of the rows that have a mistake here; --help names them\n`);
    return 2;
  }
  const copy = await makeScratchCopy(packageFolder);
  try {
    let unnoticed = 0;
    for (const [row, ofRow] of Map.groupBy(chosen, ({ row: of }) => of)) {
      unnoticed += await tryRow(copy, row, ofRow);
    }
    say(`${chosen.length - unnoticed} of ${chosen.length} mistakes turn their row red`);
    return unnoticed === 0 ? 0 : 1;
  } finally {
    await copy.remove();
  }
}

/** @returns how many of these mistakes the row did not notice */
async function tryRow(copy: ScratchCopy, row: string, ofRow: readonly Break[]): Promise<number> {
  const intact = await runRow(copy.path, row);
  let unnoticed = 0;
  for (const one of ofRow) {
    const broken = await copy.withMutant(one, () => runRow(copy.path, row));
    const turned = broken.filter((figure) => isTurned(before(intact, figure), figure));
    unnoticed += turned.length === 0 ? 1 : 0;
    say(`${turned.length === 0 ? 'UNNOTICED' : 'red      '}  ${one.name}`);
    for (const figure of turned.length === 0 ? broken : turned) say(`           ${row}: ${change(intact, figure)}`);
  }
  return unnoticed;
}

/** A figure that is over its bar already has to go far beyond where it is. */
const farBeyond = 1.5;

function isTurned(was: BenchFigure | undefined, { verdict, value }: BenchFigure): boolean {
  return verdict === 'over' && (was?.verdict !== 'over' || value > was.value * farBeyond);
}

function change(intact: readonly BenchFigure[], figure: BenchFigure): string {
  const was = before(intact, figure);
  const name = figure.name === '' ? '' : `${figure.name} `;
  return `${name}${was === undefined ? '(new)' : valueText(was)} → ${valueText(figure)}`;
}

function before(intact: readonly BenchFigure[], { name }: BenchFigure): BenchFigure | undefined {
  return intact.find((figure) => figure.name === name);
}

function readOnly(args: readonly string[]): string | undefined {
  const { values } = parseArgs({ args: [...args], options: { only: { type: 'string' }, help: { type: 'boolean' } } });
  return values.help === true ? 'help' : values.only;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}

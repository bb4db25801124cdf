import { type CommandResult, type CommandWithoutStage, exitCodes } from '../terminal/command.ts';
import { encodingOf, type JudgedFile, judgeFile, mappingOf } from '#operator/uploads/judge-file.ts';
import { UsageError } from '#operator/errors.ts';
import { judgedLines, mappingOptions } from './upload-arguments.ts';

const help = `autopilot check FILE… [options]

Reads files of prompts and says what is wrong with them, each problem with its
row. It needs no stage and sends nothing. Reads tables with commas, semicolons,
tabs or pipes, JSON Lines, JSON arrays, lists of one prompt a line, and the
first sheet of a workbook (.xlsx, up to 50 MB unpacked); UTF-8 and UTF-16;
headers and the labels true, false, 1, 0, yes and no in any case, and the truth
values of spreadsheets in German, French, Spanish, Italian, Portuguese and Dutch
(WAHR, FAUX, …). A file - is standard input.

  --prompt-column NAME      the column of the prompts (default prompt)
  --label-column NAME       the column of the labels (default label)
  --true W,W --false W,W    the words of the labels, in place of the known ones;
                            a word with a comma stands in double quotes
  --label true|false        one label for all rows: a list of attacks, or of
                            harmless prompts
  --encoding E              for a file in an older encoding, such as
                            windows-1251, gb18030 or shift_jis

Exit codes
  0  each file goes through, as it is or with upload --convert
  4  a file has problems

Examples
  autopilot check customers.csv
  autopilot check --prompt-column text --true unsafe --false safe set.csv
  autopilot check --encoding windows-1252 kunden.csv
  cat customers.csv | autopilot check -
  autopilot check *.csv --json | jq '.files[] | select(.verdict != "ready")'`;

async function run(...[args]: Parameters<CommandWithoutStage['run']>): Promise<CommandResult> {
  const names = args.positionals;
  if (names.length === 0) throw new UsageError('check needs a file', { command: ['autopilot', 'check', 'FILE…'] });
  const options = { encoding: encodingOf(args.text('encoding')), mapping: mappingOf(args.text) };
  const files: JudgedFile[] = [];
  for (const name of names) files.push(await judgeFile(name, options));
  return {
    exitCode: files.some(({ verdict }) => verdict === 'problems') ? exitCodes.parked : exitCodes.done,
    data: { files },
    render: (paint, times) => files.flatMap((judged) => judgedLines(judged, args, { paint, ...times() })),
  };
}

/** `autopilot check`. */
export const command: CommandWithoutStage = {
  help,
  options: { ...mappingOptions, encoding: { type: 'string' } },
  needsNoStage: true,
  run,
};

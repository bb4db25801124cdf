import { type CommandResult, type CommandWithoutStage, exitCodes } from '../terminal/command.ts';
import { encodingOf, type JudgedFile, judgeFile } from '#operator/uploads/judge-file.ts';
import { UsageError } from '#operator/errors.ts';
import { judgedLines } from './upload-arguments.ts';

const help = `autopilot check FILE… [options]

Reads files of prompts and says what is wrong with them, each problem with its
row. It needs no stage and sends nothing. Reads CSV with commas, semicolons or
tabs, and JSON Lines; UTF-8 and UTF-16; headers and the labels true, false, 1,
0, yes and no in any case, and the truth values of spreadsheets in German,
French, Spanish, Italian, Portuguese and Dutch (WAHR, FAUX, …); up to 16
columns, of which prompt and label count.

  --encoding E              for a file in an older encoding: windows-1252 or
                            macintosh

Exit codes
  0  each file goes through, as it is or with upload --convert
  4  a file has problems

Examples
  autopilot check customers.csv
  autopilot check --encoding windows-1252 kunden.csv
  autopilot check *.csv --json | jq '.files[] | select(.verdict != "ready")'`;

async function run(...[args]: Parameters<CommandWithoutStage['run']>): Promise<CommandResult> {
  const names = args.positionals;
  if (names.length === 0) throw new UsageError('check needs a file: autopilot check FILE…');
  const encoding = encodingOf(args.text('encoding'));
  const files: JudgedFile[] = [];
  for (const name of names) files.push(await judgeFile(name, encoding));
  return {
    exitCode: files.some(({ verdict }) => verdict === 'problems') ? exitCodes.parked : exitCodes.done,
    data: { files },
    render: (paint) => files.flatMap((judged) => judgedLines(judged, args, paint)),
  };
}

/** `autopilot check`. */
export const command: CommandWithoutStage = {
  help,
  options: { encoding: { type: 'string' } },
  needsNoStage: true,
  run,
};

import { type CommandWithoutStage, exitCodes } from '../terminal/command.ts';
import type { JudgedFile } from '#operator/uploads/judge-file.ts';
import { judgeFile } from '#operator/uploads/judge-sources.ts';
import { readingOptions } from '#operator/uploads/reading-options.ts';
import { judgedLines, mappingOptions } from './upload-arguments.ts';

export const command: CommandWithoutStage = {
  needsNoStage: true,
  line: {
    says: 'Says what is wrong with files of prompts, each problem with its row. It needs no stage and sends nothing.',
    more: `It reads tables with commas, semicolons, tabs or pipes, JSON Lines, arrays and the list in a JSON object, and one prompt a line (UTF-8, UTF-16). Of a workbook (.xlsx, up to 50 MB unpacked) it reads the first visible sheet that has the columns. A file - is standard input. Exit code 4: a file has problems.`,
    words: { '<FILE...>': '' },
    options: mappingOptions,
    examples: [
      'autopilot check --prompt-column text --true unsafe --false safe set.csv',
      'autopilot check --encoding windows-1252 kunden.csv',
      `autopilot check *.csv --json | jq '.files[] | select(.verdict != "ready")'`,
    ],
  },
  async run(args) {
    const options = readingOptions(args.text);
    const files: JudgedFile[] = [];
    for (const name of args.positionals) files.push(await judgeFile(name, options));
    return {
      exitCode: files.some(({ verdict }) => verdict === 'problems') ? exitCodes.parked : exitCodes.done,
      data: { files },
      render: (screen) => files.flatMap((judged) => judgedLines(judged, args, screen)),
    };
  },
};

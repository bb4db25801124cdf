import { commandLine, counted } from '#operator/readable.ts';
import type { JudgedFile } from '#operator/uploads/judge-file.ts';
import type { Paint } from '#shared/text/terminal-writer.ts';

/** What a check found in a file: in a line if it goes through, else a line for each problem. */
export function judgedLines(judged: JudgedFile, paint: Paint): readonly string[] {
  const { file } = judged;
  const balance = `${counted(judged.rows, 'row')}, ${judged.blocking} true and ${judged.rows - judged.blocking} false`;
  switch (judged.verdict) {
    case 'ready':
      return [`${file}: ${paint('green', 'ready')}: ${balance}`];
    case 'convertible':
      return [
        `${file}: ${paint('yellow', 'goes through with --convert')}: ${balance}`,
        `  changes: ${judged.changes.join('; ')}`,
        `  next: ${commandLine(['autopilot', 'upload', file, '--convert'])}`,
      ];
    case 'problems':
      return [
        `${file}: ${paint('red', counted(judged.problems.length + judged.more, 'problem'))}`,
        ...problemLines(judged),
      ];
  }
}

function problemLines({ problems, more }: JudgedFile): readonly string[] {
  const listed = problems.map((problem) => `  ${problem}`);
  return more === 0 ? listed : [...listed, `  and ${more} more`];
}

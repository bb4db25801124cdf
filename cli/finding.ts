import { type ExitCode, exitCodes } from './exit-codes.ts';
import { columns, type Paint, printable, type Style } from './output.ts';

/** What was found about one subject. */
export interface Finding {
  readonly subject: string;
  /** `problem`: somebody has to act. `warning`: somebody should know. `unknown`: it could not be, or need not be, looked at. */
  readonly state: 'ok' | 'unknown' | 'warning' | 'problem';
  /** What is, or the cause of what is not, in one line. */
  readonly says: string;
  /** What to do about it, in the same line. */
  readonly next?: string;
}

const marks: Readonly<Record<Finding['state'], string>> = {
  ok: 'ok',
  unknown: '-',
  warning: 'warning',
  problem: 'PROBLEM',
};

const styles: Readonly<Partial<Record<Finding['state'], Style>>> = {
  unknown: 'dim',
  warning: 'yellow',
  problem: 'red',
};

/** One line for each: its mark, the subject, what is, and the next step. */
export function findingLines(findings: readonly Finding[], paint: Paint): readonly string[] {
  const rows = findings.map(({ subject, state, says, next }) => [
    marks[state],
    printable(subject),
    printable(next === undefined ? says : `${says}; next: ${next}`),
  ]);
  return columns(rows).map((line, index) => {
    const style = styles[findings[index]?.state ?? 'ok'];
    return style === undefined ? line : paint(style, line);
  });
}

/** Whether a person is needed. */
export function exitOfFindings(findings: readonly Finding[]): ExitCode {
  return findings.some(({ state }) => state === 'problem') ? exitCodes.parked : exitCodes.done;
}

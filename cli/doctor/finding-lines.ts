import type { Finding } from '#operator/doctor/finding.ts';
import { columns, type Paint, type Style } from '../terminal/output.ts';
import { printable } from '#operator/readable.ts';

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

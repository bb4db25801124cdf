/** Findings as lines: what is, and beneath it what to do, with the command on a line of its own. */
import { countedNeeds, type Finding } from '#operator/finding.ts';
import type { Style } from '#shared/text/terminal-writer.ts';
import type { Step } from '#shared/text/step.ts';
import { columns } from './output.ts';
import type { TextScreen } from './times.ts';

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

/** The lines of each finding: its mark, its subject, what is, and its next step. What follows from another one is dim. */
export function findingBlocks(findings: readonly Finding[], screen: TextScreen): readonly (readonly string[])[] {
  const { paint, at } = screen;
  const heads = columns(
    findings.map(({ subject, state, says, moments = [], causedBy }) => {
      const times = moments.map((moment) => `${moment.says} ${at(moment.at)}`).join('; ');
      const see = causedBy === undefined ? '' : `; see ${causedBy}`;
      return [
        causedBy === undefined ? marks[state] : '└',
        subject,
        `${says}${times === '' ? '' : ` (${times})`}${see}`,
      ];
    }),
  );
  return findings.map(({ state, next, causedBy }, index) => {
    const head = heads[index] ?? '';
    const style = causedBy === undefined ? styles[state] : 'dim';
    return [style === undefined ? head : paint(style, head), ...stepLines(next, screen).map((line) => `  ${line}`)];
  });
}

/** All of them, one after the other. */
export function findingLines(findings: readonly Finding[], screen: TextScreen): readonly string[] {
  return findingBlocks(findings, screen).flat();
}

function stepLines(step: Step | undefined, { line }: TextScreen): readonly string[] {
  if (step === undefined) return [];
  return [step.says, ...(step.command === undefined ? [] : [`  ${line(step.command)}`])];
}

/** `2 need you, 1 to know`; `nothing` if nothing does. */
export function needsWords(findings: readonly Finding[]): string {
  const { problems, warnings } = countedNeeds(findings);
  const words = [problems === 0 ? '' : `${problems} to act on`, warnings === 0 ? '' : `${warnings} to know`];
  return words.filter((word) => word !== '').join(', ') || 'nothing';
}

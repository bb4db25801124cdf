import { docPage } from '#shared/places.ts';
import { type Command, exitOfFindings } from '../terminal/command.ts';
import { type Examined, examineStage } from '#operator/doctor/examine-stage.ts';
import { findingBlocks, needsWords } from '../terminal/findings.ts';
import { countedNeeds, type Finding } from '#operator/finding.ts';
import type { TextScreen } from '../terminal/times.ts';

export const command: Command = {
  line: {
    says: 'What is wrong with a stage, on one screen: each problem with its cause and the next step.',
    more: `A worker tries the token, and every function looks at what it depends on and does nothing. Exit code 4: there is a PROBLEM; what follows from another one (└) is not counted.`,
    options: {
      '--deep': `test the links too, in one to five minutes. A marked object, command and schedule take the way of real work. The gateway is not called. For the first deployment; see ${docPage('links.md')}`,
      '--notice': 'send one test message to each address and webhook of notify; look whether it comes',
    },
    examples: [
      'autopilot doctor --deep --notice --aws --stage prod',
      'autopilot doctor --json |',
      `  jq '.examined[].findings[] | select(.state == "problem")'`,
    ],
  },
  async run(args, deps) {
    const [examined, now] = await Promise.all([
      examineStage(deps, { isDeep: args.flag('deep'), isNoticed: args.flag('notice') }),
      deps.now(),
    ]);
    const where = deps.target.kind === 'local' ? `local run at ${deps.target.endpoint}` : 'AWS';
    const findings = examined.flatMap((part) => part.findings);
    return {
      exitCode: exitOfFindings(findings),
      data: { stage: deps.target.stage, now: now.toISOString(), examined },
      now,
      render: (screen) => [
        `${screen.paint('bold', `stage ${deps.target.stage}`)}, ${where}, ${screen.head}`,
        ...partLines(examined, screen),
        '',
        sumLine(findings, screen),
      ],
    };
  },
};

/** The columns of all parts are aligned with each other. */
function partLines(examined: readonly Examined[], screen: TextScreen): readonly string[] {
  const all = examined.flatMap(({ findings }) => findings);
  const blocks = findingBlocks(all, screen);
  const blockOf = new Map(all.map((finding, index) => [finding, blocks[index] ?? []]));
  return examined.flatMap(({ title, findings }) => [
    screen.paint('bold', title),
    ...findings.flatMap((finding) => (blockOf.get(finding) ?? []).map((line) => `  ${line}`)),
  ]);
}

function sumLine(findings: readonly Finding[], { paint }: TextScreen): string {
  const { problems, warnings } = countedNeeds(findings);
  if (problems + warnings === 0) return paint('green', 'nothing is wrong');
  return paint(problems > 0 ? 'red' : 'yellow', needsWords(findings));
}

import type { Step } from '#shared/text/step.ts';
import { failureOf } from './failures.ts';
import type { Target } from './target.ts';

/** A time that belongs to a finding: each surface writes it in its own way. */
interface Moment {
  /** `since`, `next probe`. */
  readonly says: string;
  /** RFC 3339 in UTC. */
  readonly at: string;
}

/** What was found about one subject. */
export interface Finding {
  /** Names one finding of a list. */
  readonly subject: string;
  /** `problem`: you must act. `warning`: you should know. `unknown`: it could not be looked at, or need not be. */
  readonly state: 'ok' | 'unknown' | 'warning' | 'problem';
  /** What is, or the cause of what is not, in one line. It holds no time and no command. */
  readonly says: string;
  readonly moments?: readonly Moment[];
  /** What to do about it. */
  readonly next?: Step;
  /** The subject of the finding that explains this one: repair that, and this one goes. It is not counted. */
  readonly causedBy?: string;
}

/** A finding before the list is whole: subjects that explain it if one of them is wrong too, the first before the second. */
export interface JudgedFinding extends Omit<Finding, 'causedBy'> {
  readonly causes?: readonly string[];
}

const judgedAs =
  (state: Finding['state']) =>
  (subject: string, says: string, more?: Pick<JudgedFinding, 'moments' | 'next' | 'causes'>): JudgedFinding => ({
    subject,
    state,
    says,
    ...more,
  });

/** Makes a finding of each state. */
export const judged = {
  ok: judgedAs('ok'),
  unknown: judgedAs('unknown'),
  warning: judgedAs('warning'),
  problem: judgedAs('problem'),
};

/** Finds the cause of each finding among the others. Pure. */
export function withCauses(findings: readonly JudgedFinding[]): readonly Finding[] {
  const wrong = new Set(findings.filter(isNeed).map(({ subject }) => subject));
  return findings.map(({ causes = [], ...finding }) => {
    const causedBy = isNeed(finding)
      ? causes.find((subject) => subject !== finding.subject && wrong.has(subject))
      : undefined;
    // What helps is said of the cause.
    return causedBy === undefined ? finding : { ...finding, next: undefined, causedBy };
  });
}

/** Whether it needs attention. */
export function isNeed({ state }: Pick<Finding, 'state'>): boolean {
  return state === 'problem' || state === 'warning';
}

/** How many you must act on and how many you should know: a cause counts once, and what follows from it does not. Pure. */
export function countedNeeds(findings: readonly Finding[]): { readonly problems: number; readonly warnings: number } {
  const count = (state: Finding['state']) =>
    findings.filter((finding) => finding.state === state && finding.causedBy === undefined).length;
  return { problems: count('problem'), warnings: count('warning') };
}

/** Prints the page of the runbook for what was changed manually: a plain deployment compares templates and leaves it as it is. */
const page = ['autopilot', 'runbook', 'changed-by-hand'] as const;

/** The resource exists, and differs from its deployment. */
export const putBack: Step = { says: 'Deploy with --revert-drift.', command: page };

/** The resource is gone; AWS promises of no kind of deployment that it makes the resource again. */
export const makeAgain: Step = {
  says: 'Deploy with --revert-drift. If it stays away, and nothing runs, destroy the workers and deploy them again.',
  command: page,
};

/** The same step, with a sentence before it. */
export function after(says: string, step: Step): Step {
  return { ...step, says: `${says} ${step.says}` };
}

/** Looks at one side of a stage; that it could not be looked at is a finding too. */
export async function lookedAt<Found extends JudgedFinding>(
  subject: string,
  look: () => Promise<readonly Found[]>,
  target: Target,
): Promise<readonly (Found | Finding)[]> {
  try {
    return await look();
  } catch (error) {
    const { message } = failureOf(error, target);
    return [judged.problem(subject, `could not be looked at: ${message}`)];
  }
}

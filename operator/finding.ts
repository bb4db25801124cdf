import { failureOf } from './failures.ts';
import type { Target } from './target.ts';

/** What was found about one subject. */
export interface Finding {
  readonly subject: string;
  /** `problem`: a person must act. `warning`: a person should know. `unknown`: it could not be looked at, or need not be. */
  readonly state: 'ok' | 'unknown' | 'warning' | 'problem';
  /** What is, or the cause of what is not, in one line. */
  readonly says: string;
  /** What to do about it, in the same line. */
  readonly next?: string;
}

/** Steps for what was changed by hand in an account: a plain deployment compares templates and leaves it as it is. */
const page = 'autopilot runbook changed-by-hand';

/** The resource exists, and differs from its deployment. */
export const putBack = `deploy with --revert-drift (${page})`;

/** The resource is gone; AWS promises of no kind of deployment that it makes the resource again. */
export const makeAgain = `deploy with --revert-drift; if it stays away, and nothing runs, destroy the workers and deploy them again (${page})`;

/** Looks at one side of a stage; that it could not be looked at is a finding too. */
export async function lookedAt(
  subject: string,
  look: () => Promise<readonly Finding[]>,
  target: Target,
): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    const { message } = failureOf(error, target);
    return [{ subject, state: 'problem', says: `could not be looked at: ${message}` }];
  }
}

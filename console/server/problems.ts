import * as z from 'zod';
import { toError } from '#shared/errors/app-error.ts';
import { failureOf } from '#operator/failures.ts';
import type { Target } from '#operator/target.ts';
import type { Problem } from '../api.ts';
import type { ConsoleStage } from './console-stage.ts';

/** A status and a problem that end a request. */
export class RequestProblem extends Error {
  override readonly name = 'RequestProblem';
  readonly status: 400 | 401 | 403 | 404 | 409 | 413 | 429 | 502;
  readonly problem: Problem;

  constructor(status: RequestProblem['status'], code: string, message: string) {
    super(message);
    this.status = status;
    this.problem = { code, message };
  }
}

/**
 * The problem of a value that was thrown while a stage was read: the same sentence as the CLI's,
 * and the command that helps.
 * @param part - what is missing because of it
 */
export function problemOf(caught: unknown, target: Target | undefined, part?: string): Problem {
  if (caught instanceof z.ZodError) return { code: 'USAGE', message: z.prettifyError(caught), part };
  const { code, message, step } = failureOf(caught, target);
  return { code, message: step?.says ?? message, part, command: step?.command ?? helpFor(caught, target) };
}

/** Credentials of an SSO session end each day; the SDK names several errors for it. */
function helpFor(caught: unknown, target: Target | undefined): readonly string[] | undefined {
  if (target?.kind !== 'aws') return undefined;
  const { name, message } = toError(caught);
  if (!/SSO|ExpiredToken|CredentialsProviderError|TokenRefreshRequired/.test(`${name} ${message}`)) return undefined;
  return ['aws', 'sso', 'login', ...(target.profile === undefined ? [] : ['--profile', target.profile])];
}

/** The status of a problem that was thrown while a stage was asked. */
export function statusOf({ code }: Problem): RequestProblem['status'] {
  if (code === 'USAGE') return 400;
  return code === 'ROWS_CHANGED' || code === 'LOST_RACE' ? 409 : 502;
}

/** The target of a stage; `undefined` if the stage cannot be opened. */
export function targetOfStage({ deps }: Pick<ConsoleStage, 'deps'>): Target | undefined {
  try {
    return deps().target;
  } catch {
    return undefined;
  }
}

/** Reads a part of an answer; that it could not be read is said in the answer, and hides nothing else. */
export async function partOf<Part>(
  name: string,
  read: () => Promise<Part>,
  { target, problems }: { readonly target: Target; readonly problems: Problem[] },
): Promise<Part | undefined> {
  try {
    return await read();
  } catch (error) {
    problems.push(problemOf(error, target, name));
    return undefined;
  }
}

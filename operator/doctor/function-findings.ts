import * as z from 'zod';
import type { InvocationAnswer } from '#shared/aws/lambda-function.ts';
import { jsonIn } from '../stage/ask-stage.ts';
import { failureOf, isDenied } from '../errors.ts';
import { type Finding, putBack } from './finding.ts';
import type { OperatorDeps } from '../operator-deps.ts';
import type { DeployedFunction } from './stage-parts.ts';

/** What a function answers to the empty event: each dependency, and `ok` or the error's text. */
const smokeAnswer = z.object({ ok: z.boolean(), checks: z.record(z.string(), z.string()) });

const errorDocument = z.object({ errorMessage: z.string() });

/** Sends the empty event to every function: it looks at each thing that it depends on, and does nothing. */
export async function functionFindings(
  functions: readonly DeployedFunction[],
  deps: Pick<OperatorDeps, 'stage' | 'target'>,
): Promise<readonly Finding[]> {
  return Promise.all(functions.map((one) => functionFinding(one, deps)));
}

async function functionFinding(
  one: DeployedFunction,
  { stage, target }: Pick<OperatorDeps, 'stage' | 'target'>,
): Promise<Finding> {
  const subject = one.name;
  if (one.functionName === undefined) {
    return { subject, state: 'problem', says: 'the stack has no such function', next: 'deploy this version' };
  }
  try {
    const answer = await stage.invoke(one.functionName, '{}');
    return { subject, ...answered(answer, logStep(one, target)) };
  } catch (error) {
    // What a person may not do is no fault of the stage: a reader may ask one function alone.
    const state = isDenied(error) ? 'unknown' : 'problem';
    return { subject, state, says: `cannot be asked: ${failureOf(error, target).message}` };
  }
}

/** An error document can be long; its beginning names it. */
const mostSaid = 200;

function answered({ payload, functionError }: InvocationAnswer, readLog: string): Omit<Finding, 'subject'> {
  const smoke = functionError === undefined ? smokeAnswer.safeParse(jsonIn(payload)).data : undefined;
  if (smoke === undefined) {
    const said = errorDocument.safeParse(jsonIn(payload)).data?.errorMessage ?? payload;
    return { state: 'problem', says: `fails: ${said.slice(0, mostSaid)}`, next: readLog };
  }
  const failed = Object.entries(smoke.checks).filter(([, said]) => said !== 'ok');
  if (failed.length === 0) return { state: 'ok', says: `reaches ${Object.keys(smoke.checks).join(', ')}` };
  return {
    state: 'problem',
    says: failed.map(([what, said]) => `${what}: ${said}`).join('; '),
    next: nextStep(failed, readLog),
  };
}

function nextStep(failed: readonly (readonly [string, string])[], readLog: string): string {
  if (failed.some(([, said]) => /AccessDenied|not authorized/.test(said))) {
    return `its role lacks a permission, or a policy forbids it: ${putBack}`;
  }
  return failed.every(([what]) => what === 'token' || what === 'gateway') ? 'as said of the gateway above' : readLog;
}

function logStep({ logGroup }: DeployedFunction, target: OperatorDeps['target']): string {
  if (target.kind === 'local') return 'read what npm start prints of it';
  return logGroup === undefined ? 'read its log' : `aws logs tail ${logGroup} --since 15m`;
}

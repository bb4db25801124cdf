import * as z from 'zod';
import { versionOutput } from '#shared/vocabulary/stack-outputs.ts';
import type { InvocationAnswer } from '#shared/aws/lambda-function.ts';
import { jsonIn } from '../stage/ask-stage.ts';
import { failureOf, isDenied } from '../errors.ts';
import { type Finding, putBack } from './finding.ts';
import type { OperatorDeps } from '../operator-deps.ts';
import type { DeployedFunction } from './stage-parts.ts';

/** What a function answers to the empty event: each dependency, and `ok` or the error's text. A function of 0.9.0 does not say its version. */
const smokeAnswer = z.object({
  ok: z.boolean(),
  version: z.string().optional(),
  checks: z.record(z.string(), z.string()),
});

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
    const [answer, outputs] = await Promise.all([stage.invoke(one.functionName, '{}'), stage.outputs()]);
    return { subject, ...answered(answer, { readLog: logStep(one, target), stageVersion: outputs[versionOutput] }) };
  } catch (error) {
    // What a person may not do is no fault of the stage: a reader may ask one function alone.
    const state = isDenied(error) ? 'unknown' : 'problem';
    return { subject, state, says: `cannot be asked: ${failureOf(error, target).message}` };
  }
}

/** An error document can be long; its beginning names it. */
const mostSaid = 200;

/** @param told.stageVersion - the version that deployed the stage; a function of another one was put there by hand, or its deployment ended early */
function answered(
  { payload, functionError }: InvocationAnswer,
  { readLog, stageVersion }: { readonly readLog: string; readonly stageVersion: string | undefined },
): Omit<Finding, 'subject'> {
  const smoke = functionError === undefined ? smokeAnswer.safeParse(jsonIn(payload)).data : undefined;
  if (smoke === undefined) {
    const said = errorDocument.safeParse(jsonIn(payload)).data?.errorMessage ?? payload;
    return { state: 'problem', says: `fails: ${said.slice(0, mostSaid)}`, next: readLog };
  }
  const failed = Object.entries(smoke.checks).filter(([, said]) => said !== 'ok');
  if (failed.length === 0) {
    if (smoke.version !== stageVersion) {
      const says = `is of version ${smoke.version ?? '0.9.0'}, its stage of ${stageVersion ?? '0.9.0'}`;
      return { state: 'problem', says, next: putBack };
    }
    return { state: 'ok', says: `reaches ${Object.keys(smoke.checks).join(', ')}` };
  }
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
  if (target.kind === 'local') return 'read what the stage prints of it, where autopilot start runs';
  return logGroup === undefined ? 'read its log' : `aws logs tail ${logGroup} --since 15m`;
}

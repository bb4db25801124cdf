import * as z from 'zod';
import type { DeployedMapping, InvocationAnswer } from '../aws/lambda-function.ts';
import type { TopOfBucket } from '../aws/top-of-bucket.ts';
import { keyFileName } from '#shared/net/loopback.ts';
import { datasetsPrefix } from '#shared/vocabulary/resource-names.ts';
import { ownBucketBegin, versionOutput } from '#shared/vocabulary/stack-outputs.ts';
import { causeOf, failureOf, isDenied } from '../failures.ts';
import { after, type Finding, type JudgedFinding, lookedAt, makeAgain, putBack, judged } from '../finding.ts';
import { commandLine } from '#shared/text/command-line.ts';
import type { Step } from '#shared/text/step.ts';
import { jsonIn } from '#shared/text/json-in.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import type { Target } from '../target.ts';
import type { DeployedFunction, DeployedMappingId } from './stage-parts.ts';

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
): Promise<readonly JudgedFinding[]> {
  return Promise.all(functions.map((one) => functionFinding(one, deps)));
}

async function functionFinding(
  one: DeployedFunction,
  { stage, target }: Pick<OperatorDeps, 'stage' | 'target'>,
): Promise<JudgedFinding> {
  const subject = one.name;
  if (one.functionName === undefined)
    return judged.problem(subject, 'the stack has no such function', { next: { says: 'Deploy this version.' } });
  try {
    const [answer, outputs] = await Promise.all([stage.invoke(one.functionName, '{}'), stage.outputs()]);
    return answered(answer, { subject, readLog: logStep(one, target), stageVersion: outputs[versionOutput] });
  } catch (error) {
    // What a person may not do is no fault of the stage: a reader may ask one function alone.
    const says = `cannot be asked: ${failureOf(error, target).message}`;
    return judged[isDenied(error) ? 'unknown' : 'problem'](subject, says);
  }
}

/** An error document can be long; its beginning names it. */
const mostSaid = 200;

/**
 * @param known.stageVersion - the version that deployed the stage; a function of another one was
 *   put there by hand, or its deployment ended early
 */
function answered(
  { payload, functionError }: InvocationAnswer,
  {
    subject,
    readLog,
    stageVersion,
  }: { readonly subject: string; readonly readLog: Step; readonly stageVersion: string | undefined },
): JudgedFinding {
  const smoke = functionError === undefined ? smokeAnswer.safeParse(jsonIn(payload)).data : undefined;
  if (smoke === undefined) {
    const said = errorDocument.safeParse(jsonIn(payload)).data?.errorMessage ?? payload;
    return judged.problem(subject, `fails: ${said.slice(0, mostSaid)}`, { next: readLog });
  }
  const failed = Object.entries(smoke.checks).filter(([, said]) => said !== 'ok');
  if (failed.length === 0) {
    if (smoke.version !== stageVersion) {
      const says = `is of version ${smoke.version ?? '0.9.0'}, its stage of ${stageVersion ?? '0.9.0'}`;
      return judged.problem(subject, says, { next: putBack });
    }
    return judged.ok(subject, `reaches ${Object.keys(smoke.checks).join(', ')}`);
  }
  const isForbidden = failed.some(([, said]) => /AccessDenied|not authorized/.test(said));
  const says = failed.map(([what, said]) => `${what}: ${said}`).join('; ');
  return judged.problem(subject, says, {
    // What keeps every function from the gateway is said once.
    causes: failed.every(([what]) => what === 'token' || what === 'gateway') ? ['token', 'gateway'] : [],
    next: isForbidden ? after('Its role lacks a permission, or a policy forbids it.', putBack) : readLog,
  });
}

/** How to read what a function says of its work. */
export function logStep({ logGroup }: DeployedFunction, target: OperatorDeps['target']): Step {
  if (target.kind === 'local') return { says: 'Read what the stage prints of it, in the terminal that runs it.' };
  return {
    says: 'Read its log.',
    command:
      logGroup === undefined ? undefined : ['aws', 'logs', 'tail', logGroup, '--since', '15m', ...whereOf(target)],
  };
}

/** Looks at what feeds each function from its queues. One line if all are as deployed. */
export async function mappingFindings(
  functions: readonly DeployedFunction[],
  { stage }: Pick<OperatorDeps, 'stage'>,
): Promise<readonly Finding[]> {
  const all = functions.flatMap(({ name, mappings }) => mappings.map((mapping) => ({ name, mapping })));
  const found = await Promise.all(
    all.map(async ({ name, mapping }) => mappingFinding(name, mapping, await stage.mapping(mapping.uuid))),
  );
  const wrong = found.filter((finding) => finding !== undefined);
  if (wrong.length > 0) return wrong;
  return [judged.ok('mappings', `all ${all.length} take from their queues`)];
}

function mappingFinding(
  name: string,
  { uuid, queue }: DeployedMappingId,
  mapping: DeployedMapping | undefined,
): Finding | undefined {
  const subject = `mapping of ${name}`;
  const waits = `nothing is taken from the queue ${queue}`;
  if (mapping === undefined) {
    const next = after('The queue keeps its messages.', makeAgain);
    return judged.problem(subject, `${waits}: its mapping was deleted`, { next });
  }
  const { state, lastResult = '' } = mapping;
  if (state.startsWith('Disabl')) {
    const command = ['aws', 'lambda', 'update-event-source-mapping', '--uuid', uuid, '--enabled'];
    return judged.problem(subject, `${waits}: its mapping is disabled`, { next: { says: 'Enable it.', command } });
  }
  const next = { says: 'Look again in a minute.' };
  if (state !== 'Enabled')
    return judged.warning(subject, `its mapping from ${queue} is ${state.toLowerCase()}`, { next });
  if (!lastResult.startsWith('PROBLEM')) return undefined;
  return judged.warning(subject, `Lambda says of ${queue}: ${lastResult}`, { next });
}

/** Files outside of the announced prefixes: no worker, row or alarm knows of them. */
const subject = 'other files';

/** A slip is seen by a few names. */
const mostNamed = 3;
const longestName = 60;

/** Looks at the top of the bucket. */
export async function outsideFindings(deps: OperatorDeps): Promise<readonly Finding[]> {
  return lookedAt(subject, async () => [await lookOutside(deps)], deps.target);
}

async function lookOutside({ stage, target }: OperatorDeps): Promise<Finding> {
  const { BucketName: bucket } = await stage.outputs();
  try {
    return outsideFinding(await stage.topOfBucket(), { bucket, target });
  } catch (error) {
    if (!isDenied(error)) throw error;
    // The policies for people of an older version do not list the top of the bucket.
    return judged.unknown(subject, `cannot be looked for: ${causeOf(error)}`);
  }
}

/** What lies outside of the prefix. In a bucket that the stage shares, others' files are nothing to know. Pure. */
function outsideFinding(
  { names, isPartial }: TopOfBucket,
  { bucket, target }: { readonly bucket: string; readonly target: Target },
): Finding {
  const outside = names.filter((name) => name !== datasetsPrefix);
  const next = { says: 'List them all.', command: topListing(bucket, target) };
  if (outside.length === 0 && isPartial) return judged.unknown(subject, 'not all names were listed', { next });
  if (outside.length === 0) return judged.ok(subject, `none outside of ${datasetsPrefix}`);
  const named = outside.slice(0, mostNamed).map((name) => commandLine([cut(name)]));
  const more = outside.length > named.length || isPartial ? ', …' : '';
  const found = `outside of ${datasetsPrefix} no part of Autopilot sees ${named.join(', ')}${more}`;
  return bucket.startsWith(ownBucketBegin(target.stage))
    ? judged.warning(subject, `${found}; put below ${datasetsPrefix} what is meant for it`, { next })
    : judged.unknown(subject, `${found}; the bucket is shared`, { next });
}

/** The words of the command that lists everything at the top of a bucket. */
export function topListing(bucket: string, target: Target): readonly string[] {
  const list = ['aws', 's3api', 'list-objects-v2', '--bucket', bucket, '--prefix', '', '--delimiter', '/'];
  const command = [...list, '--query', '[CommonPrefixes[].Prefix, Contents[].Key]', ...whereOf(target)];
  if (target.kind !== 'local') return command;
  return ['env', `AWS_SHARED_CREDENTIALS_FILE=${target.folder}/${keyFileName}`, ...command];
}

function whereOf(target: Target): readonly string[] {
  if (target.kind === 'local') return ['--endpoint-url', target.endpoint, '--region', target.region];
  return (['profile', 'region'] as const).flatMap((name) => {
    const value = target[name];
    return value === undefined ? [] : [`--${name}`, value];
  });
}

function cut(name: string): string {
  return name.length > longestName ? `${name.slice(0, longestName)}…` : name;
}

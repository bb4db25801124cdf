import type * as z from 'zod';
import { productVersion } from '#shared/vocabulary/product-version.ts';
import type { FunctionName } from '#shared/vocabulary/resource-names.ts';
import { type StageOutputs, versionOutput } from '#shared/vocabulary/stack-outputs.ts';
import { OperatorError } from '../errors.ts';
import type { AskingDeps } from './operator-deps.ts';
import { within } from './stage-clients.ts';
import { jsonIn } from '#shared/text/json-in.ts';

/** How the version of a stage stands to that of this command. */
export interface VersionStanding {
  /** Absent if the stage does not say it: 0.9.0 was the last version that did not. */
  readonly stage?: string | undefined;
  /** What differs, and what to do about it; absent if they are the same. */
  readonly says?: string;
}

/**
 * Compares the version that deployed a stage with that of this command. Pure.
 * @param own - the version of this command, `1.4.2`
 */
export function versionStanding(
  outputs: Pick<StageOutputs, typeof versionOutput>,
  own = productVersion,
): VersionStanding {
  const stage = outputs[versionOutput];
  if (stage === own) return { stage };
  const says =
    stage === undefined
      ? `this stage is 0.9.0 or older, this command is ${own}: deploy this version`
      : `this stage is ${stage}, this command is ${own}: ${isOlder(stage, own) ? 'deploy this version' : `install gateway-autopilot@${stage}`}`;
  return { stage, says: `${says}. Until then only what both know works` };
}

const byNumber = new Intl.Collator('en', { numeric: true });

/** By the order of Semantic Versioning (semver.org, 11), but for the order of two pre-releases of one version, which is that of their texts. */
function isOlder(version: string, than: string): boolean {
  const [[core = '', pre], [thanCore = '', thanPre]] = [version.split('-', 2), than.split('-', 2)];
  const difference = byNumber.compare(core, thanCore);
  if (difference !== 0) return difference < 0;
  return pre !== undefined && (thanPre === undefined || byNumber.compare(pre, thanPre) < 0);
}

/** Longer than the function may take (infra/config/stage-numbers.ts): its own timeout comes first, and says more. */
const longestAnswerMs = 70_000;

/** Answers every question; its role may change nothing. */
const answering: FunctionName = 'answer-questions';

/**
 * Asks a deployed function a question that changes nothing. The answer is that of the deployed code
 * and configuration, so it never drifts from what the stage will do. It is the same against AWS and
 * on one machine.
 * @throws OperatorError if the function fails, answers as another version would, or gives no answer
 *   in time; what the signal aborted with
 */
export async function askStage<Answer>(
  question: { readonly ask: string } & Readonly<Record<string, unknown>>,
  answer: z.ZodType<Answer>,
  { stage, signal }: AskingDeps,
  forMs: number = longestAnswerMs,
): Promise<Answer> {
  const { outputs, payload, functionError } = await within({ forMs, signal }, async (ends) => {
    const found = await stage.outputs();
    const answered = await stage.invoke(found.AnswerQuestionsFunctionArn, JSON.stringify(question), ends);
    return { outputs: found, ...answered };
  });
  const parsed = functionError === undefined ? answer.safeParse(jsonIn(payload)) : undefined;
  if (parsed?.success === true) return parsed.data;
  const said = payload === '' ? (functionError ?? 'nothing') : payload.slice(0, mostSaid);
  const { says: skew } = versionStanding(outputs);
  const because = skew === undefined ? '' : ` (${skew})`;
  throw new OperatorError(
    `${answering} did not answer the question "${question.ask}" as this version does: ${said}${because}`,
    { code: 'NO_ANSWER' },
  );
}

/** An error document of a function can be long; its beginning names it. */
const mostSaid = 300;

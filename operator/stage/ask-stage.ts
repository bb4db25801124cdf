import type * as z from 'zod';
import type { FunctionName } from '#shared/vocabulary/resource-names.ts';
import { OperatorError } from '../errors.ts';
import type { AskingDeps } from '../operator-deps.ts';
import { within } from './stage-clients.ts';
import { versionStanding } from './stage-version.ts';

/** Longer than the function may take (infra/config/stage-numbers.ts): its own timeout comes first, and says more. */
const longestAnswerMs = 70_000;

/** Answers every question; its role may change nothing. */
const answering: FunctionName = 'answer-questions';

/**
 * Asks a deployed function a question that changes nothing. The answer is that of the deployed code and configuration, so it never drifts from
 * what the stage will do; the same against AWS and on one machine.
 * @throws OperatorError if the function fails, answers as another version would, or gives no answer in time; what the signal aborted with
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

/** The document in a text; `undefined` where it holds none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

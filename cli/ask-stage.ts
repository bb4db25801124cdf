import type * as z from 'zod';
import type { FunctionName } from '#shared/vocabulary/function-names.ts';
import type { CommandDeps } from './deps.ts';
import { CliError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { jsonIn } from './json-in.ts';

/** Answers every question; its role may change nothing. */
const answering: FunctionName = 'answer-questions';

/**
 * Asks a deployed function a question that changes nothing. The answer is that of the deployed code and configuration, so it never drifts from
 * what the stage will do; the same against AWS and on one machine.
 * @throws CliError where it fails, or answers as another version would
 */
export async function askStage<Answer>(
  question: { readonly ask: string } & Readonly<Record<string, unknown>>,
  answer: z.ZodType<Answer>,
  { stage }: Pick<CommandDeps, 'stage'>,
): Promise<Answer> {
  const { AnswerQuestionsFunctionArn: functionArn } = await stage.outputs();
  const { payload, functionError } = await stage.invoke(functionArn, JSON.stringify(question));
  const parsed = functionError === undefined ? answer.safeParse(jsonIn(payload)) : undefined;
  if (parsed?.success === true) return parsed.data;
  const said = payload === '' ? (functionError ?? 'nothing') : payload.slice(0, mostSaid);
  throw new CliError(`${answering} did not answer the question "${question.ask}" as this version does: ${said}`, {
    exitCode: exitCodes.failed,
    code: 'NO_ANSWER',
  });
}

/** An error document of a function can be long; its beginning names it. */
const mostSaid = 300;

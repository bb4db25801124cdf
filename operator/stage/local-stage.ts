/** Requests to what a stage on this machine answers itself, below `/_local/`. */
import * as z from 'zod';
import { signedFetch } from '#shared/net/request-signature.ts';
import { OperatorError } from '../errors.ts';
import { provenKey, type Target } from '../target.ts';
import { within } from './stage-clients.ts';

/** A request to the stage itself. */
export interface LocalRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly body?: string;
  /** How long the answer may take. @default 30 s */
  readonly forMs?: number;
}

const longestMs = 30_000;

/** The change calendars that were moved, by their names. */
export const calendarsAnswer = z.record(z.string(), z.object({ isOpen: z.boolean(), until: z.string().optional() }));

/** The alarms that campaigns halt on, by their names. */
export const alarmsAnswer = z.record(z.string(), z.enum(['OK', 'ALARM']));

/**
 * Asks the stage, signed with the key of its folder.
 * @throws OperatorError with what the stage says if it refuses
 */
export async function askLocalStage(
  target: Extract<Target, { kind: 'local' }>,
  { method, url, body = '', forMs = longestMs }: LocalRequest,
  signal?: AbortSignal,
): Promise<unknown> {
  const { endpoint, region } = target;
  const key = await provenKey(target);
  // A body has a type, or `fetch` would add one that is not signed.
  const headers: Record<string, string> = body === '' ? {} : { 'content-type': 'application/json' };
  return within({ forMs, signal }, async (ends) =>
    answerOf(
      await signedFetch(endpoint, { method, url, headers, body }, { key, region, service: 'local', signal: ends }),
    ),
  );
}

async function answerOf(response: Response): Promise<unknown> {
  const answer = parsed(await response.text());
  if (response.ok) return answer;
  const problem: unknown = typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'error') : undefined;
  throw new OperatorError(`the stage refused it: ${String(problem)}`, { code: 'CLOCK_REFUSED' });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

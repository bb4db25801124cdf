/** Questions to the console's server: each bears the session as a header, which no other page can send. */
import type { ProblemAnswer } from '../../api.ts';
import { closeSession, session } from './session.ts';

export type ShownProblem = ProblemAnswer['problem'];

/** The server refused, or does not answer. */
class AskError extends Error {
  override readonly name = 'AskError';
  readonly problem: ShownProblem;

  constructor(problem: ShownProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** Asks one thing. Throws an `AskError` with the server's own sentence if there is no answer. */
export async function ask<T>(path: string, request: RequestInit = {}): Promise<T> {
  const response = await openStream(path, request);
  return (await response.json()) as T;
}

/** The same, for an answer that is read piece by piece. */
export async function openStream(path: string, request: RequestInit = {}): Promise<Response> {
  const current = session.peek();
  const headers = new Headers(request.headers);
  if (current.kind === 'open') headers.set('authorization', `Bearer ${current.session}`);
  let response: Response;
  try {
    response = await fetch(path, { ...request, headers });
  } catch (error) {
    if (request.signal?.aborted === true) throw error;
    throw new AskError({ code: 'UNREACHABLE', message: 'The console does not answer.' });
  }
  if (response.ok) return response;
  const problem = await problemOf(response);
  if (response.status === 401) closeSession(problem.message);
  throw new AskError(problem);
}

async function problemOf(response: Response): Promise<ShownProblem> {
  try {
    return ((await response.json()) as ProblemAnswer).problem;
  } catch {
    return { code: 'BAD_ANSWER', message: `The console answered HTTP ${response.status} without a reason.` };
  }
}

/** Sends a JSON body. */
export async function post<T>(path: string, body: unknown): Promise<T> {
  return ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}

/** The path of a stage's answer. Each part is encoded: names and keys are text of others. */
export function stagePath(stage: string, ...parts: readonly string[]): string {
  return ['/api/stages', ...[stage, ...parts].map((part) => encodeURIComponent(part))].join('/');
}

/** A path with its query; what is undefined or empty stays away. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const filled = Object.entries(query).filter((entry): entry is [string, string] => (entry[1] ?? '') !== '');
  return filled.length === 0 ? path : `${path}?${new URLSearchParams(filled).toString()}`;
}

/** Makes a problem of a thrown value. */
export function problemFrom(caught: unknown): ShownProblem {
  if (caught instanceof AskError) return caught.problem;
  return { code: 'PAGE', message: caught instanceof Error ? caught.message : String(caught) };
}

/** The clock of the console's machine against the browser's: through an SSH tunnel they are two. The quickest answer shows it best. */
let aheadMs = Infinity;

/** The browser's time at which an answer was read. */
export function instantHere(asOf: string): number {
  const at = Date.parse(asOf);
  aheadMs = Math.min(aheadMs, Date.now() - at);
  return at + aheadMs;
}

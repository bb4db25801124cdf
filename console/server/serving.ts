import type { Hono } from 'hono';
import * as z from 'zod';
import type { PageFiles } from '../bundle-page.ts';
import type { ConsoleStage } from './console-stage.ts';
import type { Live } from './live.ts';
import { RequestProblem } from './problems.ts';
import type { Session, Sessions } from './session.ts';

/** What all routes share: what they serve, how they answer, how they read a body. */

/** What a person may let the console change. */
export const writeKinds = ['upload', 'resolve', 'switch'] as const;

/** See {@link writeKinds}. */
export type WriteKind = (typeof writeKinds)[number];

/** A stage with its one reading for all tabs. */
export interface ServedStage extends ConsoleStage {
  readonly live: Live;
}

/** What the console serves. */
export interface AppParts {
  readonly page: PageFiles;
  readonly stages: readonly ServedStage[];
  readonly sessions: Sessions;
  readonly allow: readonly WriteKind[];
  readonly operator: string;
  /** A stream that is silent for this long is closed. */
  readonly idleMs: number;
  /** docs/runbook.md; absent if it is not there. */
  readonly runbook?: string | undefined;
  /** Sends a stream its end, before the console goes. */
  readonly onGone: (listener: () => void) => () => void;
}

/** What a request knows beyond itself. */
export interface ConsoleEnv {
  Variables: { session: Session; stage: ServedStage };
}

/** The console's routes. */
export type ConsoleApp = Hono<ConsoleEnv>;

/** The stage of a path, or of `stage=`. */
export function stageOf(stages: readonly ServedStage[], name: string | undefined): ServedStage {
  const found = stages.find((stage) => stage.name === name);
  if (found === undefined) throw new RequestProblem(404, 'NO_STAGE', 'this console has no such stage');
  return found;
}

/** Answers with what the schema names, and nothing beside it: a field reaches the browser only if it was meant to. */
export function answer<Schema extends z.ZodType>(schema: Schema, data: z.input<Schema>): Response {
  return Response.json(schema.parse(data));
}

/** The body of a request as JSON of a shape. */
export async function bodyOf<Schema extends z.ZodType>(schema: Schema, request: Request): Promise<z.output<Schema>> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\b/i.test(type)) throw new RequestProblem(400, 'USAGE', 'the body must be application/json');
  const parsed = schema.safeParse(await request.json().catch(() => undefined));
  if (parsed.success) return parsed.data;
  throw new RequestProblem(400, 'USAGE', z.prettifyError(parsed.error));
}

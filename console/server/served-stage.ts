import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, Hono } from 'hono';
import * as z from 'zod';
import type { OperatorDeps } from '#operator/stage/operator-deps.ts';
import { kept } from '#operator/stage/stage-clients.ts';
import type { Target } from '#operator/target.ts';
import type { NowAnswer, Problem } from '../api.ts';
import type { ConsoleAssets } from '../assets.ts';
import { type ConsoleStage, depsUntil } from './console-stage.ts';
import { problemOf, RequestProblem } from './problems.ts';
import type { Session, Sessions } from './session.ts';
import { jsonIn } from '#shared/text/json-in.ts';
import type { WriteKind } from '../api.ts';

/** What a tab gets to know of a stage: its state, or why it cannot be read. */
export type LiveEvent =
  | { readonly event: 'now'; readonly data: NowAnswer }
  | { readonly event: 'problem'; readonly data: { readonly problem: Problem } };

/** One stage for all tabs: it is read once, however many look at it, and not at all if none does. */
export interface Live {
  /** The last reading, if it is young enough; else a new one. */
  readonly read: () => Promise<NowAnswer>;
  /** Sends each reading to a listener, the first at once, until the returned function is called. */
  readonly listen: (listener: (event: LiveEvent) => void) => () => void;
  /** Reads everything again at once, for every tab: a decision was taken. */
  readonly refresh: () => void;
}

/** The ledger is read this often while a tab listens. */
export const readEveryMs = 15_000;

/** What following a stage needs. */
export interface LiveDeps {
  readonly read: () => Promise<NowAnswer>;
  /** Forgets what the reading keeps. @default it keeps nothing */
  readonly forget?: () => void;
  /** Of the stage, if it can be opened. */
  readonly target: () => Target | undefined;
  /** @default {@link readEveryMs} */
  readonly everyMs?: number;
}

/** Follows one stage. */
export function createLive({ read, forget, target, everyMs = readEveryMs }: LiveDeps): Live {
  const listeners = new Set<(event: LiveEvent) => void>();
  const newReading = () => kept(read, { forMs: everyMs, elapsedMs: () => performance.now() });
  let reading = newReading();
  let last: LiveEvent | undefined;
  let following: AbortController | undefined;
  let waiting: AbortController | undefined;

  const look = async (): Promise<LiveEvent> => {
    try {
      return { event: 'now', data: await reading() };
    } catch (error) {
      return { event: 'problem', data: { problem: problemOf(error, target()) } };
    }
  };
  const follow = async (): Promise<void> => {
    const { signal: ended } = (following = new AbortController());
    while (!ended.aborted) {
      const wait = (waiting = new AbortController());
      const found = (last = await look());
      for (const listener of listeners) listener(found);
      // The last tab may leave at any moment, and its leaving ends the wait; so does a change by a person.
      const signal = AbortSignal.any([ended, wait.signal]);
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => {});
    }
  };

  return {
    read: async () => reading(),
    listen(listener) {
      listeners.add(listener);
      if (listeners.size === 1) void follow();
      else if (last !== undefined) listener(last);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        following?.abort();
        last = undefined;
      };
    },
    refresh() {
      forget?.();
      reading = newReading();
      waiting?.abort();
    },
  };
}

// What all routes share: what they serve, how they answer, how they read a body.

/** A stage with its one reading for all tabs. */
export interface ServedStage extends ConsoleStage {
  readonly live: Live;
}

/** What the console serves. */
export interface AppParts {
  readonly stages: readonly ServedStage[];
  readonly sessions: Sessions;
  readonly allow: readonly WriteKind[];
  readonly operator: string;
  /** A stream that is silent for this long is closed. */
  readonly idleMs: number;
  readonly assets: () => Promise<ConsoleAssets>;
  /** Sends a stream its end, before the console goes. */
  readonly onGone: (listener: () => void) => () => void;
}

/** What a request knows beyond itself. */
export interface ConsoleEnv {
  /** `asOf`: when it came, by the clock of this machine. */
  Variables: { session: Session; stage: ServedStage; asOf: string };
}

/** The console's routes. */
export type ConsoleApp = Hono<ConsoleEnv>;

/** The stage of a path, or of `stage=`. */
export function stageOf(stages: readonly ServedStage[], name: string | undefined): ServedStage {
  const found = stages.find((stage) => stage.name === name);
  if (found === undefined) throw new RequestProblem(404, 'NO_STAGE', 'this console has no such stage');
  return found;
}

/** Answers as JSON. The type says what is meant to leave, and a test lists each field that does. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- each route names what it answers
export function answer<Answer extends object>(data: Answer): Response {
  return Response.json(data);
}

/** What a question to a stage reads with: it ends when the tab that asked has left. */
export function depsOf(c: Context<ConsoleEnv>): OperatorDeps {
  return depsUntil(c.var.stage.deps(), c.req.raw.signal);
}

/** The largest body that is no file. */
const maxJsonBytes = 1024 * 1024;

/** The body of a request as JSON of a shape. */
export async function bodyOf<Schema extends z.ZodType>(schema: Schema, request: Request): Promise<z.output<Schema>> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\b/i.test(type)) throw new RequestProblem(400, 'USAGE', 'the body must be application/json');
  const parsed = schema.safeParse(jsonIn(new TextDecoder().decode(await bytesOf(request, maxJsonBytes))));
  if (parsed.success) return parsed.data;
  throw new RequestProblem(400, 'USAGE', z.prettifyError(parsed.error));
}

/**
 * The bytes of a body, counted as they come: one that is too large is refused before it is held.
 * @param maxBytes - the most
 */
export async function bytesOf(request: Request, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of request.body ?? []) {
    size += part.length;
    if (size > maxBytes)
      throw new RequestProblem(413, 'TOO_LARGE', `the request is larger than ${Math.floor(maxBytes / 1024 ** 2)} MB`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

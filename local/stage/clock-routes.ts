import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import type { ExtraRoutes } from '../aws/wire/serve.ts';
import type { MovableClock } from '../clock/movable-clock.ts';
import type { LocalSchedules } from '../schedules/start-schedules.ts';

/** One move is at most ten years: more is a slip of the keyboard. */
const longestMoveMs = 3660 * 86_400_000;
const maxBodyBytes = 1024;

const move = z.strictObject({ forwardMs: z.number().int().min(0).max(longestMoveMs) });

/**
 * `GET /_local/clock` → `{now, offsetMs}`; `POST /_local/clock {"forwardMs": n}` moves it, fires what falls due on the way, and answers
 * `{now, offsetMs, fired: [{schedule, at}]}`. Served to this machine only, and not to pages in a browser.
 */
export function clockRoutes(clock: MovableClock, schedules: () => LocalSchedules | undefined): ExtraRoutes {
  return (request, response) => {
    if (request.url?.split('?')[0] !== '/_local/clock') return false;
    void answer(request, clock, schedules())
      .catch((error: unknown) => ({
        status: 500,
        body: { error: error instanceof Error ? error.message : String(error) },
      }))
      .then(({ status, body }) => send(response, status, body));
    return true;
  };
}

async function answer(
  request: IncomingMessage,
  clock: MovableClock,
  schedules: LocalSchedules | undefined,
): Promise<{ status: number; body: object }> {
  const time = () => ({ now: new Date(clock.now()).toISOString(), offsetMs: clock.offsetMs() });
  if (request.headers.origin !== undefined) return { status: 403, body: { error: 'not for pages in a browser' } };
  if (request.method === 'GET') return { status: 200, body: time() };
  if (request.method !== 'POST') return { status: 405, body: { error: 'GET or POST' } };
  const parsed = move.safeParse(parseJson(await readText(request)));
  if (!parsed.success) return { status: 400, body: { error: 'the body is {"forwardMs": milliseconds}, forward only' } };
  if (schedules === undefined) return { status: 503, body: { error: 'the stage is still starting' } };
  const fired = await schedules.moveForward(parsed.data.forwardMs);
  return {
    status: 200,
    body: {
      ...time(),
      fired: fired.map(({ schedule, scheduledTime }) => ({ schedule: schedule.name, at: scheduledTime.toISOString() })),
    },
  };
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > maxBodyBytes) break;
  }
  return text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

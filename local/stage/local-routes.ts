import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import type { ExtraRoutes } from '../aws/wire/serve.ts';
import { requireSigned } from '../aws/wire/signature.ts';
import { toError } from '#shared/errors/app-error.ts';
import type { AccessKey } from '#shared/net/request-signature.ts';
import { proofOf, proofPath } from '#shared/net/loopback.ts';
import type { LocalAlarms } from '../aws/cloudwatch/alarms.ts';
import type { LocalCalendars } from '../aws/ssm/change-calendars.ts';
import type { MovableClock } from '../clock/movable-clock.ts';
import type { LocalSchedules } from '../schedules/start-schedules.ts';

/** One move is at most ten years: more is a slip of the keyboard. */
const longestMoveMs = 3660 * 86_400_000;
const maxBodyBytes = 1024;

/** A challenge as `newChallenge` makes it: nothing else is given a proof. */
const challengeForm = /^[\w-]{43}$/;

const calendarMove = z.strictObject({
  name: z.string().regex(/^[\w.-]{3,128}$/),
  isOpen: z.boolean(),
  until: z.iso.datetime().optional(),
});

const alarmMove = z.strictObject({ name: z.string().min(1), state: z.enum(['OK', 'ALARM']) });

const move = z.strictObject({ forwardMs: z.number().int().min(0).max(longestMoveMs) });

/** What the routes of a stage need. */
export interface LocalRoutes {
  readonly clock: MovableClock;
  /** `undefined` until they run. */
  readonly schedules: () => LocalSchedules | undefined;
  /** @default none that can be moved */
  readonly calendars?: LocalCalendars;
  /** @default none that can be moved */
  readonly alarms?: () => LocalAlarms;
  /** Of the stage's folder. */
  readonly key: AccessKey;
  /** The address of the stage. */
  readonly endpoint: string;
}

/**
 * What the stage itself answers, to programs of this machine and not to pages in a browser:
 *
 * - `GET /_local/proof?challenge=…` → the proof that this stage has the key of its folder; asked for before anything is sent.
 * - `GET /_local/clock` → `{now, offsetMs}`; `POST /_local/clock {"forwardMs": n}` moves it, fires what falls due on the way, and answers
 *   `{now, offsetMs, fired: [{schedule, at}]}`. `GET` and `POST /_local/calendar` show and move change calendars,
 *   `/_local/alarm` alarms. All are signed with that key.
 */
export function localRoutes(routes: LocalRoutes): ExtraRoutes {
  return (request, response) => {
    const [path, query] = request.url?.split('?') ?? [];
    if (path === proofPath) {
      prove(query, response, routes);
      return true;
    }
    if (path !== '/_local/clock' && path !== '/_local/calendar' && path !== '/_local/alarm') return false;
    void answer(request, routes)
      .catch((error: unknown) => ({
        status: 500,
        body: { error: error instanceof Error ? error.message : String(error) },
      }))
      .then(({ status, body }) => send(response, status, body));
    return true;
  };
}

function prove(query: string | undefined, response: ServerResponse, { key, endpoint }: LocalRoutes): void {
  const challenge = new URLSearchParams(query).get('challenge') ?? '';
  if (!challengeForm.test(challenge)) return send(response, 400, { error: 'the challenge is 32 bytes in base64url' });
  response.writeHead(200, { 'content-type': 'text/plain' }).end(proofOf(key, endpoint, challenge));
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

async function answer(request: IncomingMessage, routes: LocalRoutes): Promise<Answer> {
  const { method = '', url = '', headers } = request;
  if (headers.origin !== undefined) return { status: 403, body: { error: 'not for pages in a browser' } };
  const body = await readText(request);
  try {
    await requireSigned(request, Buffer.from(body), {
      secretOf: () => routes.key.secretAccessKey,
      times: () => routes.clock.times(),
    });
  } catch (error) {
    return { status: 403, body: { error: toError(error).message } };
  }
  if (method !== 'GET' && method !== 'POST') return { status: 405, body: { error: 'GET or POST' } };
  const sent = method === 'GET' ? undefined : parseJson(body);
  if (url.startsWith('/_local/alarm')) return answerAlarm(method, sent, routes);
  return url.startsWith('/_local/calendar') ? answerCalendar(method, sent, routes) : answerClock(method, sent, routes);
}

function answerCalendar(method: string, sent: unknown, { calendars }: LocalRoutes): Answer {
  if (method === 'GET') return { status: 200, body: calendars?.all() ?? {} };
  const parsed = calendarMove.safeParse(sent);
  if (!parsed.success)
    return { status: 400, body: { error: 'the body is {"name": text, "isOpen": boolean, "until": time}' } };
  const { name, ...state } = parsed.data;
  calendars?.set(name, state);
  return { status: 200, body: {} };
}

function answerAlarm(method: string, sent: unknown, { alarms }: LocalRoutes): Answer {
  const all = alarms?.().all() ?? {};
  if (method === 'GET') return { status: 200, body: all };
  const parsed = alarmMove.safeParse(sent);
  if (!parsed.success) return { status: 400, body: { error: 'the body is {"name": text, "state": "OK" or "ALARM"}' } };
  const { name, state } = parsed.data;
  if (alarms?.().set(name, state) === true) return { status: 200, body: {} };
  const known = Object.keys(all).join(', ') || 'none';
  return { status: 404, body: { error: `no campaign halts on an alarm "${name}" (haltOn names: ${known})` } };
}

async function answerClock(method: string, sent: unknown, { clock, schedules: running }: LocalRoutes): Promise<Answer> {
  const time = () => ({ now: new Date(clock.now()).toISOString(), offsetMs: clock.offsetMs() });
  if (method === 'GET') return { status: 200, body: time() };
  const parsed = move.safeParse(sent);
  if (!parsed.success) return { status: 400, body: { error: 'the body is {"forwardMs": milliseconds}, forward only' } };
  const schedules = running();
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

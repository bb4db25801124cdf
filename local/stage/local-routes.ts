import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import * as z from 'zod';
import type { ExtraRoutes } from '../aws/wire/serve.ts';
import { requireSigned } from '../aws/wire/signature.ts';
import { toError } from '#shared/errors/app-error.ts';
import type { AccessKey } from '#shared/net/request-signature.ts';
import { proofOf, proofPath } from '#shared/net/loopback.ts';
import type { LocalAlarms } from '../aws/services/alarms.ts';
import type { LocalCalendars } from '../aws/services/change-calendars.ts';
import type { MovableClock } from '../clock/movable-clock.ts';
import type { LocalSchedules } from '../schedules/start-schedules.ts';
import { dayMs } from '#shared/schedule/duration.ts';

/** One move is at most ten years: more is a slip of the keyboard. */
const longestMoveMs = 3660 * dayMs;

/** A challenge as `newChallenge` makes it: nothing else is given a proof. */
const challengeForm = /^[\w-]{43}$/;

const calendarMove = z.strictObject({
  name: z.string().regex(/^[\w.-]{3,128}$/),
  isOpen: z.boolean(),
  until: z.iso.datetime().optional(),
});

const alarmMove = z.strictObject({ name: z.string().min(1), state: z.enum(['OK', 'ALARM']) });

const clockMove = z.strictObject({ forwardMs: z.number().int().min(0).max(longestMoveMs) });

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

type Env = { Bindings: HttpBindings };

/**
 * What the stage itself answers, to programs of this machine and not to pages in a browser:
 *
 * - `GET /_local/proof?challenge=…` → the proof that this stage has the key of its folder; asked for before anything is sent.
 * - `GET /_local/clock` → `{now, offsetMs}`; `POST /_local/clock {"forwardMs": n}` moves it, fires what falls due on the way, and answers
 *   `{now, offsetMs, fired: [{schedule, at}]}`. `GET` and `POST /_local/calendar` show and move change calendars,
 *   `/_local/alarm` alarms. All are signed with that key.
 */
export function localRoutes(routes: LocalRoutes): ExtraRoutes {
  const { clock, key, endpoint } = routes;
  const app = new Hono<Env>();
  app.onError((error, context) => context.json({ error: error.message }, 500));
  app.get(proofPath, (context) => {
    const challenge = context.req.query('challenge') ?? '';
    if (challengeForm.test(challenge)) return context.text(proofOf(key, endpoint, challenge));
    return context.json({ error: 'the challenge is 32 bytes in base64url' }, 400);
  });
  app.use(async (context, next) => {
    if (context.req.header('origin') !== undefined) return context.json({ error: 'not for pages in a browser' }, 403);
    const rules = { secretOf: () => key.secretAccessKey, times: () => clock.times() };
    try {
      await requireSigned(context.env.incoming, Buffer.from(await context.req.text()), rules);
    } catch (error) {
      return context.json({ error: toError(error).message }, 403);
    }
    return next();
  });
  app.get('/_local/calendar', (context) => context.json(routes.calendars?.all() ?? {}));
  app.post('/_local/calendar', async (context) => moveCalendar(context, routes));
  app.get('/_local/alarm', (context) => context.json(routes.alarms?.().all() ?? {}));
  app.post('/_local/alarm', async (context) => moveAlarm(context, routes));
  app.get('/_local/clock', (context) => context.json(timeOf(clock)));
  app.post('/_local/clock', async (context) => moveClock(context, routes));

  const listener = getRequestListener((request, bindings) => app.fetch(request, bindings), {
    overrideGlobalObjects: false, // the stage's Request and Response stay its own
  });
  return (request, response) => {
    void listener(request, response);
    return true;
  };
}

async function moveCalendar(context: Context<Env>, { calendars }: LocalRoutes): Promise<Response> {
  const { data } = calendarMove.safeParse(await sent(context));
  if (data === undefined)
    return context.json({ error: 'the body is {"name": text, "isOpen": boolean, "until": time}' }, 400);
  const { name, ...state } = data;
  calendars?.set(name, state);
  return context.json(calendars?.all() ?? {});
}

async function moveAlarm(context: Context<Env>, { alarms }: LocalRoutes): Promise<Response> {
  const { data } = alarmMove.safeParse(await sent(context));
  if (data === undefined) return context.json({ error: 'the body is {"name": text, "state": "OK" or "ALARM"}' }, 400);
  const isKnown = alarms?.().set(data.name, data.state) === true;
  const all = alarms?.().all() ?? {};
  if (isKnown) return context.json(all);
  const known = Object.keys(all).join(', ') || 'none';
  return context.json({ error: `no campaign halts on an alarm "${data.name}" (haltOn names: ${known})` }, 404);
}

async function moveClock(context: Context<Env>, { clock, schedules }: LocalRoutes): Promise<Response> {
  const { data } = clockMove.safeParse(await sent(context));
  if (data === undefined) return context.json({ error: 'the body is {"forwardMs": milliseconds}, forward only' }, 400);
  const running = schedules();
  if (running === undefined) return context.json({ error: 'the stage is still starting' }, 503);
  const fired = await running.moveForward(data.forwardMs);
  return context.json({
    ...timeOf(clock),
    fired: fired.map(({ schedule, scheduledTime }) => ({ schedule: schedule.Name, at: scheduledTime.toISOString() })),
  });
}

function timeOf(clock: MovableClock) {
  return { now: new Date(clock.now()).toISOString(), offsetMs: clock.offsetMs() };
}

/** The body; nothing if it is not JSON. */
async function sent(context: Context<Env>): Promise<unknown> {
  return context.req.json().catch(() => undefined);
}

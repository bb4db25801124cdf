/**
 * The control surface: what the interface cannot do and a test or a demonstration must. Never
 * served beyond loopback.
 */
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import type { HTTPException } from 'hono/http-exception';
import * as z from 'zod';
import { isOwnCaller } from '#shared/net/connection-owner.ts';
import { faultSchema } from '../faults/fault.ts';
import {
  type GatewayEnvironment,
  type GatewayParts,
  invalidField,
  methodNotAllowed,
  notFound,
  refusal,
} from '../http/environment.ts';
import { integerParameter, isAnyUuid, readJson, readQuery, uuidInPath } from '../http/request-input.ts';
import { controlledRunFields } from '../operations/bodies.ts';
import type { CampaignRun } from '../model/resources.ts';
import { changeCampaign, changeProject, changeScannerPackage, deleteScannerPackage } from './change-resources.ts';

const tokensSchema = z.strictObject({ tokens: z.array(z.string().regex(/^[\w.~+/-]+=*$/u)) });

type ControlHandler = (context: Context<GatewayEnvironment>, parts: GatewayParts) => Response | Promise<Response>;
type Methods = Partial<Record<'GET' | 'PUT' | 'POST' | 'DELETE', ControlHandler>>;

/**
 * Every path of the control surface with its methods; gateway/README.md documents the same list.
 */
const routes: Readonly<Record<string, Methods>> = {
  '/datasets': { GET: (context, { store }) => context.json({ datasets: store.datasets.all() }) },
  '/campaign-runs': { GET: listCampaignRuns },
  '/campaign-runs/:id': { PUT: changeCampaignRun },
  '/campaigns/:id': { PUT: changeCampaign },
  '/projects/:id': { PUT: changeProject },
  '/scanner-packages/:id': { PUT: changeScannerPackage, DELETE: deleteScannerPackage },
  '/requests': { GET: listRequests, DELETE: clearRequests },
  '/faults': { GET: listFaults, POST: addFault, DELETE: clearFaults },
  '/faults/:id': { DELETE: deleteFault },
  '/tokens': { PUT: replaceTokens },
};

/** The routes, behind the guard. */
export function controlRoutes(parts: GatewayParts): Hono<GatewayEnvironment> {
  const control = new Hono<GatewayEnvironment>();
  control.use(loopbackOnly);
  for (const [path, methods] of Object.entries(routes)) {
    for (const [method, handler] of Object.entries(methods)) {
      control.on(method, path, (context) => handler(context, parts));
    }
    control.all(path, () => {
      throw methodNotAllowed(Object.keys(methods));
    });
  }
  return control;
}

const requestsQuery = z.object({ limit: integerParameter(1, 10_000) });

function listRequests(context: Context<GatewayEnvironment>, { store }: GatewayParts): Response {
  const { limit = 10_000 } = readQuery(context, requestsQuery);
  return context.json({ requests: store.requests.last(limit) });
}

function clearRequests(context: Context<GatewayEnvironment>, { store }: GatewayParts): Response {
  store.requests.clear();
  return context.json({ requests: [] });
}

function listFaults(context: Context<GatewayEnvironment>, { faults }: GatewayParts): Response {
  return context.json({ faults: faults.list() });
}

async function addFault(context: Context<GatewayEnvironment>, { faults }: GatewayParts): Promise<Response> {
  const fault = await readJson(context, faultSchema);
  return context.json(faults.add(fault), 201);
}

function clearFaults(context: Context<GatewayEnvironment>, { faults }: GatewayParts): Response {
  faults.clear();
  return context.json({ faults: [] });
}

function deleteFault(context: Context<GatewayEnvironment>, { faults }: GatewayParts): Response {
  const id = context.req.param('id') ?? '';
  if (!faults.remove(id)) throw notFound('fault');
  return context.json({ id });
}

async function replaceTokens(context: Context<GatewayEnvironment>, { tokens }: GatewayParts): Promise<Response> {
  const body = await readJson(context, tokensSchema);
  tokens.replace(body.tokens);
  return context.json({ count: body.tokens.length });
}

// Campaign runs as the interface cannot show them: all of them, with every change that was
// accepted.

/** All runs with their transitions, oldest first. */
function listCampaignRuns(context: Context<GatewayEnvironment>, { store, now }: GatewayParts): Response {
  const runs = store.campaignRuns;
  const campaignRuns = runs.all(now()).map((run) => ({ ...run, transitions: runs.transitions(run.id) }));
  return context.json({ campaignRuns });
}

/**
 * Changes a run by hand, as another user of the gateway would; an unknown id makes a new run of the
 * named campaign.
 */
async function changeCampaignRun(context: Context<GatewayEnvironment>, parts: GatewayParts): Promise<Response> {
  const { store, now } = parts;
  const id = uuidInPath(context, 'id');
  const campaignId = z.string().refine(isAnyUuid, 'must be a uuid').optional();
  const change = await readJson(context, z.strictObject({ ...controlledRunFields(parts), campaignId }));
  const at = now();
  const run = store.campaignRuns.get(id, at) ?? newRun(id, change.campaignId);

  const requestId = context.get('requestId');
  const result = store.campaignRuns.change(run, change, { at, requestId, by: 'control', body: change });
  if ('refused' in result) throw refusal(409, `the campaign run is already ${result.refused.status}`);
  return context.json({ ...result.run, transitions: store.campaignRuns.transitions(id) });
}

function newRun(id: string, campaignId: string | undefined): CampaignRun {
  if (campaignId === undefined) throw invalidField(['body', 'campaignId'], 'a new run needs its campaignId', 'missing');
  return { id, campaignId, name: 'new run', status: 'scheduled', preserve: false, startAt: '' };
}

// Keeps the control surface to programs of this user. No network peer, other user of this machine or
// page in a browser gets in.

/** Whether this is an address (or name) of the machine itself. */
export function isOwnAddress(address: string): boolean {
  const host = address.toLowerCase().replace(/^\[(?<inner>.*)\]$/u, '$<inner>');
  return host === 'localhost' || host === '::1' || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/u.test(host);
}

/**
 * A page that resolves its own name to 127.0.0.1 (DNS rebinding) still sends that name as Host, and
 * usually an Origin.
 */
const loopbackOnly: MiddlewareHandler<GatewayEnvironment> = async (context, next) => {
  const peer = context.env.incoming.socket.remoteAddress ?? '';
  if (!isOwnAddress(peer)) throw refused('the request does not come from this machine');
  if (!(await isOwnCaller(context.env.incoming.socket))) throw refused('another user of this machine asks');
  const host = (context.env.incoming.headers.host ?? '').replace(/:\d*$/u, '');
  if (!isOwnAddress(host)) throw refused('the Host header does not name this machine');
  const site = context.req.header('sec-fetch-site');
  if (context.req.header('origin') !== undefined || (site !== undefined && site !== 'none')) {
    throw refused('the request comes from a web page');
  }
  await next();
};

function refused(reason: string): HTTPException {
  return refusal(403, `/_control serves programs of this machine only: ${reason}`);
}

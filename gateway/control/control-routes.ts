/**
 * The control surface: what the interface cannot do and a test or a demonstration must. Never
 * served beyond loopback. gateway/README.md documents its paths.
 */
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import type { HTTPException } from 'hono/http-exception';
import * as z from 'zod';
import { faultSchema } from '../faults/fault.ts';
import { type GatewayEnvironment, type GatewayParts, invalidField, notFound, refusal } from '../http/environment.ts';
import { readJson, uuidInPath } from '../http/request-input.ts';
import { controlledRunFields } from '../operations/bodies.ts';
import type { CampaignRun } from '../model/resources.ts';
import {
  changeCampaign,
  changeProject,
  changeScanner,
  changeScannerPackage,
  deleteScannerPackage,
} from './change-resources.ts';

const tokensSchema = z.strictObject({ tokens: z.array(z.string().regex(/^[\w.~+/-]+=*$/u)) });

/** The routes, behind the guard. */
export function controlRoutes(parts: GatewayParts): Hono<GatewayEnvironment> {
  const { store, faults, tokens, now } = parts;
  const control = new Hono<GatewayEnvironment>();
  control.use(loopbackOnly);
  control.get('/datasets', (context) => context.json({ datasets: store.datasets.all() }));
  control.get('/campaign-runs', (context) => {
    const runs = store.campaignRuns.all(now());
    return context.json({
      campaignRuns: runs.map((run) => ({ ...run, transitions: store.campaignRuns.transitions(run.id) })),
    });
  });
  control.put('/campaign-runs/:id', (context) => changeCampaignRun(context, parts));
  control.put('/campaigns/:id', (context) => changeCampaign(context, parts));
  control.put('/projects/:id', (context) => changeProject(context, parts));
  control.put('/projects/:id/scanners/:scanner', (context) => changeScanner(context, parts));
  control.put('/scanner-packages/:id', (context) => changeScannerPackage(context, parts));
  control.delete('/scanner-packages/:id', (context) => deleteScannerPackage(context, parts));
  control.get('/requests', (context) => context.json({ requests: store.requests.all() }));
  control.get('/faults', (context) => context.json({ faults: faults.list() }));
  control.post('/faults', async (context) => context.json(faults.add(await readJson(context, faultSchema)), 201));
  control.delete('/faults', (context) => {
    faults.clear();
    return context.json({ faults: [] });
  });
  control.delete('/faults/:id', (context) => {
    const id = context.req.param('id');
    if (!faults.remove(id)) throw notFound('fault');
    return context.json({ id });
  });
  control.put('/tokens', async (context) => {
    const body = await readJson(context, tokensSchema);
    tokens.replace(body.tokens);
    return context.json({ count: body.tokens.length });
  });
  return control;
}

/**
 * Changes a run by hand, as another user of the gateway would; an unknown id makes a new run of the
 * named campaign.
 */
async function changeCampaignRun(context: Context<GatewayEnvironment>, parts: GatewayParts): Promise<Response> {
  const { store, now } = parts;
  const id = uuidInPath(context, 'id');
  const body = await readJson(context, controlledRunFields(parts));
  const at = now();
  const run = store.campaignRuns.get(id, at) ?? newRun(id, body.campaignId);
  const changed = store.campaignRuns.change(run, body, {
    at,
    requestId: context.get('requestId'),
    by: 'control',
    body,
  });
  return context.json({ ...changed, transitions: store.campaignRuns.transitions(id) });
}

function newRun(id: string, campaignId: string | undefined): CampaignRun {
  if (campaignId === undefined) throw invalidField(['body', 'campaignId'], 'a new run needs its campaignId', 'missing');
  return { id, campaignId, name: 'new run', status: 'scheduled', preserve: false, startAt: '' };
}

// Keeps the control surface to programs of this machine: no network peer or page in a browser gets
// in. The connection of another user has ended before.

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

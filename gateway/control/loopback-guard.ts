/** Keeps the control surface to programs of this machine: no network peer, and no web page open in a browser here. */
import type { MiddlewareHandler } from 'hono';
import type { GatewayEnvironment } from '../http/environment.ts';
import { HttpProblem } from '../http/problem.ts';

/** Whether this is an address (or name) of the machine itself. */
export function isOwnAddress(address: string): boolean {
  const host = address.toLowerCase().replace(/^\[(?<inner>.*)\]$/u, '$<inner>');
  return host === 'localhost' || host === '::1' || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/u.test(host);
}

/** A page that resolves its own name to 127.0.0.1 (DNS rebinding) still sends that name as Host, and usually an Origin. */
export const loopbackOnly: MiddlewareHandler<GatewayEnvironment> = async (context, next) => {
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

function refused(reason: string): HttpProblem {
  return new HttpProblem(403, `/_control serves programs of this machine only: ${reason}`);
}

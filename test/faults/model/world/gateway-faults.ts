import type { IncomingHttpHeaders } from 'node:http';
import { outOfTime, type WireResult } from '#shared/gateway-client/transport/transport.ts';
import type { ModelAnswer } from '../../../builders/run-model.ts';

/**
 * What goes wrong with one request: whether the gateway does what was asked, and what the client
 * gets to see of it.
 */
export interface GatewayFault {
  /**
   * `late`: after the client has given up, within the minute that a server may work on one request.
   */
  readonly applies: 'never' | 'now' | 'late';
  readonly reply:
    | { readonly kind: 'refused' }
    | { readonly kind: 'reset' }
    /** Nothing comes until the client's own deadline. */
    | { readonly kind: 'silence' }
    /** The good answer, cut in the middle of its body. */
    | { readonly kind: 'truncated' }
    | { readonly kind: 'page'; readonly status: number }
    /** A good answer of other words. */
    | { readonly kind: 'body'; readonly body: object }
    | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: string; readonly field?: string };
}

/**
 * The faults of the catalogue's rows A that a gateway, or what stands before it, can show to one
 * request.
 */
export const gatewayFaults = {
  'connection refused': { applies: 'never', reply: { kind: 'refused' } },
  'reset before applying': { applies: 'never', reply: { kind: 'reset' } },
  'reset after applying': { applies: 'now', reply: { kind: 'reset' } },
  'reset, applied late': { applies: 'late', reply: { kind: 'reset' } },
  'silence, not applied': { applies: 'never', reply: { kind: 'silence' } },
  'silence after applying': { applies: 'now', reply: { kind: 'silence' } },
  'silence, applied late': { applies: 'late', reply: { kind: 'silence' } },
  'truncated answer': { applies: 'now', reply: { kind: 'truncated' } },
  'login page': { applies: 'never', reply: { kind: 'page', status: 200 } },
  'login page after applying': { applies: 'now', reply: { kind: 'page', status: 200 } },
  'edge 403': { applies: 'never', reply: { kind: 'page', status: 403 } },
  'edge 409': { applies: 'never', reply: { kind: 'page', status: 409 } },
  'edge 413': { applies: 'never', reply: { kind: 'page', status: 413 } },
  'edge 530': { applies: 'never', reply: { kind: 'page', status: 530 } },
  'edge 499 after applying': { applies: 'now', reply: { kind: 'page', status: 499 } },
  'edge 530, applied late': { applies: 'late', reply: { kind: 'page', status: 530 } },
  redirect: { applies: 'never', reply: { kind: 'status', status: 302 } },
  '403': { applies: 'never', reply: { kind: 'status', status: 403 } },
  '404': { applies: 'never', reply: { kind: 'status', status: 404 } },
  '408': { applies: 'never', reply: { kind: 'status', status: 408 } },
  '409': { applies: 'never', reply: { kind: 'status', status: 409 } },
  '422': { applies: 'never', reply: { kind: 'status', status: 422 } },
  '422 about a field': { applies: 'never', reply: { kind: 'status', status: 422, field: 'status' } },
  '429': { applies: 'never', reply: { kind: 'status', status: 429 } },
  '429 with Retry-After': { applies: 'never', reply: { kind: 'status', status: 429, retryAfter: '40' } },
  '429 with an absurd Retry-After': {
    applies: 'never',
    reply: { kind: 'status', status: 429, retryAfter: '1000000000' },
  },
  '500': { applies: 'never', reply: { kind: 'status', status: 500 } },
  '500 after applying': { applies: 'now', reply: { kind: 'status', status: 500 } },
  '502, applied late': { applies: 'late', reply: { kind: 'status', status: 502 } },
  '503': { applies: 'never', reply: { kind: 'status', status: 503 } },
  '503 with Retry-After': { applies: 'never', reply: { kind: 'status', status: 503, retryAfter: '20' } },
} as const satisfies Record<string, GatewayFault>;

export type GatewayFaultName = keyof typeof gatewayFaults;

/** Every name. */
export const gatewayFaultNames = Object.keys(gatewayFaults) as readonly GatewayFaultName[];

/** An answer as it stands on the wire. */
export type WireAnswer = WireResult & { readonly status: number };

const unanswered = { headers: {}, body: Buffer.alloc(0) };

/** A connection that was never made: not a byte of the request left. */
export const refused: WireResult = {
  ...unanswered,
  requestSent: false,
  brokenBy: coded('connect ECONNREFUSED', 'ECONNREFUSED'),
};

/** The request left and the connection ended. */
export const reset: WireResult = {
  ...unanswered,
  requestSent: true,
  brokenBy: coded('other side closed', 'UND_ERR_SOCKET'),
};

/** The request left and the client's deadline came. */
export const silence: WireResult = { ...unanswered, requestSent: true, brokenBy: outOfTime };

export function jsonAnswer(status: number, body: unknown, more: IncomingHttpHeaders = {}): WireAnswer {
  return {
    requestSent: true,
    status,
    headers: { 'content-type': 'application/json', ...more },
    body: Buffer.from(JSON.stringify(body)),
  };
}

/** What a gateway of runs answers, as it stands on the wire; its `Date` is by its own clock. */
export function runAnswer(answer: ModelAnswer, gatewayMs: number): WireAnswer {
  const date = new Date(gatewayMs).toUTCString();
  if (answer.status === 200) return jsonAnswer(200, { message: 'ok' }, { date });
  return jsonAnswer(answer.status, complaintOf(answer.text, answer.fields), { date });
}

/** A complaint about fields of the body, as frameworks write it. */
export function complaintOf(text: string, fields: readonly string[]): object {
  if (fields.length === 0) return { message: text };
  return { detail: fields.map((field) => ({ loc: field.split('.'), msg: text })) };
}

/** A page that something else than the interface made. */
export function pageAnswer(status: number): WireAnswer {
  return {
    ...jsonAnswer(status, '', { 'content-type': 'text/html' }),
    body: Buffer.from('<html>Please log in</html>'),
  };
}

/** The same answer, broken off in its body. */
export function truncated(answer: WireAnswer): WireAnswer {
  return {
    ...answer,
    body: answer.body.subarray(0, 3),
    brokenBy: coded('other side closed', 'UND_ERR_SOCKET'),
  };
}

function coded(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

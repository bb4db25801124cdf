/** What every emulated service receives and answers. */
import type { IncomingHttpHeaders } from 'node:http';
import { AwsError } from './aws-errors.ts';
import type { Caller } from '../iam/authority.ts';
import type { RequestContext } from '../iam/conditions.ts';
import { isJsonObject, type Json, type JsonObject } from '../../template/assembly.ts';

/** One request, its sender already known. */
export interface AwsRequest {
  readonly method: string;
  /** As sent, still percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly caller: Caller;
  /** From `X-Amz-Target` or `Action`; empty for REST services. */
  readonly operation: string;
  /** Aborted once the caller waits for the answer no longer. */
  readonly gone: AbortSignal;
  /** Refuses the request unless the caller may do this. */
  require(action: string, resource: string, context?: RequestContext): void;
}

/** One answer. */
export interface AwsResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** How a service writes its answers and errors. */
export type Protocol = 'json-1.0' | 'json-1.1' | 'rest-json' | 'query' | 's3';

/** One emulated service. */
export interface AwsService {
  /** Its name in credential scopes, for instance `sqs`. */
  readonly name: string;
  readonly protocol: Protocol;
  handle(request: AwsRequest): AwsResponse | Promise<AwsResponse>;
}

const CONTENT_TYPES = { 'json-1.0': 'application/x-amz-json-1.0', 'json-1.1': 'application/x-amz-json-1.1' } as const;

/** A JSON answer. */
export function jsonResponse(
  body: unknown,
  { status = 200, protocol }: { status?: number; protocol?: 'json-1.0' | 'json-1.1' } = {},
): AwsResponse {
  const type = protocol === undefined ? 'application/json' : CONTENT_TYPES[protocol];
  return { status, headers: { 'content-type': type }, body: JSON.stringify(body) };
}

/** An XML answer. */
export function xmlResponse(xml: string, status = 200, headers: Record<string, string> = {}): AwsResponse {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n${xml}`;
  return { status, headers: { 'content-type': 'application/xml', ...headers }, body };
}

/** The request's body as a JSON object. */
export function jsonBody(request: AwsRequest): JsonObject {
  if (request.body.length === 0) return {};
  try {
    const parsed: unknown = JSON.parse(request.body.toString('utf8'));
    if (isJsonObject(parsed)) return parsed;
  } catch {
    // falls through to the one answer for bodies that hold no object
  }
  throw new AwsError('SerializationException', 'the request body is not a JSON object');
}

/** A text that the request must have. */
export function requiredParameter(input: JsonObject, key: string): string {
  const value: Json | undefined = input[key];
  if (typeof value !== 'string' || value === '')
    throw new AwsError('MissingParameter', `The request must contain the parameter ${key}.`);
  return value;
}

/** An operation that AWS has and this machine does not. */
export function notEmulated(service: string, operation: string): AwsError {
  return new AwsError('NotEmulated', `${service}:${operation} is not emulated by the local runner`, { status: 501 });
}

// Deliveries between services that did not happen.

/** A delivery that a policy refused, or whose target is not there. */
export interface RefusedDelivery {
  /** For instance `s3.amazonaws.com`. */
  readonly from: string;
  readonly source: string;
  readonly target: string;
  readonly message: string;
}

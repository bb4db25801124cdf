/** What every emulated service receives and answers. */
import type { Caller } from '../iam/authority.ts';
import type { RequestContext } from '../iam/conditions.ts';
import { AwsError } from '../aws-error.ts';
import { isJsonObject, type JsonObject } from '../../template/json.ts';

/** One request, its sender already known. */
export interface AwsRequest {
  readonly method: string;
  /** As sent, still percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
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
  /** @default 200 */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** How a service writes its answers and errors. */
export type Protocol = 'json' | 'query' | 's3';

/** One emulated service. */
export interface AwsService {
  /** Its name in credential scopes, for instance `sqs`. */
  readonly name: string;
  readonly protocol: Protocol;
  handle(request: AwsRequest): AwsResponse | Promise<AwsResponse>;
}

/** A JSON answer. */
export function jsonResponse(body: unknown): AwsResponse {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** An XML answer. */
export function xmlResponse(xml: string, headers: Readonly<Record<string, string>> = {}): AwsResponse {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n${xml}`;
  return { headers: { 'content-type': 'application/xml', ...headers }, body };
}

/** The request's body as a JSON object. */
export function jsonBody({ body }: AwsRequest): JsonObject {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8') || '{}');
    if (isJsonObject(parsed)) return parsed;
  } catch {
    // falls through to the one answer for bodies that hold no object
  }
  throw new AwsError('SerializationException', 'the request body is not a JSON object');
}

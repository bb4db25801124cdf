/** From an HTTP request to the service it is meant for, by any sender and any protocol. */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type AwsRequest, type AwsResponse, xmlResponse } from './messages.ts';
import { AwsError } from './aws-errors.ts';
import { container, element } from './xml.ts';

/** An HTTP request, read whole. */
export interface WholeRequest {
  readonly operation: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
}

/**
 * The largest request that is taken: bodies are held in memory. S3 takes 5 GiB in one PUT; clients
 * send more in parts.
 */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

/** Reads a request and finds out which operation it asks for, in any protocol. */
export async function readRequest(request: IncomingMessage): Promise<WholeRequest> {
  const [path, search] = splitOnce(request.url ?? '/', '?');
  const query = new URLSearchParams(search);
  const body = await readBody(request);
  const [, target] = splitOnce(headerOf(request.headers, 'x-amz-target') ?? '', '.');
  const form = isForm(request) ? new URLSearchParams(body.toString('utf8')) : undefined;
  return { operation: target ?? form?.get('Action') ?? query.get('Action') ?? '', path, query, body };
}

function isForm(request: IncomingMessage): boolean {
  return headerOf(request.headers, 'content-type')?.startsWith('application/x-www-form-urlencoded') === true;
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_BODY_BYTES)
      throw new AwsError('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

// The Query protocol of the older services: form parameters in, XML out.

/** The parameters of a Query request: in the body for POST, in the address for GET. */
export function queryInput(request: AwsRequest): URLSearchParams {
  return request.method === 'GET' ? request.query : new URLSearchParams(request.body.toString('utf8'));
}

/** An answer of the Query protocol: the result of an operation in its envelope. */
export function queryResponse(operation: string, result: string, xmlns: string): AwsResponse {
  const metadata = container('ResponseMetadata', element('RequestId', randomUUID()));
  return xmlResponse(container(`${operation}Response`, [container(`${operation}Result`, result), metadata], xmlns));
}

// Reading HTTP headers.

/** A header's text; the first if there are several. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

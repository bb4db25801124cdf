/** The Query protocol of the older services: form parameters in, XML out. */
import { randomUUID } from 'node:crypto';
import { xmlResponse } from './messages.ts';
import type { AwsRequest, AwsResponse } from './messages.ts';
import { container, element } from './xml.ts';

/** The parameters of a Query request: in the body for POST, in the address for GET. */
export function queryInput(request: AwsRequest): URLSearchParams {
  return request.method === 'GET' ? request.query : new URLSearchParams(request.body.toString('utf8'));
}

/** An answer of the Query protocol: the result of an operation in its envelope. */
export function queryResponse(operation: string, result: string, xmlns: string): AwsResponse {
  const metadata = container('ResponseMetadata', element('RequestId', randomUUID()));
  return xmlResponse(container(`${operation}Response`, [container(`${operation}Result`, result), metadata], xmlns));
}

/** Errors in each service's own format, so that clients throw the exceptions they throw against AWS. */
import { AccessDenied, AwsError } from './aws-error.ts';
import type { AwsResponse, Protocol } from './messages.ts';
import { container, element } from './xml.ts';

/** Writes an error for a service. */
export function writeError(error: AwsError, protocol: Protocol, requestId: string): AwsResponse {
  const code = codeFor(error, protocol);
  switch (protocol) {
    case 's3': {
      const body = container('Error', [
        element('Code', code),
        element('Message', error.message),
        element('RequestId', requestId),
      ]);
      return { status: error.status, headers: { 'content-type': 'application/xml' }, body };
    }
    case 'query': {
      const inner = container('Error', [
        element('Type', 'Sender'),
        element('Code', code),
        element('Message', error.message),
      ]);
      const body = container('ErrorResponse', [inner, element('RequestId', requestId)]);
      return { status: error.status, headers: { 'content-type': 'text/xml' }, body };
    }
    case 'rest-json': {
      const headers = { 'content-type': 'application/json', 'x-amzn-errortype': code };
      return {
        status: error.status,
        headers,
        body: JSON.stringify({ Message: error.message, message: error.message }),
      };
    }
    default: {
      const headers: Record<string, string> = { 'content-type': `application/x-amz-${protocol}` };
      if (error.queryCode !== undefined) headers['x-amzn-query-error'] = `${error.queryCode};Sender`;
      return { status: error.status, headers, body: JSON.stringify({ __type: code, message: error.message }) };
    }
  }
}

function codeFor(error: AwsError, protocol: Protocol): string {
  if (!(error instanceof AccessDenied)) return error.code;
  return protocol === 's3' || protocol === 'query' ? 'AccessDenied' : 'AccessDeniedException';
}

/** Any thrown value as an error that can be written. */
export function toAwsError(thrown: unknown): AwsError {
  if (thrown instanceof AwsError) return thrown;
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return new AwsError('InternalFailure', `the local runner failed: ${text}`, { status: 500 });
}

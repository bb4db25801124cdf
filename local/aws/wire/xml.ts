/** The little XML that S3 and the Query protocol need. */
import type { AwsResponse, Protocol } from './messages.ts';
import { AccessDenied, AwsError } from './aws-errors.ts';

/** Escapes text for an element; control characters that XML 1.0 can't hold become references. */
function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\r', '&#13;');
}

/** One element with text. */
export function element(name: string, text: string | number | boolean | undefined): string {
  return text === undefined ? '' : `<${name}>${escapeXml(String(text))}</${name}>`;
}

/** One element with elements inside. */
export function container(name: string, content: string | readonly string[], xmlns?: string): string {
  const inner = typeof content === 'string' ? content : content.join('');
  return `<${name}${xmlns === undefined ? '' : ` xmlns="${xmlns}"`}>${inner}</${name}>`;
}

/**
 * The contents of every element of that name, still escaped; enough for requests without nesting of
 * one name.
 */
export function elementsIn(xml: string, name: string): string[] {
  const pattern = new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, 'g');
  return [...xml.matchAll(pattern)].map((match) => match[1] ?? '');
}

/** The text of the first element of that name. */
export function textIn(xml: string, name: string): string | undefined {
  return elementsIn(xml, name)[0]
    ?.replaceAll('&quot;', '"')
    .replaceAll('&#34;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .trim();
}

// Errors in each service's own format, so that clients throw the exceptions they throw against AWS.

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

/** XML namespace of S3's answers. */
export const S3_XMLNS = 'http://s3.amazonaws.com/doc/2006-03-01/';

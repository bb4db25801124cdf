/** The XML of S3 and the Query protocol, escaped and read by the SDK's own package. */
import { parseXML, XmlText } from '@aws-sdk/xml-builder';
import type { AwsResponse, Protocol } from './messages.ts';
import { AccessDenied, AwsError } from './aws-errors.ts';

/** One element with text. */
export function element(name: string, text: string | number | boolean | undefined): string {
  return text === undefined ? '' : `<${name}>${new XmlText(String(text)).toString()}</${name}>`;
}

/** One element with elements inside. */
export function container(name: string, content: string | readonly string[], xmlns?: string): string {
  const inner = typeof content === 'string' ? content : content.join('');
  return `<${name}${xmlns === undefined ? '' : ` xmlns="${xmlns}"`}>${inner}</${name}>`;
}

/**
 * The document in the body of a request, by the name of its root; each text without its escapes.
 * @throws AwsError MalformedXML
 */
export function readXml(body: Buffer): unknown {
  try {
    return parseXML(body.toString('utf8'));
  } catch {
    throw malformedXml();
  }
}

/** A body that is no XML, or not what its operation takes. */
export function malformedXml(): AwsError {
  return new AwsError(
    'MalformedXML',
    'The XML you provided was not well-formed or did not validate against our published schema',
  );
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

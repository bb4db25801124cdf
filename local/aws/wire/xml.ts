/** The XML of S3 and the Query protocol, escaped and read by the SDK's own package. */
import { randomUUID } from 'node:crypto';
import { parseXML, XmlText } from '@aws-sdk/xml-builder';
import { type AwsResponse, type Protocol, xmlResponse } from './aws-service.ts';
import { AccessDenied, AwsError } from '../aws-error.ts';

export function element(name: string, text: string | number | boolean | undefined): string {
  return text === undefined ? '' : `<${name}>${new XmlText(String(text)).toString()}</${name}>`;
}

/** One element with elements inside. */
export function container(name: string, content: string | readonly string[], xmlns?: string): string {
  const inner = typeof content === 'string' ? content : content.join('');
  return `<${name}${xmlns === undefined ? '' : ` xmlns="${xmlns}"`}>${inner}</${name}>`;
}

/** An element with an element of text for each entry that has a value. */
export function record(
  name: string,
  entries: Readonly<Record<string, Parameters<typeof element>[1]>>,
  xmlns?: string,
): string {
  return container(
    name,
    Object.entries(entries).map(([key, text]) => element(key, text)),
    xmlns,
  );
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

/** An answer of the Query protocol: the result of an operation in its envelope. */
export function queryResponse(operation: string, result: readonly string[], xmlns: string): AwsResponse {
  const metadata = record('ResponseMetadata', { RequestId: randomUUID() });
  return xmlResponse(container(`${operation}Response`, [container(`${operation}Result`, result), metadata], xmlns));
}

/**
 * Writes an error in the service's own format, so that clients throw the exceptions they throw
 * against AWS.
 */
export function writeError(error: AwsError, protocol: Protocol, requestId: string): AwsResponse {
  const { message, status } = error;
  if (protocol === 'json') {
    const code = error instanceof AccessDenied ? 'AccessDeniedException' : error.code;
    const headers = { 'content-type': 'application/json', 'x-amzn-errortype': code };
    return { status, headers, body: JSON.stringify({ __type: code, message, ...error.details }) };
  }
  const inner = { Code: error.code, Message: message };
  const body =
    protocol === 's3'
      ? record('Error', { ...inner, RequestId: requestId })
      : container('ErrorResponse', [record('Error', { Type: 'Sender', ...inner }), element('RequestId', requestId)]);
  return { ...xmlResponse(body), status };
}

/** XML namespace of S3's answers. */
export const S3_XMLNS = 'http://s3.amazonaws.com/doc/2006-03-01/';

/** Single operations of services whose client would be a tenth of a bundle: one signed request each. */
import type { SQSClient } from '@aws-sdk/client-sqs';
import { AppError } from '../errors/app-error.ts';
import { signedHeadersOf } from '../net/request-signature.ts';

/** Any client: it knows the credentials. */
export type Credentials = () => Pick<SQSClient, 'config'>;

/** An operation of a service that takes JSON. */
export interface JsonOperation {
  /** Its name in signatures and in its address. */
  readonly service: 'ssm' | 'monitoring';
  /** `AmazonSSM.GetCalendarState`. */
  readonly target: string;
  readonly contentType: `application/x-amz-json-1.${0 | 1}`;
  /** An ARN of the place that is asked. */
  readonly arn: string;
}

/** A tick has a minute; what does not answer is asked again by the next one. */
const timeoutMs = 5000;

/**
 * Calls an operation.
 * @param endpoint - that of a stage on one machine
 * @returns the answer's object
 * @throws AppError with what the service says if it refuses
 */
export async function callJson(
  { service, target, contentType, arn }: JsonOperation,
  body: object,
  { client, endpoint }: { readonly client: Credentials; readonly endpoint: string | undefined },
): Promise<Readonly<Record<string, unknown>>> {
  const [, partition, , region = ''] = arn.split(':');
  const url = endpoint ?? `https://${service}.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`;
  const { sessionToken, ...key } = await client().config.credentials();
  const request = {
    method: 'POST',
    url: '/',
    headers: {
      host: new URL(url).host,
      'content-type': contentType,
      'x-amz-target': target,
      ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
    },
    body: JSON.stringify(body),
  };
  const headers = await signedHeadersOf(request, { key, region, service, now: new Date() });
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(`${url}/`, { method: 'POST', headers, body: request.body, signal });
  const answer = parsed(await response.text());
  if (response.status === 200) return answer;
  const says = [answer['__type'], answer['message'], answer['Message']].filter((part) => typeof part === 'string');
  const operation = target.split('.').at(-1);
  throw new AppError(`${operation} answered ${response.status} ${says.join(': ')}`.trim(), {
    code: 'AWS_REFUSED',
    retryable: true,
  });
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

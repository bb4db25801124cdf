/** Single operations of services whose client would be a tenth of a bundle: one signed request each. */
import type { SQSClient } from '@aws-sdk/client-sqs';
import { AppError } from '../errors/app-error.ts';
import { signedFetch } from '../net/request-signature.ts';

/** Any client: it knows the credentials. */
export type Credentials = () => Pick<SQSClient, 'config'>;

type Answer = Readonly<Record<string, unknown>>;

/** A tick has a minute; what does not answer is asked again by the next one. */
const timeoutMs = 5000;

/**
 * A caller of one operation that takes JSON, by an ARN of the place that is asked and its body. It throws an AppError with what the service says if
 * that refuses.
 * @param endpoint - that of a stage on one machine
 * @param operation.service - its name in signatures and in its address
 */
export function createJsonCaller(
  client: Credentials,
  endpoint: string | undefined,
  { service, target, contentType }: Readonly<Record<'service' | 'target' | 'contentType', string>>,
): (arn: string, body: object) => Promise<Answer> {
  return async (arn, content) => {
    const [, partition, , region = ''] = arn.split(':');
    const url = endpoint ?? `https://${service}.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`;
    const { sessionToken, ...key } = await client().config.credentials();
    const headers = {
      'content-type': contentType,
      'x-amz-target': target,
      ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
    };
    const request = { method: 'POST', url: '/', headers, body: JSON.stringify(content) };
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await signedFetch(url, request, { key, region, service, signal });
    const answer = parsed(await response.text());
    if (response.status === 200) return answer;
    const says = [answer['__type'], answer['message']].filter((part) => typeof part === 'string').join(': ');
    const problem = `${target.split('.').at(-1)} answered ${response.status} ${says}`;
    throw new AppError(problem.trim(), { code: 'AWS_REFUSED', retryable: true });
  };
}

function parsed(text: string): Answer {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

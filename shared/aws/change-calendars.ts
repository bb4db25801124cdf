/**
 * Change calendars of Systems Manager. One operation is used, so it is one signed request: a client of SSM would be a tenth of a bundle.
 */
import type { SQSClient } from '@aws-sdk/client-sqs';
import { AppError } from '../errors/app-error.ts';
import { signedHeadersOf } from '../net/request-signature.ts';

/** A calendar at a time. */
export interface CalendarState {
  readonly isOpen: boolean;
  /** When it changes next. Absent: nothing is entered after this time. */
  readonly changesAt?: Date;
}

/** Reads calendars by their ARN. */
export interface ChangeCalendars {
  /** @throws AppError if it cannot be read */
  readonly stateAt: (arn: string, at: Date) => Promise<CalendarState>;
}

/** A tick has a minute; a calendar that does not answer is asked again by the next one. */
const timeoutMs = 5000;

/**
 * The calendars of an account.
 * @param client - any client: it knows the credentials
 * @param endpoint - that of a stage on one machine
 */
export function createChangeCalendars(
  client: () => Pick<SQSClient, 'config'>,
  endpoint: string | undefined,
): ChangeCalendars {
  return {
    async stateAt(arn, at) {
      const [, partition, , region = ''] = arn.split(':');
      const host = `ssm.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`;
      const url = endpoint ?? `https://${host}`;
      const { sessionToken, ...key } = await client().config.credentials();
      const request = {
        method: 'POST',
        url: '/',
        headers: {
          host: new URL(url).host,
          'content-type': 'application/x-amz-json-1.1',
          'x-amz-target': 'AmazonSSM.GetCalendarState',
          ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
        },
        body: JSON.stringify({ CalendarNames: [arn], AtTime: at.toISOString() }),
      };
      const headers = await signedHeadersOf(request, { key, region, service: 'ssm', now: new Date() });
      const signal = AbortSignal.timeout(timeoutMs);
      const answer = await fetch(`${url}/`, { method: 'POST', headers, body: request.body, signal });
      return stateIn(answer.status, await answer.text());
    },
  };
}

function stateIn(status: number, text: string): CalendarState {
  const { State: state, NextTransitionTime: next, __type: type, message } = parsed(text);
  if (status !== 200 || (state !== 'OPEN' && state !== 'CLOSED')) {
    const says = [type, message].filter((part) => typeof part === 'string').join(': ');
    throw new AppError(`GetCalendarState answered ${status} ${says}`.trim(), {
      code: 'CALENDAR_UNREAD',
      retryable: true,
    });
  }
  const changesAt = typeof next === 'string' && !Number.isNaN(Date.parse(next)) ? new Date(next) : undefined;
  return { isOpen: state === 'OPEN', changesAt };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

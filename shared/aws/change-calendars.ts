/** Change calendars of Systems Manager. */
import { AppError } from '../errors/app-error.ts';
import { createJsonCaller, type Credentials } from './signed-json.ts';

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

/**
 * The calendars of an account.
 * @param endpoint - that of a stage on one machine
 */
export function createChangeCalendars(client: Credentials, endpoint: string | undefined): ChangeCalendars {
  const getState = createJsonCaller(client, endpoint, getCalendarState);
  return {
    stateAt: async (arn, at) => stateIn(await getState(arn, { CalendarNames: [arn], AtTime: at.toISOString() })),
  };
}

const getCalendarState = {
  service: 'ssm',
  target: 'AmazonSSM.GetCalendarState',
  contentType: 'application/x-amz-json-1.1',
};

function stateIn({ State: state, NextTransitionTime: next }: Readonly<Record<string, unknown>>): CalendarState {
  if (state !== 'OPEN' && state !== 'CLOSED') {
    throw new AppError('GetCalendarState answered without a state', { code: 'CALENDAR_UNREAD', retryable: true });
  }
  const changesAt = typeof next === 'string' && !Number.isNaN(Date.parse(next)) ? new Date(next) : undefined;
  return { isOpen: state === 'OPEN', changesAt };
}

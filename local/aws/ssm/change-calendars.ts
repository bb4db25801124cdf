/** Change calendars of Systems Manager: any name is one, open until `autopilot calendar` moves it. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { textsOf } from '../../template/assembly.ts';
import { AwsError } from '../wire/aws-errors.ts';
import { type AwsService, jsonBody, jsonResponse, notEmulated } from '../wire/messages.ts';

const states = z.record(z.string(), z.object({ isOpen: z.boolean(), until: z.string().optional() }));
type States = z.infer<typeof states>;

/** The calendars of a stage by their names. */
export interface LocalCalendars {
  readonly all: () => States;
  /** @param until - the time at which it changes back */
  readonly set: (name: string, state: States[string]) => void;
}

/** The calendars in a file of the stage's folder. */
export function openLocalCalendars(file: string): LocalCalendars {
  const all = (): States => (existsSync(file) ? states.parse(JSON.parse(readFileSync(file, 'utf8'))) : {});
  return {
    all,
    set(name, state) {
      writeFileSync(`${file}.new`, JSON.stringify({ ...all(), [name]: state }));
      renameSync(`${file}.new`, file);
    },
  };
}

/** Answers GetCalendarState for one calendar. */
export function createCalendarService(calendars: LocalCalendars, now: () => number): AwsService {
  return {
    name: 'ssm',
    protocol: 'json-1.1',
    handle(request) {
      if (request.operation !== 'GetCalendarState') throw notEmulated('ssm', request.operation);
      const { CalendarNames: names, AtTime: asked } = jsonBody(request);
      const arn = textsOf(names)[0] ?? '';
      if (!arn.includes(':document/')) throw new AwsError('InvalidDocument', 'one ARN of a document is wanted');
      request.require('ssm:GetCalendarState', arn);
      const at = typeof asked === 'string' ? new Date(asked) : new Date(now());
      const { isOpen, until } = calendars.all()[arn.split('/').at(-1) ?? ''] ?? { isOpen: true };
      const isOver = until !== undefined && Date.parse(until) <= at.getTime();
      const state = isOpen !== isOver ? 'OPEN' : 'CLOSED';
      return jsonResponse(
        { State: state, AtTime: at.toISOString(), NextTransitionTime: isOver ? undefined : until },
        { protocol: 'json-1.1' },
      );
    },
  };
}

/** Change calendars of Systems Manager: any name is one, open until `autopilot calendar` moves it. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import type { AwsService } from '../wire/aws-service.ts';
import { jsonService, operation } from '../wire/operations.ts';

/** `until`: the time at which it changes back. */
const states = z.record(z.string(), z.object({ isOpen: z.boolean(), until: z.string().optional() }));
type States = z.infer<typeof states>;

/** The calendars of a stage by their names. */
export type LocalCalendars = ReturnType<typeof openLocalCalendars>;

/** The calendars in a file of the stage's folder. */
export function openLocalCalendars(file: string) {
  const all = (): States => (existsSync(file) ? states.parse(JSON.parse(readFileSync(file, 'utf8'))) : {});
  return {
    all,
    set(name: string, state: States[string]) {
      writeFileSync(`${file}.new`, JSON.stringify({ ...all(), [name]: state }));
      renameSync(`${file}.new`, file);
    },
  };
}

const stateRow = z.strictObject({
  CalendarNames: z.tuple([z.string().includes(':document/')]),
  AtTime: z.string().optional(),
});

/** Answers GetCalendarState for one calendar. */
export function createCalendarService(calendars: LocalCalendars, now: () => number): AwsService {
  const GetCalendarState = operation(stateRow, ({ CalendarNames: [arn], AtTime }, request) => {
    request.require('ssm:GetCalendarState', arn);
    const at = new Date(AtTime ?? now());
    const { isOpen, until } = calendars.all()[arn.split('/').at(-1) ?? ''] ?? { isOpen: true };
    const isOver = until !== undefined && Date.parse(until) <= at.getTime();
    const State = isOpen !== isOver ? 'OPEN' : 'CLOSED';
    return { State, AtTime: at.toISOString(), NextTransitionTime: isOver ? undefined : until };
  });
  return jsonService({ name: 'ssm', operations: { GetCalendarState } });
}

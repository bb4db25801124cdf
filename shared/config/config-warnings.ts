import type { AutomationDocument } from './automation.ts';
import { type ConfigProblem, formatPath } from './config-problem.ts';

/** What is allowed and probably not meant; `now` is the time of the synthesis. */
export function configWarnings(document: AutomationDocument, now: Date): ConfigProblem[] {
  return [...emptyBindings(document), ...openPrefixes(document), ...pastStartDates(document, now)];
}

/** EventBridge Scheduler refuses a StartDate more than 5 minutes old whenever the schedule is created or changed. */
function pastStartDates({ schedules = [] }: AutomationDocument, now: Date): ConfigProblem[] {
  return schedules.flatMap(({ startDate, at }, index) => {
    if (startDate === undefined || Date.parse(startDate) > now.getTime()) return [];
    const remedy = at.startsWith('rate(') ? 'write the next one' : 'leave it out';
    return [
      {
        path: formatPath(['schedules', index, 'startDate']),
        message: `${startDate} is over: AWS refuses it when this schedule is created or changed; ${remedy}.`,
      },
    ];
  });
}

function emptyBindings({ campaigns }: AutomationDocument): ConfigProblem[] {
  return Object.entries(campaigns).flatMap(([campaign, { runs }]) =>
    Object.entries(runs)
      .filter(([, { campaignRunIds }]) => campaignRunIds?.length === 0)
      .map(([run]) => ({
        path: formatPath(['campaigns', campaign, 'runs', run, 'campaignRunIds']),
        message: `is empty: every start is parked until ids are bound (autopilot bind ${run} ID…).`,
      })),
  );
}

function openPrefixes({ datasets = [] }: AutomationDocument): ConfigProblem[] {
  return datasets.flatMap(({ prefix }, index) =>
    prefix.endsWith('/')
      ? []
      : [
          {
            path: formatPath(['datasets', index, 'prefix']),
            message: `"${prefix}" ends without a slash, so "${prefix}-old/…" matches it too.`,
          },
        ],
  );
}

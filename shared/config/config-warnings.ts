import { classifyFailure } from '../gateway-client/classify-failure.ts';
import type { AutomationDocument } from './automation.ts';
import { type ConfigProblem, formatPath } from './config-problem.ts';

/** What is allowed and probably not meant; `now` is the time of the synthesis. */
export function configWarnings(document: AutomationDocument, now: Date): ConfigProblem[] {
  return [
    ...idleStatuses(document),
    ...emptyBindings(document),
    ...openPrefixes(document),
    ...pastStartDates(document, now),
  ];
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

/** The retry table knows by itself what most statuses prove; whoever names one of those expects something else of it. */
function idleStatuses({ gateway }: AutomationDocument): ConfigProblem[] {
  return (gateway.postMayRepeatOn ?? []).flatMap((status, index) => {
    const verdictWith = (postMayRepeatOn: readonly number[]) =>
      JSON.stringify(classifyFailure('post', { kind: 'status', status }, { postMayRepeatOn }));
    if (verdictWith([status]) !== verdictWith([])) return [];
    return [
      {
        path: formatPath(['gateway', 'postMayRepeatOn', index]),
        message: `${status} says by itself whether the dataset was made, so naming it here changes nothing; leave it out.`,
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

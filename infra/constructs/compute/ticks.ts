import { Duration } from 'aws-cdk-lib/core';
import { parseScheduleExpression } from '#shared/schedule/schedule-expression.ts';
import { oneIsEnough, type Periods, twoOfThree } from '../monitoring/runbook-alarm.ts';

const dayMinutes = 1440;

/** The least that says more than noise: metrics of Lambda come once a minute, ticks up to a minute late. */
const leastMinutes = 5;

/** CloudWatch looks back seven days at most, and a day where a period is shorter than an hour. */
const longestLookBackDays = 7;

/** How alarms look at a function that is called again and again. */
export interface TickWatch {
  readonly period: Duration;
  /** Failed ticks: the next one is the retry of one that failed, so two are news. */
  readonly failures: Periods;
  /** Ticks that did not come; absent where they are too rare for CloudWatch to miss. */
  readonly silence?: Periods;
}

/** The watch of a function that is called `every` so often. */
export function tickWatch(every: Duration): TickWatch {
  const minutes = every.toMinutes();
  const periodMinutes = Math.min(dayMinutes, Math.max(leastMinutes, Math.ceil(minutes)));
  const missed = Math.ceil((2 * Math.max(minutes, leastMinutes)) / periodMinutes);
  const isTooRare = missed * periodMinutes > longestLookBackDays * dayMinutes;
  return {
    period: Duration.minutes(periodMinutes),
    failures: minutes > dayMinutes ? oneIsEnough : twoOfThree,
    ...(isTooRare ? {} : { silence: { of: missed, breaching: missed } }),
  };
}

/** The shortest of the periods of several `rate(…)` schedules; undefined where there is none. */
export function shortestOf(schedules: readonly { readonly expression: string }[]): Duration | undefined {
  const periods = schedules.flatMap(({ expression }) => {
    const parsed = parseScheduleExpression(expression);
    return parsed.ok && parsed.value.kind === 'rate' ? [parsed.value.periodMs] : [];
  });
  return periods.length === 0 ? undefined : Duration.millis(Math.min(...periods));
}

/** Every metric the functions emit; alarms and dashboards import the same names. */
export const metricNamespace = 'GatewayAutopilot';

/** Metric names; each is a count unless the name says otherwise. */
export const metricNames = {
  applied: 'Applied',
  superseded: 'Superseded',
  skipped: 'Skipped',
  ignored: 'Ignored',
  parked: 'Parked',
  later: 'Later',
  packagesChanged: 'PackagesChanged',
} as const;

/** One of the names above. */
export type MetricName = (typeof metricNames)[keyof typeof metricNames];

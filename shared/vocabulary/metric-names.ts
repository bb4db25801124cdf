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
  projectChanges: 'ProjectChanges',
  /** Runs that were in flight while the configuration of their project changed. */
  runsNotComparable: 'RunsNotComparable',
  /** Deprecated endpoints as read, once a day. */
  endpointsInUse: 'EndpointsInUse',
  /**
   * Runs in flight whose planned stop is late. Written as 0 too: its silence shows that the watcher
   * does not run.
   */
  stopsLate: 'StopsLate',
  /** Starts whose sign was missing when its time was over. */
  startsUnconfirmed: 'StartsUnconfirmed',
  /** Runs that ended in an error, or at one of whose providers the test failed. */
  runsFailed: 'RunsFailed',
  /** Scores that were below their limits. */
  scoresLow: 'ScoresLow',
  /** The score of each complete run, by the dimension `run`. */
  campaignRunScore: 'CampaignRunScore',
  /** Pauses that the gateway asked for. */
  gatePaused: 'GatePaused',
  /** Counted when the gate closes, and again at each probe that did not open it. */
  gateClosed: 'GateClosed',
  gateOpened: 'GateOpened',
  /** Calls and probes that failed for their token: 401, 403, none to send. */
  authRefused: 'AuthRefused',
  /** Days until the token expires, from 14 days before; 0 once it has. */
  tokenDaysLeft: 'TokenDaysLeft',
  /** Each tick that came to its end: its silence says that the function does not run. */
  reconcilerHeartbeat: 'ReconcilerHeartbeat',
  /** Uploads without a notification: the way from the bucket to its queue is broken. */
  reconcilerFound: 'ReconcilerFound',
  /** Uploads under way that were silent for too long and whose message was sent again. */
  reconcilerAskedAgain: 'ReconcilerAskedAgain',
  /** Age of the oldest upload under way; 0: none is. */
  oldestOpenSeconds: 'OldestOpenSeconds',
  /** Rows that wait for a person: all of them, and by the dimension `reason`. */
  parkedOpen: 'ParkedOpen',
  /** Starts that came later than they are valid; among `Skipped` too. */
  missedWindow: 'MissedWindow',
  /** Schedules without a start for `notify.silentAfter` occurrences. */
  schedulesSilent: 'SchedulesSilent',
  /** Starts that left their run with fewer unused ids than `notify.runIdsLow`. */
  runIdsLow: 'RunIdsLow',
} as const;

/** One of the names above. */
export type MetricName = (typeof metricNames)[keyof typeof metricNames];

/**
 * Counted about the gateway as all functions see it: one metric each, so that one alarm sees
 * everything.
 */
const aboutTheGateway: ReadonlySet<MetricName> = new Set([
  metricNames.gatePaused,
  metricNames.gateClosed,
  metricNames.gateOpened,
  metricNames.authRefused,
  metricNames.tokenDaysLeft,
]);

/** The dimension `service` of a metric: the function that counts it, or `gateway`. */
export function metricService(metric: MetricName, functionName: string): string {
  return aboutTheGateway.has(metric) ? 'gateway' : functionName;
}

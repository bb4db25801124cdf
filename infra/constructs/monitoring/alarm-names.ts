/**
 * The names of all alarms. Each is the heading of its page in docs/runbook.md and, behind the
 * stage's prefix, the name of the alarm in CloudWatch: a test holds both.
 */
export const alarmNames = {
  // A worker fails or is not called.
  updateCampaignRunsFailures: 'UpdateCampaignRunsFailures',
  registerDatasetsFailures: 'RegisterDatasetsFailures',
  pollScannerPackagesFailures: 'PollScannerPackagesFailures',
  pollScannerPackagesNotRunning: 'PollScannerPackagesNotRunning',
  watchProjectsFailures: 'WatchProjectsFailures',
  watchProjectsNotRunning: 'WatchProjectsNotRunning',
  watchCampaignsFailures: 'WatchCampaignsFailures',
  watchCampaignsNotRunning: 'WatchCampaignsNotRunning',
  reconcileLedgerNotRunning: 'ReconcileLedgerNotRunning',
  queueWithoutConsumer: 'QueueWithoutConsumer',
  deadLettersWaiting: 'DeadLettersWaiting',
  functionsThrottled: 'FunctionsThrottled',
  schedulesUndelivered: 'SchedulesUndelivered',
  webhooksUndelivered: 'WebhooksUndelivered',
  // The work is late, or waits for a person.
  parkedOpen: 'ParkedOpen',
  oldestOpenOneHour: 'OldestOpenOneHour',
  oldestOpenSixHours: 'OldestOpenSixHours',
  reconcilerFound: 'ReconcilerFound',
  stopsLate: 'StopsLate',
  missedWindow: 'MissedWindow',
  schedulesSilent: 'SchedulesSilent',
  supersededSpike: 'SupersededSpike',
  runIdsLow: 'RunIdsLow',
  runFailed: 'RunFailed',
  runUnseen: 'RunUnseen',
  scoreLow: 'ScoreLow',
  // The gateway, as all workers see it.
  gateClosed: 'GateClosed',
  gatewayThrottles: 'GatewayThrottles',
  authRefused: 'AuthRefused',
  tokenExpires: 'TokenExpires',
} as const;

/** One of the names above. */
export type AlarmName = (typeof alarmNames)[keyof typeof alarmNames];

/** What the names of a stage's alarms begin with in CloudWatch. */
export function alarmPrefix(stage: string): string {
  return `gateway-autopilot-${stage}-`;
}

/** The command that prints the page of the runbook. */
export function runbookOfAlarm(name: AlarmName): string {
  return `npx --no -- autopilot runbook ${name}`;
}

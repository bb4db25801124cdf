/** `page`: a person is woken, and notified when it is over. `warn`: it may wait for the morning. */
export type Severity = 'page' | 'warn';

/**
 * All alarms, and what each means for the work, in one sentence: its e-mail says it, and its page of
 * docs/runbook.md begins with it. A name is the heading of that page and, behind the stage's prefix,
 * the name in CloudWatch: tests hold both.
 */
const alarmImpacts = {
  page: {
    UpdateCampaignRunsFailures:
      'The function that starts and stops campaign runs fails again and again: starts and stops come late or not at all.',
    WatchCampaignsFailures:
      'The function that sends stops that are due fails again and again: a run may go on past its stop.',
    WatchCampaignsNotRunning: 'Stops that are due are not sent: a run goes on until a person stops it by hand.',
    ReconcileLedgerNotRunning:
      'The bucket is not compared with the ledger, and what waits is not counted: a lost upload would not be found.',
    QueueWithoutConsumer: 'Messages wait in a queue and no worker takes them: starts, stops or uploads are not done.',
    OldestOpenSixHours: 'An upload has been under way for six hours: after a day it is parked.',
    StopsLate: 'A campaign run goes on past its stop: it costs money and sends prompts that are not wanted any more.',
    GateClosed: 'For a quarter of an hour no worker has called the gateway: commands and uploads wait.',
    AuthRefused: 'The gateway refuses our token, or there is none: nothing is started, stopped or registered.',
  },
  warn: {
    RegisterDatasetsFailures:
      'The function that registers uploads fails: files are registered late, or parked after three tries.',
    PollScannerPackagesFailures:
      'The function that watches scanner packages fails again and again: changes are not noticed, and no test follows them.',
    PollScannerPackagesNotRunning:
      'The scanner packages are not looked at: changes are not noticed, and no test follows them.',
    WatchProjectsFailures:
      'The function that watches projects fails again and again: changed configurations are not noticed.',
    WatchProjectsNotRunning:
      'The projects are not looked at: changed configurations are not noticed, and no test follows them.',
    DeadLettersWaiting:
      'A message that its queue gave up is not made a parked row: it is in no other place, and is gone after 14 days.',
    FunctionsThrottled: 'The account has no room for our functions: everything comes late, stops too.',
    SchedulesUndelivered:
      'A schedule does not reach its target. A start or a stop is late, and parked after a day; a look waits for its next period.',
    WebhooksUndelivered: 'A webhook refused a notice or an alarm, or did not answer for a day: its chat stays silent.',
    ParkedOpen: 'Work is parked: it is safe, and needs attention.',
    OldestOpenOneHour: 'An upload has been under way for an hour: it is registered late.',
    ReconcilerFound: 'An upload was there of which S3 did not tell us: it is handled late, and so is every other one.',
    MissedWindow: 'A start came later than it is valid and was passed over: a test did not take place.',
    SchedulesSilent: 'A schedule started nothing at its last occurrences: nothing is tested at its hours.',
    SupersededSpike:
      'More than five commands in an hour were superseded by newer ones: two producers fight over a run.',
    RunIdsLow: 'A run has few unused run ids left (notify.runIdsLow): once they are used, its starts are parked.',
    RunFailed:
      'A run ended in an error, or failed at one of its providers: a test did not take place, or not as a whole.',
    RunUnseen: 'A run should have begun, and nothing shows it: a test may not have taken place.',
    ScoreLow:
      'A complete run has a lower score than its limits allow: the AI behind the gateway may have become weaker.',
    GatewayThrottles: 'For an hour the gateway has asked us to slow down: everything takes longer, nothing is lost.',
    TokenExpires: 'The token of the gateway expires within two weeks; after that nothing works.',
  },
} as const satisfies Readonly<Record<Severity, Readonly<Record<string, string>>>>;

const impacts = { ...alarmImpacts.page, ...alarmImpacts.warn };

/** One of the names above. */
export type AlarmName = keyof typeof impacts;

/** All of them, as tests and pages walk through them. */
export const alarmNames = Object.keys(impacts) as readonly AlarmName[];

/** How serious an alarm is, and what it means. */
export function alarmText(name: AlarmName): { readonly severity: Severity; readonly impact: string } {
  return { severity: name in alarmImpacts.page ? 'page' : 'warn', impact: impacts[name] };
}

/** What the names of a stage's alarms begin with in CloudWatch. */
export function alarmPrefix(stage: string): string {
  return `gateway-autopilot-${stage}-`;
}

/** The command that prints the page of the runbook. */
export function runbookOfAlarm(name: AlarmName): string {
  return `npx --no -- autopilot runbook ${name}`;
}

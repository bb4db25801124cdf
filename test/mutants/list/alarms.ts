import type { Mutant } from '../mutant.ts';

const alarms = ['test/infra/stacks/alarms.test.ts'];

/** What sees to it that somebody is called, and not for nothing. */
export const alarmMutants: readonly Mutant[] = [
  {
    name: 'a start that missed its window is counted for its alarm',
    file: 'functions/_handler/worker-reports.ts',
    from: "if (outcome.reason === 'MISSED_WINDOW') count(metricNames.missedWindow, 1);",
    to: '',
    tests: ['test/unit/functions/_handler/worker-reports.test.ts'],
  },
  {
    name: 'ids that run low are counted for their alarm',
    file: 'functions/update-campaign-runs/handler.ts',
    from: 'count(metricNames.runIdsLow, 1);',
    to: '',
    tests: ['test/integration/stage/alarms.test.ts'],
  },
  {
    name: 'what is seen of the gateway is one metric, whichever function sees it',
    file: 'shared/vocabulary/metric-names.ts',
    from: "return aboutTheGateway.has(metric) ? 'gateway' : functionName;",
    to: 'return aboutTheGateway.size > 0 ? functionName : metric;',
    tests: ['test/unit/functions/_handler/metrics.test.ts'],
  },
  {
    name: 'a heartbeat that stops rings',
    file: 'infra/constructs/monitoring/runbook-alarm.ts',
    from: 'isUpper ? TreatMissingData.NOT_BREACHING : TreatMissingData.BREACHING',
    to: 'isUpper ? TreatMissingData.NOT_BREACHING : TreatMissingData.IGNORE',
    tests: alarms,
  },
  {
    name: 'a heartbeat that stops rings at once, whatever came before',
    file: 'infra/constructs/monitoring/runbook-alarm.ts',
    from: 'isCount(metric) && periods.of > 1 ? filled(metric) : metric',
    to: 'isCount(metric) && periods.of > 9 ? filled(metric) : metric',
    tests: alarms,
  },
  {
    name: 'a queue that nobody takes from rings',
    file: 'infra/constructs/monitoring/queues-alarm.ts',
    from: '${waiting} > 0 AND SUM(',
    to: '${waiting} < 0 AND SUM(',
    tests: alarms,
  },
  {
    name: 'who sends a command writes nothing into the mail',
    file: 'infra/constructs/monitoring/outcome-notices.ts',
    from: "'Parked: <reason>. <action> <campaignRunId>',",
    to: "'Parked: <reason>. <action> <run>',",
    tests: alarms,
  },
  {
    name: 'a page says when it is over',
    file: 'infra/constructs/monitoring/runbook-alarm.ts',
    from: "if (severity === 'page') alarm.addOkAction(topic);",
    to: '',
    tests: alarms,
  },
  {
    name: 'only alarms of this account publish to the topic',
    file: 'infra/constructs/monitoring/alarm-topic.ts',
    from: "StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },",
    to: 'StringEquals: {},',
    tests: alarms,
  },
  {
    name: 'a thousand parked uploads are not a thousand e-mails',
    file: 'infra/constructs/monitoring/outcome-notices.ts',
    from: 'only: { worker: [{ exists: false }] },',
    to: '',
    tests: alarms,
  },
];

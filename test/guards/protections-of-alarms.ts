import type { Protection } from './protection.ts';

const alarms = ['test/infra/stacks/alarms.test.ts'];

/** What sees to it that somebody is called, and not for nothing. */
export const alarmProtections: readonly Protection[] = [
  {
    name: 'a start that missed its window is counted for its alarm',
    file: 'functions/_runtime/worker-reports.ts',
    from: "if (outcome.reason === 'MISSED_WINDOW') count(metricNames.missedWindow, 1);",
    to: '',
    tests: ['test/unit/functions/_runtime/worker-reports.test.ts'],
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
    tests: ['test/unit/functions/_runtime/metrics.test.ts'],
  },
  {
    name: 'a heartbeat that stops rings',
    file: 'infra/constructs/runbook-alarm.ts',
    from: "silence === 'rings' ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING",
    to: "silence === 'rings' ? TreatMissingData.IGNORE : TreatMissingData.NOT_BREACHING",
    tests: alarms,
  },
  {
    name: 'a page says when it is over',
    file: 'infra/constructs/runbook-alarm.ts',
    from: "if (severity === 'page') alarm.addOkAction(topic);",
    to: '',
    tests: alarms,
  },
  {
    name: 'only alarms of this account publish to the topic',
    file: 'infra/constructs/alarm-topic.ts',
    from: "StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },",
    to: 'StringEquals: {},',
    tests: alarms,
  },
  {
    name: 'a thousand parked uploads are not a thousand e-mails',
    file: 'infra/constructs/outcome-notices.ts',
    from: 'only: { worker: [{ exists: false }] },',
    to: '',
    tests: alarms,
  },
];

import type { Mutant } from '../mutant.ts';

const people = ['test/integration/stage/people/people.long.test.ts'];

/** What keeps people to what they were given. */
export const permissionMutants: readonly Mutant[] = [
  {
    name: 'a reader invokes the function that answers questions, and no other',
    file: 'infra/constructs/people/command-policies.ts',
    from: "names: ['answer-questions'],",
    to: 'names: functionNames,',
    tests: people,
  },
  {
    name: 'a person whose policy the stage does not have may do nothing',
    file: 'local/aws/iam/authority.ts',
    from: 'personBehind(accessKeyId) ?? ',
    to: '',
    tests: ['test/unit/local/iam/authority.test.ts'],
  },
  {
    name: 'a decision that may not be written ends the command, and names the permission',
    file: 'operator/parked/resolve-rows.ts',
    from: 'if (isDenied(error)) throw error;',
    to: '',
    tests: people,
  },
  {
    name: 'what a person may not ask is no fault of the stage',
    file: 'operator/doctor/function-findings.ts',
    from: "isDenied(error) ? 'unknown' : 'problem'",
    to: "'problem'",
    tests: people,
  },
  {
    name: 'a role touches its own kinds of rows, and no other',
    file: 'infra/constructs/storage/ledger-table.ts',
    from: 'why, conditions }',
    to: 'why }',
    tests: ['test/infra/security/rows-by-role.test.ts'],
  },
  {
    name: 'what park-dead-letters writes is no command that the watcher sends again',
    file: 'infra/workers/queue-workers.ts',
    from: ", without: 'isTaken'",
    to: '',
    tests: ['test/infra/security/rows-by-role.test.ts'],
  },
  {
    name: 'the watcher sends again only what update-campaign-runs took',
    file: 'shared/messages/command-senders.ts',
    from: 'if (known.isTaken !== true && known.outcome === undefined) return false;',
    to: '',
    tests: ['test/unit/functions/update-campaign-runs/senders.test.ts'],
  },
  {
    name: 'a role of the stage sends nothing in the name of another',
    file: 'shared/messages/command-senders.ts',
    from: 'if (ownCommands[by](command)) return',
    to: 'if (ownCommands[by] !== undefined) return',
    tests: ['test/unit/functions/update-campaign-runs/senders.test.ts'],
  },
  {
    name: 'what the watcher sends again is the command of the row, to the letter',
    file: 'shared/messages/command-senders.ts',
    from: 'return isDeepStrictEqual(command, before);',
    to: 'return command.id === before.id;',
    tests: ['test/unit/functions/update-campaign-runs/senders.test.ts'],
  },
  {
    name: 'an upload cannot change a field that its rule locks',
    file: 'functions/register-datasets/prepare/dataset-request.ts',
    from: 'if (changed !== undefined) {',
    to: 'if (changed !== undefined && rule.locked.length > 9) {',
    tests: ['test/unit/functions/register-datasets/prepare/dataset-request.test.ts'],
  },
  {
    name: 'the scanner that a rule names is locked without a word',
    file: 'shared/config/resolve/resolve-document.ts',
    from: 'scannerFields.filter((field) => rule[field] !== undefined)',
    to: '[]',
    tests: ['test/unit/shared/config/resolved-settings.test.ts'],
  },
  {
    name: 'a stage of the same name in another region has its own dashboard',
    file: 'infra/constructs/monitoring/stage-dashboard.ts',
    from: '`gateway-autopilot-${stage}-${Aws.REGION}`',
    to: '`gateway-autopilot-${stage}`',
    tests: ['test/infra/stacks/sweeps.test.ts'],
  },
];

const alarms = ['test/infra/alarms/alarms.test.ts'];

/** What sees to it that a person is called, and not for nothing. */
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
    file: 'functions/_runs/rounds.ts',
    from: 'deps.count(metricNames.runIdsLow, 1);',
    to: '',
    tests: ['test/unit/functions/update-campaign-runs/starts.test.ts'],
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
    name: 'a queue that no worker reads rings',
    file: 'infra/constructs/monitoring/stage-alarms.ts',
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
    name: 'good news comes only if it is asked for',
    file: 'infra/constructs/monitoring/outcome-notices.ts',
    from: 'news === undefined || also.includes(news)',
    to: 'news === undefined || also.length >= 0',
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
    file: 'infra/constructs/monitoring/runbook-alarm.ts',
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

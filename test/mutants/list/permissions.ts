import { without } from '../mutant.ts';

const people = ['test/integration/stage/people/people.long.test.ts'];
const tables = ['test/infra/security/security-document.test.ts'];

/** What keeps people to what they were given. */
export const permissionMutants = [
  ...without('infra/constructs/people/command-policies.ts', tables, {
    'a reader invokes the function that answers questions, and no other': ["['answer-questions']", 'functionNames'],
  }),
  ...without('infra/constructs/people/upload-policies.ts', ['test/infra/security/link-tester.test.ts'], {
    'who tests the links passes no other role to Scheduler': ['[this.linkTestsRole.roleArn]', "['*']"],
  }),
  ...without('functions/_runs/handle-command.ts', ['test/unit/functions/_handler/queue-worker.test.ts'], {
    'who tests the links sends people no message by a schedule': [
      "deps.senders) === 'link-tests'",
      "deps.senders) === 'schedules'",
    ],
  }),
  ...without('functions/_handler/queue-worker.ts', ['test/unit/functions/_handler/queue-worker.test.ts'], {
    'a test that arrived was taken by the bus':
      'await bus.publish(eventTypes.linkTested, { eventId: `link-test:${id}`, linkTest: id, link, worker, at });',
  }),
  ...without('local/aws/iam/authority.ts', ['test/unit/local/iam/authority.test.ts'], {
    'a person whose policy the stage does not have may do nothing': 'personBehind(accessKeyId) ?? ',
  }),
  ...without('operator/parked/resolve-rows.ts', people, {
    'a decision that may not be written ends the command, and names the permission':
      'if (isDenied(error)) throw error;',
  }),
  ...without('operator/doctor/function-findings.ts', people, {
    'what a person may not ask is no fault of the stage': ["isDenied(error) ? 'unknown' : 'problem'", "'problem'"],
  }),
  ...without('infra/constructs/storage/ledger-table.ts', tables, {
    'a role touches its own kinds of rows, and no other': ['why, conditions }', 'why }'],
  }),
  ...without('infra/stacks/queue-workers.ts', ['test/infra/security/roles.test.ts'], {
    'what park-dead-letters writes is no command that the watcher sends again': "    without: 'isTaken',\n",
  }),
  ...without('shared/messages/command-senders.ts', ['test/unit/functions/update-campaign-runs/senders.test.ts'], {
    'the watcher sends again only what update-campaign-runs took': [
      '(known.isTaken !== true && known.outcome === undefined)',
      'false',
    ],
    'the role of the link tests has no command done': ["'link-tests': () => false", "'link-tests': () => true"],
    'a role of the stage sends nothing in the name of another': ['[name](command, by)', '[name] !== undefined'],
    'what the watcher sends again is the command of the row, to the letter': [
      'return isSame(sent, known.command);',
      'return sent.id === known.command.id;',
    ],
    'one that may only send uses no id of the stage': ['isStageId(command.id) &&', 'command.id === undefined &&'],
    'another command under a used id is no repeat': [
      'own !== undefined && !isSame(command',
      'own === null && !isSame(command',
    ],
    'a proven command whose id was taken is done': ['isForeign(rows.own, command)', 'rows.own === null'],
    'a schedule sends its own occurrences alone': ['.next().done !== true', '.next() !== undefined'],
  }),
  ...without(
    'functions/register-datasets/dataset-request.ts',
    ['test/unit/functions/register-datasets/prepare/dataset-request.test.ts'],
    {
      'an upload cannot change a field that its rule locks': [
        'if (changed !== undefined) {',
        'if (changed !== undefined && rule.locked.length > 9) {',
      ],
    },
  ),
  ...without('shared/config/resolve/resolve-document.ts', ['test/unit/shared/config/resolved-settings.test.ts'], {
    'the scanner that a rule names is locked without a word': [
      'scannerFields.filter((field) => rule[field] !== undefined)',
      '[]',
    ],
  }),
];

const alarms = ['test/infra/alarms/alarms.test.ts'];

/** What sees to it that a person is called, and not for nothing. */
export const alarmMutants = [
  ...without('functions/_handler/worker-reports.ts', ['test/unit/functions/_handler/worker-reports.test.ts'], {
    'a start that missed its window is counted for its alarm':
      "if (outcome.reason === 'MISSED_WINDOW') count(metricNames.missedWindow, 1);",
  }),
  ...without('functions/_runs/rounds.ts', ['test/unit/functions/update-campaign-runs/starts.test.ts'], {
    'ids that run low are counted for their alarm': 'deps.count(metricNames.runIdsLow, 1);',
  }),
  ...without('shared/vocabulary/metric-names.ts', ['test/unit/functions/_handler/function-log.test.ts'], {
    'what is seen of the gateway is one metric, whichever function sees it': [
      "return aboutTheGateway.has(metric) ? 'gateway' : functionName;",
      'return aboutTheGateway.size > 0 ? functionName : metric;',
    ],
  }),
  ...without('infra/constructs/monitoring/alarm-topic.ts', alarms, {
    'a heartbeat that stops rings': ['TreatMissingData.BREACHING', 'TreatMissingData.IGNORE'],
    'a heartbeat that stops rings at once, whatever came before': ['periods > 1 ? filled', 'periods > 9 ? filled'],
    'a page says when it is over': "if (severity === 'page') alarm.addOkAction(this);",
    'only alarms of this account publish to the topic': ["{ 'aws:SourceAccount': Aws.ACCOUNT_ID }", '{}'],
  }),
  ...without('infra/constructs/monitoring/stage-alarms.ts', alarms, {
    'a queue that no worker reads rings': ['${waiting} > 0 AND SUM(', '${waiting} < 0 AND SUM('],
  }),
  ...without('infra/constructs/monitoring/outcome-notices.ts', alarms, {
    'who sends a command writes nothing into the mail': ['reason>. <action> <campaignRunId', 'reason>. <action> <run'],
    'good news comes only if it is asked for': ['undefined || also.includes(news)', 'undefined || also.length >= 0'],
    'a thousand parked uploads are not a thousand e-mails': ['{ worker: [{ exists: false }], isQuiet', '{ isQuiet'],
  }),
];

import type { Protection } from './protection.ts';

const runtime = 'test/unit/functions/_runtime';
const ledger = ['test/contract/ledger/ledger.test.ts'];

/** What keeps messages, rows and secrets, whatever the worker is. */
export const stageProtections: readonly Protection[] = [
  {
    name: 'a row is written only if it is still what was read',
    file: 'shared/aws/dynamodb-ledger.ts',
    from: "ConditionExpression: '#version = :version AND #writer = :writer',",
    to: "ConditionExpression: '#version = :version OR #writer = :writer OR attribute_exists(pk)',",
    tests: ledger,
  },
  {
    name: 'a row that is there is not made anew',
    file: 'shared/aws/dynamodb-ledger.ts',
    from: "if (before === undefined) return { ConditionExpression: 'attribute_not_exists(pk)' };",
    to: 'if (before === undefined) return {};',
    tests: ledger,
  },
  {
    name: 'a write whose answer was lost is no lost race',
    file: 'shared/aws/dynamodb-ledger.ts',
    from: 'return current?.writer === stored.writer ? stored : undefined;',
    to: 'return undefined;',
    tests: ledger,
  },
  {
    name: 'a message that did not end goes back to its queue',
    file: 'functions/_runtime/queue-worker.ts',
    from: 'batchItemFailures.push({ itemIdentifier: record.messageId });',
    to: '',
    tests: [`${runtime}/queue-worker.test.ts`],
  },
  {
    name: 'a record that fails does not take its neighbours down',
    file: 'functions/_runtime/queue-worker.ts',
    from: '    const { name, message } = toError(error);\n    worker.reports.log.error(logEvents.failed, `attempt failed',
    to: '    if (worker !== undefined) throw error;\n    const { name, message } = toError(error);\n    worker.reports.log.error(logEvents.failed, `attempt failed',
    tests: [`${runtime}/queue-worker.test.ts`],
  },
  {
    name: 'a record is not begun with too little time left',
    file: 'functions/_runtime/queue-worker.ts',
    from: 'if (attempt.remainingMs() < attempt.budgetMs) {',
    to: 'if (attempt.remainingMs() < 0) {',
    tests: [`${runtime}/queue-worker.test.ts`],
  },
  {
    name: 'a secret is taken out of every log line',
    file: 'functions/_runtime/log.ts',
    from: 'const redacted = redact(text);',
    to: 'const redacted = text;',
    tests: [`${runtime}/log.test.ts`],
  },
  {
    name: 'an upload that no message told of is sent to its queue',
    file: 'functions/reconcile-ledger/pass.ts',
    from: 'return at >= from && at <= Date.parse(before(pass.startedAt, graceMs));',
    to: 'return at < from && at <= Date.parse(before(pass.startedAt, graceMs));',
    tests: ['test/unit/functions/reconcile-ledger/lost-uploads.test.ts'],
  },
  {
    name: 'a command that kills its worker again and again is parked',
    file: 'shared/ledger/attempt-mark.ts',
    from: 'const mostCrashes = 3;',
    to: 'const mostCrashes = Infinity;',
    tests: [
      'test/unit/shared/ledger/attempt-mark.test.ts',
      'test/unit/functions/update-campaign-runs/long-nights.test.ts',
    ],
  },
  {
    name: 'mappings take partial answers, so that one bad record does not fail its batch',
    file: 'infra/constructs/worker-function.ts',
    from: 'reportBatchItemFailures: true',
    to: 'reportBatchItemFailures: false',
    tests: ['test/infra/validation/findings.test.ts'],
  },
  {
    name: 'no other account reads the token, whatever a role says',
    file: 'infra/constructs/token-secret.ts',
    from: "refused('ThisAccountOnly', { StringNotEquals: { 'aws:PrincipalAccount': Aws.ACCOUNT_ID } }),",
    to: '',
    tests: ['test/infra/stacks/data-protection.test.ts'],
  },
  {
    name: 'a wildcard is a finding until somebody says why',
    file: 'infra/validation/policy-rules.ts',
    from: ".filter((text) => text.includes('*'))",
    to: ".filter((text) => text.includes('**'))",
    tests: ['test/infra/validation/rules.test.ts'],
  },
  {
    name: 'the code of a function may do nothing to the network that it runs in',
    file: 'infra/constructs/vpc-attachment.ts',
    from: "conditions: { Null: { 'lambda:SourceFunctionArn': 'true' } },",
    to: '',
    tests: ['test/infra/stacks/options.test.ts'],
  },
  {
    name: 'who sends to a queue may do nothing else with it',
    file: 'infra/constructs/queue-grants.ts',
    from: "actions: ['sqs:SendMessage'],",
    to: "actions: ['sqs:SendMessage', 'sqs:PurgeQueue'],",
    tests: ['test/infra/security/security-document.test.ts'],
  },
  {
    name: 'who may write tests may not, by that, start runs',
    file: 'infra/constructs/object-writer.ts',
    from: 'resourceArns: [bucket.arnOfObjects(prefix)],',
    to: "resourceArns: [bucket.arnOfObjects('')],",
    tests: ['test/infra/security/security-document.test.ts'],
  },
];

import { without } from '../mutant.ts';

const runtime = 'test/unit/functions/_handler';
const ledger = ['test/contract/ledger/ledger.test.ts'];
const severalRows = ['test/contract/ledger/several-rows.test.ts'];
const transactions = ['test/integration/local/aws/dynamodb/transactions.test.ts'];

/** What keeps messages, rows and secrets, whatever the worker is. */
export const stageMutants = [
  ...without('local/clock/movable-clock.ts', ['test/unit/local/clock/calls-in-hand.test.ts'], {
    'the clock of the run on one machine moves when no call is in hand': 'while (open.calls > 0) await change();',
    'no new work is taken up while the clock is about to move': 'while (open.moves > 0) await change();',
  }),
  ...without('local/lambda/process-output.ts', ['test/unit/local/lambda/memory.test.ts'], {
    'a function of the local run has its declared memory, buffers included': [
      'if (peakMb === undefined || peakMb <= limitMb) return;',
      'if (peakMb !== undefined) return;',
    ],
  }),
  ...without('shared/aws/dynamodb-ledger.ts', ledger, {
    'a row is written only if it is still what was read': [
      "ConditionExpression: '#version = :version AND #writer = :writer',",
      "ConditionExpression: '#version = :version OR #writer = :writer OR attribute_exists(pk)',",
    ],
    'a row that is there is not made again': ["{ ConditionExpression: 'attribute_not_exists(pk)' };", '{};'],
    'a write whose answer was lost is no lost race': ['current?.writer === writer ? current : undefined', 'undefined'],
  }),
  ...without('shared/aws/dynamodb-ledger.ts', severalRows, {
    'a transaction whose answer was lost is no lost race': [
      "if (!current.some((row) => row?.writer === writer)) return 'row-changed';",
      "if (current.length >= 0) return 'row-changed';",
    ],
    'a transaction that DynamoDB refuses for another reason is no lost race': [
      "codes.every((code) => code === 'ConditionalCheckFailed' || code === 'TransactionConflict')",
      'codes.length > 0',
    ],
  }),
  ...without('shared/ledger/memory-ledger.ts', severalRows, {
    'the ledger in memory writes all rows or none': "if (!changes.every(isUnchanged)) return 'row-changed';",
  }),
  ...without('local/aws/dynamodb/dynamodb-engine.ts', transactions, {
    'a local transaction has no other writer beside it': ['running = lastWriter.then(work);', 'running = work();'],
  }),
  ...without('local/aws/dynamodb/dynalite-store.ts', transactions, {
    'a local transaction that was cut off is not there in part': [
      'if (changes === undefined) return put(key, value, done);',
      'return put(key, value, done);',
    ],
  }),
  ...without('local/schedules/schedule-book.ts', ['test/unit/local/schedules/start-schedules.test.ts'], {
    'a schedule that cannot be computed does not stop the others': ['(!isTimeZone(timezone))', "(timezone === '')"],
  }),
  ...without('local/stage/start-checks.ts', ['test/unit/local/stage/start-checks.test.ts'], {
    'a folder goes on with the gateway that it has': ['(kept.gateway !== asked.gateway)', "(kept.gateway === '')"],
  }),
  ...without('local/state/start-problem.ts', ['test/integration/local/full-disk.test.ts'], {
    'what the disk refuses is no damage': ['const problem = diskProblem(path, error);', 'const problem = undefined;'],
  }),
  ...without('functions/_handler/queue-worker.ts', [`${runtime}/queue-worker.test.ts`], {
    'a message that did not end goes back to its queue':
      "if (result.kind !== 'done') batchItemFailures.push({ itemIdentifier: record.messageId });",
    'a record that fails does not take its neighbours down': [
      "    result = backAfter(error, 'attempt', delivery);",
      '    throw error;',
    ],
    'a record is not begun with too little time left': ['remainingMs() < attempt.budgetMs', 'remainingMs() < 0'],
  }),
  ...without('functions/_handler/function-log.ts', [`${runtime}/function-log.test.ts`], {
    'a secret is taken out of every log line': ['const redacted = redact(text);', 'const redacted = text;'],
  }),
  ...without(
    'functions/reconcile-ledger/missed-notifications.ts',
    ['test/unit/functions/reconcile-ledger/lost-uploads.test.ts'],
    {
      'an upload that no message told of is sent to its queue': ['return at >= from && at', 'return at < from && at'],
    },
  ),
  ...without(
    'functions/_runs/handle-command.ts',
    ['test/unit/functions/_runs/attempt-mark.test.ts', 'test/unit/functions/update-campaign-runs/waits.test.ts'],
    {
      'a command that kills its worker again and again is parked': ['mostCrashes = 3;', 'mostCrashes = Infinity;'],
    },
  ),
  ...without('infra/constructs/compute/worker-function.ts', ['test/infra/stacks/sweeps.test.ts'], {
    'mappings take partial answers, so that one bad record does not fail its batch': [': true', ': false'],
  }),
  ...without('infra/constructs/storage/token-secret.ts', ['test/infra/stacks/data-protection.test.ts'], {
    'no other account reads the token, whatever a role says':
      "refused('ThisAccountOnly', { StringNotEquals: { 'aws:PrincipalAccount': Aws.ACCOUNT_ID } }),",
  }),
  ...without('infra/constructs/people/command-policies.ts', ['test/infra/validation/findings.long.test.ts'], {
    'a wildcard is a finding until a person says why':
      "      wildcard: 'the group of this stage, with schedules of any name',\n",
  }),
  ...without('infra/constructs/compute/worker-function.ts', ['test/infra/security/security-document.test.ts'], {
    'the code of a function may do nothing to the network that it runs in':
      "conditions: { Null: { 'lambda:SourceFunctionArn': 'true' } },",
    'a role lacks nothing that Lambda asks for to reach the subnets': "'ec2:DescribeNetworkInterfaces',",
  }),
  ...without('infra/constructs/worker-queue.ts', ['test/infra/security/security-document.test.ts'], {
    'who sends to a queue may do nothing else with it': ["'sqs:SendMessage'", "'sqs:SendMessage', 'sqs:PurgeQueue'"],
  }),
  ...without('infra/constructs/people/upload-policies.ts', ['test/infra/stacks/data-protection.test.ts'], {
    'who may write tests may not, by that, start runs': ["['s3:PutObject']", "['s3:PutObjectTagging']"],
  }),
  ...without('infra/constructs/storage/own-bucket.ts', ['test/infra/stacks/customer-keys.test.ts'], {
    'no file is put under a key of AWS if the stage has its own': ["['aws:kms', 'aws:kms:dsse']", "'aws:kms:dsse'"],
  }),
  ...without('infra/constructs/worker-queue.ts', ['test/infra/security/security-document.test.ts'], {
    'a role lacks nothing that a service asks for on a key': ["'kms:Decrypt', 'kms:GenerateDataKey'", "'kms:Decrypt'"],
  }),
  ...without('infra/constructs/encryption-key.ts', ['test/infra/stacks/upgrades.test.ts'], {
    'a stage with keys of its own can go over to an existing bucket': 'Stack.of(this).exportValue(this.bucket.keyArn);',
  }),
  ...without('infra/stacks/state-stack.ts', ['test/infra/stacks/data-protection.test.ts'], {
    'what is kept without its stack keeps what it refuses': 'if (isProtected) keepPolicies(this);',
  }),
  ...without('operator/doctor/link-findings.ts', ['test/integration/stage/people/doctor-deep.long.test.ts'], {
    'a test of the links takes its object away, also after Ctrl-C': ['(await takeAway(sent, run))', '([])'],
  }),
];

/**
 * The role of each function and of the schedules, taken over: what it may send and write, by the
 * policies of the template, and what comes of it, at the gateway beside the running stage.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, describe, expect, test } from 'vitest';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { type Authority, createAuthority } from '#local/aws/iam/authority.ts';
import type { RequestContext } from '#local/aws/iam/conditions.ts';
import { type ResolvedAssembly, resourcesOfType } from '#local/template/cloud-assembly.ts';
import { asList, asObject, textsOf } from '#local/template/json.ts';
import { createDynamoDbLedger } from '#shared/aws/dynamodb-ledger.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { type CommandRow, newCommandRow } from '#shared/ledger/rows/command-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { type InFlight, newTargetRow, type TargetRow, withEntry } from '#shared/ledger/rows/target-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import stages from '../../../../automation.config.ts';
import { commandsAt } from '../../../builders/commands-by-sender.ts';
import { developerKey } from '../../../builders/developer-key.ts';
import { takenOverRoles } from '../../../infra/security/taken-over.ts';
import { withStatements } from '../harness/grants-of-template.ts';
import { requestsOf } from '../harness/control-data.ts';
import { openInProcessStage } from '../harness/in-process-stage.ts';
import { until } from '../harness/stage-process.ts';

let template: ResolvedAssembly;
let authority: Authority;

/** A time of the only schedule, which does not come again. */
const past = new Date(Date.now() - 3_600_000).toISOString().slice(0, 19);
const occurrence = { name: 'nights', at: `${past}Z` };

const it = await openInProcessStage({
  automation: {
    ...stages.local,
    schedules: [{ name: 'nights', stop: 'smoke', at: 'rate(365 days)', startDate: occurrence.at }],
  },
  authorityFor(assembly) {
    template = assembly;
    authority = createAuthority(assembly, developerKey);
    return authority;
  },
});
const { endpoint, region } = it.stage.assembly;
const ledger = ledgerWith(developerKey);
afterAll(it.close);

type Key = ReturnType<Authority['accessKeyFor']>;

function ledgerWith(credentials: Key): Ledger {
  const tableName = resourcesOfType(template, 'AWS::DynamoDB::Table')[0]?.physicalId ?? '';
  return createDynamoDbLedger({ client: new DynamoDBClient({ endpoint, region, credentials }), tableName });
}

const otherRoles: Readonly<Record<string, string>> = {
  'the schedules': 'SchedulesCommandsRole',
  'the link tests': 'LinkTesterRole',
};

/** `update-campaign-runs` is the role `UpdateCampaignRunsFunctionRole…`. */
function roleArnOf(name: string): string {
  const id = otherRoles[name] ?? `${name.replaceAll('-', '')}FunctionRole`;
  const found = resourcesOfType(template, 'AWS::IAM::Role').filter(({ logicalId }) =>
    new RegExp(`^${id}`, 'i').test(logicalId),
  );
  expect(found.length, name).toBe(1);
  return found[0]?.arn ?? '';
}

function keyOf(name: string): Key {
  return authority.accessKeyFor(roleArnOf(name), 'taken-over');
}

function plain(logicalId: string): string {
  return logicalId.replace(/[0-9A-F]{8}$/, '');
}

function isAllowed(name: string, action: string, resource: string, context = {}): boolean {
  const caller = authority.roleCaller(roleArnOf(name), 'asked');
  return authority.authorize({ caller, action, resource, context }).allowed;
}

let seen = 0;

/** What changed a run at the gateway since the last look. Unused ones, which the watcher makes, are left out. */
async function effects(): Promise<readonly string[]> {
  const all = await requestsOf(it);
  const found = all.slice(seen);
  seen = all.length;
  const changes = found.filter(({ method, path }) => method !== 'GET' && path !== '/backend/v1/campaign-schedules');
  return changes.map(({ method, path, body }) => `${method} ${path} ${body}`);
}

/** Sends as a role; the id of the message. */
async function sendAs(name: string, command: CampaignRunCommand): Promise<string> {
  const sqs = new SQSClient({ endpoint, region, credentials: keyOf(name) });
  const queue = resourcesOfType(template, 'AWS::SQS::Queue').find(({ logicalId }) => plain(logicalId) === 'Commands');
  const sending = sqs.send(
    new SendMessageCommand({ QueueUrl: queue?.physicalId, MessageBody: JSON.stringify(command) }),
  );
  return (await sending.finally(() => sqs.destroy())).MessageId ?? '';
}

/** What a message came to: the row of its command, or the parked message. */
async function cameTo(messageId: string, id: string): Promise<Stored> {
  return until(`what message ${messageId} came to`, async () => {
    const own = await ledger.read<CommandRow>(ledgerKeys.command(id));
    return (await parkedMessage(messageId)) ?? (own?.outcome && own);
  });
}

/** What a message that is refused leaves; a command of its id may have its row from who may send it. */
async function parkedMessage(messageId: string): Promise<Stored | undefined> {
  return ledger.read<Stored>(ledgerKeys.message('commands', messageId));
}

const names = Object.keys(takenOverRoles);

describe.each(names)('the role of %s, taken over,', (name) => {
  const { sends, done, writes } = takenOverRoles[name] ?? { sends: [], done: [], writes: [] };

  test('sends to the queues, and writes the kinds of rows, that the page says', () => {
    const queues = resourcesOfType(template, 'AWS::SQS::Queue').filter(({ arn }) =>
      isAllowed(name, 'sqs:SendMessage', arn ?? ''),
    );
    const [table] = resourcesOfType(template, 'AWS::DynamoDB::Table');
    const kinds = kindsOfRows().filter((kind) =>
      isAllowed(name, 'dynamodb:PutItem', table?.arn ?? '', { 'dynamodb:LeadingKeys': [`${kind}#x`] }),
    );

    expect(queues.map(({ logicalId }) => plain(logicalId)).toSorted()).toEqual(sends);
    expect(kinds.toSorted()).toEqual(writes);
  });

  test('changes a row in no other way, calls no function, puts no file, and changes nothing that is deployed', () => {
    const others = [
      ...['UpdateItem', 'DeleteItem', 'BatchWriteItem', 'Scan', 'PartiQLUpdate'].map((action) => `dynamodb:${action}`),
      ...['PurgeQueue', 'SetQueueAttributes', 'AddPermission'].map((action) => `sqs:${action}`),
      ...['InvokeFunction', 'UpdateFunctionCode', 'UpdateFunctionConfiguration'].map((action) => `lambda:${action}`),
      's3:PutObject',
      's3:DeleteObject',
      's3:DeleteObjectVersion',
      'secretsmanager:PutSecretValue',
      'scheduler:CreateSchedule',
      'scheduler:UpdateSchedule',
      'iam:PassRole',
      'sts:AssumeRole',
      'sns:Publish',
    ];
    const context = { 'dynamodb:LeadingKeys': ['command#x'] };
    const allowed = template.resources.flatMap(({ arn, logicalId }) =>
      others
        .filter((action) => [arn, `${arn}/x`].some((one) => isAllowed(name, action, one ?? '', context)))
        .map((action) => `${action} ${logicalId}`),
    );

    expect(allowed).toEqual([]);
  });

  test('has no command of others done: those are refused or parked, and reach no run', async () => {
    await effects();
    const all = Object.entries(commandsAt(new Date(it.clock.now()).toISOString(), occurrence));
    const own = new Set<string>(done);
    const forged = all.filter(([kind]) => !own.has(kind));

    const refusals: string[] = [];
    for (const [kind, command] of forged) {
      const sending = sendAs(name, command);
      if (!sends.includes('Commands')) {
        const refusal: unknown = await sending.catch((error: unknown) => error);
        refusals.push(refusal instanceof Error ? refusal.name : `${kind} was sent`);
        continue;
      }
      const messageId = await sending;
      expect(await until(`${kind} to be parked`, async () => parkedMessage(messageId)), kind).toMatchObject({
        kind: 'message',
        openState: 'PARKED',
        outcome: {
          reason: 'BAD_MESSAGE',
          detail: expect.stringContaining(`origin: ${name.replace('the ', '').replace(' ', '-')} sent it`),
        },
      });
    }
    expect(refusals.filter((refusal) => refusal !== 'AccessDeniedException')).toEqual([]);
    expect(await effects()).toEqual([]);
  });
});

// After all of the forged ones: what is sent again under the id of a command that has ended is a repeat, from any sender.
test.each(names)('the role of %s, taken over, has its own commands done', async (name) => {
  const all = commandsAt(new Date(it.clock.now()).toISOString(), occurrence);
  for (const kind of takenOverRoles[name]?.done ?? []) {
    const command = all[kind];
    expect(await cameTo(await sendAs(name, command), command.id)).toMatchObject({
      kind: 'command',
      sender: { isProven: true },
    });
  }
});

function kindsOfRows(): readonly string[] {
  const conditions = JSON.stringify(template.resources.map(({ properties }) => properties['PolicyDocument']));
  return [...new Set([...conditions.matchAll(/"([a-z-]+)#\*"/g)].map(([, kind = '']) => kind))];
}

const aRun = seedIds.campaignRuns.nightly[30] ?? '';

/** A run in flight without a start. */
function madeUp(startId: string, state: InFlight['state'], now: Date): InFlight {
  const before = new Date(now.getTime() - 2 * 3_600_000).toISOString();
  const times = { issuedAt: before, due: before, sentAt: before, endsAt: before };
  return {
    campaignRunId: aRun,
    run: 'smoke',
    campaign: 'chat-bot',
    startId,
    ...times,
    plansStop: true,
    state,
    unanswered: 0,
  };
}

const startOf = (now: Date): CampaignRunCommand => ({
  ...commandsAt(now.toISOString(), occurrence)['of an operator who overrides'],
  id: `made-up-${now.getTime()}`,
});

describe('park-dead-letters, taken over, with the rows that it may write,', () => {
  test('cannot write a command as update-campaign-runs does that took it', async () => {
    const now = new Date(it.clock.now());
    const row = { ...newCommandRow(startOf(now), now), isTaken: true } as const;

    await expect(ledgerWith(keyOf('park-dead-letters')).write(undefined, row)).rejects.toMatchObject({
      name: 'AccessDeniedException',
    });
  });

  test.each(['a deferred start', 'a start without an answer'])(
    'starts no run by %s of its own making',
    async (what) => {
      await effects();
      const now = new Date(it.clock.now());
      const command = startOf(now);
      const at = new Date(now.getTime() - 3_600_000 * 2).toISOString();
      const its = ledgerWith(keyOf('park-dead-letters'));
      const isDeferred = what === 'a deferred start';
      await its.write<CommandRow>(undefined, {
        ...newCommandRow(command, now),
        ...(isDeferred
          ? { deferred: { from: at, until: at, blackout: 'x' }, openState: 'DEFERRED', openSince: at }
          : { attempt: { crashes: 0, since: at, tries: 1, nextTryAt: at }, openState: 'PENDING', openSince: at }),
      });
      const target = withEntry(newTargetRow(`made-up ${what}`), {
        ...madeUp(command.id, 'starting', now),
        endsAt: new Date(now.getTime() + 3_600_000).toISOString(),
      });
      if (!isDeferred) await its.write<TargetRow>(undefined, target);

      await it.invoke('watch-campaigns', { tick: 'watch-campaigns' });
      const parked = await until('the forged start', async () => {
        const { items } = await ledger.listOpen('PARKED');
        return items.find((row) => JSON.stringify(row).includes(command.id));
      });

      expect(parked).toMatchObject({
        outcome: { reason: 'BAD_MESSAGE', detail: expect.stringContaining('origin: watch-campaigns sent it') },
      });
      expect((await ledger.read<CommandRow>(ledgerKeys.command(command.id)))?.outcome).toBeUndefined();
      expect((await effects()).filter((effect) => effect.includes('startAt'))).toEqual([]);
    },
  );

  test('has a run stopped, as the page says', async () => {
    await effects();
    const now = new Date(it.clock.now());
    const before = await ledger.read<TargetRow>(ledgerKeys.target('chat-bot'));
    const target = withEntry(before ?? newTargetRow('chat-bot'), madeUp('made-up-start', 'running', now));
    await ledgerWith(keyOf('park-dead-letters')).write<TargetRow>(before, target);

    await it.invoke('watch-campaigns', { tick: 'watch-campaigns' });
    const stopped = await until(
      'the stop',
      async () => {
        const made = await effects();
        return made.length > 0 && made;
      },
      60_000,
    );

    expect(stopped).toEqual([
      expect.stringMatching(new RegExp(`^PATCH /backend/v1/campaign-runs/${aRun} .*cancelled`)),
    ]);
  });
});

/** Each condition of a statement that the evaluator asks about rows, with who is held by it. */
function conditionsOnRows() {
  return template.resources.flatMap((policy) =>
    asList(asObject(policy.properties['PolicyDocument'])['Statement'])
      .map(asObject)
      .flatMap((statement, at) =>
        Object.keys(asObject(statement['Condition']))
          .filter((operator) => operator.startsWith('ForAllValues:'))
          .map((operator) => ({ policy, statement, at, operator })),
      ),
  );
}

test('each condition on rows is needed: without any one its holder touches more', () => {
  const conditions = conditionsOnRows();
  const needless = conditions.filter(({ policy, statement, at, operator }) => {
    const { [operator]: gone, ...rest } = asObject(statement['Condition']);
    const less = createAuthority(
      withStatements(template, policy.logicalId, (all) => all.with(at, { ...statement, Condition: rest })),
      developerKey,
    );
    const own = textsOf(asObject(asObject(statement['Condition'])['ForAllValues:StringLike'])['dynamodb:LeadingKeys']);
    const context: RequestContext =
      operator === 'ForAllValues:StringLike'
        ? { 'dynamodb:LeadingKeys': ['another-kind#x'] }
        : {
            'dynamodb:LeadingKeys': [own[0] ?? ''],
            'dynamodb:Attributes': Object.values(asObject(gone)).flatMap(textsOf),
          };
    const mayTouch = (by: Authority) => {
      const [role] = textsOf(policy.properties['Roles']);
      const arn = resourcesOfType(template, 'AWS::IAM::Role').find(({ name }) => name === role)?.arn ?? '';
      const caller = role === undefined ? by.personCaller(policy.arn ?? '') : by.roleCaller(arn, 'asked');
      const [action = ''] = textsOf(statement['Action']);
      const [resource = ''] = textsOf(statement['Resource']);
      return by.authorize({ caller, action, resource, context }).allowed;
    };
    return mayTouch(authority) || !mayTouch(less);
  });

  expect(needless.map(({ policy, statement, operator }) => [policy.logicalId, statement['Action'], operator])).toEqual(
    [],
  );
  expect(conditions.length).toBeGreaterThan(15);
});

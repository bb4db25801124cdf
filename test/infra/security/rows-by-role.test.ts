import { isDeepStrictEqual } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { flatText } from '#infra/constructs/compute/grant-actions.ts';
import { stageWith } from '../stacks/stage-with.ts';
import { halting } from './security-document.ts';
import { at, configurations, listOf, type StageTemplates, synthesize } from '../template.ts';
import { type Granted, grantedIn } from './granted.ts';

let templates: StageTemplates;
let ofRows: readonly Granted[];

beforeAll(async () => {
  templates = await synthesize(configurations.example);
  ofRows = grantedIn(templates).granted.filter(({ action }) => action.startsWith('dynamodb:'));
});

const kindsIn = ({ condition }: Granted) => {
  const keys = listOf(at(condition, 'ForAllValues:StringLike.dynamodb:LeadingKeys'));
  return keys.map((key) => flatText(key).replace(/#\*$/, '')).join(' ') || 'all';
};

/** Kinds of rows by action; `all` where no condition holds them. */
function rowsOf(holder: RegExp, granted = ofRows): Readonly<Record<string, string>> {
  const its = granted.filter(({ to, action }) => 'id' in to && holder.test(to.id) && action !== 'dynamodb:Query');
  // People have the table of what was observed too: what they may touch of each has to be the same.
  const byAction = Map.groupBy(its, ({ action }) => action.replace('dynamodb:', ''));
  return Object.fromEntries(
    [...byAction].map(([action, ofAction]) => [action, [...new Set(ofAction.map(kindsIn))].join(' or ')]),
  );
}

const rowsByRole: readonly (readonly [string, RegExp, Readonly<Record<string, string>>])[] = [
  [
    'update-campaign-runs',
    /^UpdateCampaignRuns/,
    {
      GetItem: 'command gate link-test message recent run run-id target',
      PutItem: 'command gate link-test message recent run run-id target',
      BatchGetItem: 'calendars command confirmation run run-id run-readings switch target',
    },
  ],
  [
    'register-datasets',
    /^RegisterDatasets/,
    {
      GetItem: 'dataset gate link-test message recent upload',
      PutItem: 'dataset gate link-test message recent upload',
    },
  ],
  [
    'poll-scanner-packages',
    /^PollScannerPackages/,
    { GetItem: 'gate recent watch', PutItem: 'gate recent watch', BatchGetItem: 'watch' },
  ],
  ['watch-projects', /^WatchProjects/, { GetItem: 'gate project-watch recent', PutItem: 'gate project-watch recent' }],
  [
    'park-dead-letters',
    /^ParkDeadLetters/,
    {
      GetItem: 'command gate message recent run run-id target',
      PutItem: 'command message recent run run-id target',
      BatchGetItem: 'command run run-id switch target',
    },
  ],
  [
    'reconcile-ledger',
    /^ReconcileLedger/,
    { GetItem: 'gate reconcile', PutItem: 'reconcile', BatchGetItem: 'command observed-until upload' },
  ],
  [
    'watch-campaigns',
    /^WatchCampaigns/,
    {
      GetItem: 'calendars command confirmation gate run run-id run-readings sent-commands target',
      PutItem: 'calendars confirmation gate run run-id run-readings sent-commands target',
      BatchGetItem: 'command confirmation',
    },
  ],
  [
    'answer-questions',
    /^AnswerQuestions/,
    {
      GetItem: 'calendars command confirmation gate run run-id run-readings switch target',
      BatchGetItem: 'calendars command confirmation gate run run-id run-readings switch target',
    },
  ],
  [
    'a reader',
    /^Reader/,
    {
      GetItem:
        'command confirmation gate handle link-test message past-switch recent reconcile run run-id switch target upload',
    },
  ],
  [
    'an operator',
    /^Operator/,
    {
      GetItem:
        'command confirmation gate handle link-test message past-switch recent reconcile run run-id switch target upload',
      PutItem: 'command handle message past-switch run switch upload',
    },
  ],
];

test.each(rowsByRole)('%s touches these kinds of rows and no other', (_who, holder, rows) => {
  expect(rowsOf(holder)).toEqual(rows);
});

test('that test is red for its holder once any one condition on rows is removed', () => {
  const held = ofRows.filter(({ condition }) => condition !== undefined);
  const unseen = held.filter((one) => {
    const without = ofRows.map((granted) => (granted === one ? { ...one, condition: undefined } : granted));
    return rowsByRole.every(([, holder, rows]) => isDeepStrictEqual(rowsOf(holder, without), rows));
  });

  expect(unseen).toEqual([]);
  expect(held.length).toBeGreaterThan(20);
});

test('park-dead-letters alone may write no row of a command that update-campaign-runs took', () => {
  const key = 'ForAllValues:StringNotEquals.dynamodb:Attributes';
  const limited = ofRows.filter(({ condition }) => at(condition, key) !== undefined);

  expect(limited.map(({ to, action, condition }) => ['id' in to && to.id, action, at(condition, key)])).toEqual([
    [expect.stringMatching(/^ParkDeadLetters/), 'dynamodb:PutItem', ['isTaken']],
  ]);
});

test('watch-campaigns alone writes holds of alarms, and no other switch', async () => {
  const granted = grantedIn(await stageWith({ campaigns: halting() }, 'prod')).granted;
  const writers = granted.filter(
    ({ to, action, condition }) =>
      to.kind === 'role' && action === 'dynamodb:PutItem' && JSON.stringify(condition).includes('switch'),
  );

  expect(writers.map(({ to }) => ('id' in to ? to.id : ''))).toEqual([expect.stringMatching(/^WatchCampaigns/)]);
  expect(writers.map(({ condition }) => at(condition, 'ForAllValues:StringLike.dynamodb:LeadingKeys'))).toEqual([
    ['past-switch#alarm#*', 'switch#alarm#*'],
  ]);
});

test('no function writes a freeze or a pause, and no one may scan or query the rows themselves', () => {
  const writers = ofRows.filter(
    ({ to, action, condition }) =>
      to.kind === 'role' && action === 'dynamodb:PutItem' && JSON.stringify(condition).includes('switch'),
  );
  const queries = ofRows.filter(({ action }) => action === 'dynamodb:Query');

  expect(writers).toEqual([]);
  expect(new Set(ofRows.map(({ action }) => action))).toEqual(
    new Set(['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:BatchGetItem', 'dynamodb:Query']),
  );
  // `ForAllValues` is true where a request names no key: a query stands by itself, on an index.
  expect(queries.filter(({ condition }) => condition !== undefined)).toEqual([]);
  expect(queries.filter(({ resource }) => !/index\/(?:open|dataset)/.test(JSON.stringify(resource)))).toEqual([]);
});

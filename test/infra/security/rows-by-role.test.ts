import { beforeAll, expect, test } from 'vitest';
import { stageWith } from '../stacks/stage-with.ts';
import { halting } from './security-document.ts';
import { at, configurations, synthesize } from '../template.ts';
import { type Granted, grantedIn } from './granted.ts';

/** Which kinds of rows each role touches stands in the tables of docs/security.md. */
let ofRows: readonly Granted[];

beforeAll(async () => {
  const { granted } = grantedIn(await synthesize(configurations.example));
  ofRows = granted.filter(({ action }) => action.startsWith('dynamodb:'));
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

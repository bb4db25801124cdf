import { expect, test } from 'vitest';
import { type FoundChange, startsForPackages } from '#functions/poll-scanner-packages/compare-packages.ts';
import type { PackageChangeRuleDocument } from '#shared/config/automation.ts';

const changed: FoundChange = {
  kind: 'changed',
  packageId: '019ba000-0601',
  name: 'Prompt Injection Guard',
  fields: ['availableUpdate', 'scannerIds'],
  direction: 'request',
  source: 'vendor',
  doesUpdateWait: true,
};

function isStarted(match: PackageChangeRuleDocument['match'], change: FoundChange = changed): boolean {
  return startsForPackages([change], [{ match, start: 'smoke' }]).length > 0;
}

test.each<PackageChangeRuleDocument['match']>([
  {},
  { name: 'prompt injection guard' },
  { name: '*INJECTION*' },
  { name: 'prompt*guard' },
  { name: '*' },
  { name: 'Prompt*In*ion Guard*' },
  { id: '019ba000-*' },
  { direction: 'request' },
  { source: 'vend*' },
  { field: 'availableUpdate' },
  { field: 'scanner*' },
  { kind: 'changed' },
  { kind: 'changed', name: '*guard', field: '*update', source: 'vendor', direction: 're*' },
])('a rule matches if each of its patterns does: %j', (match) => {
  expect(isStarted(match)).toBe(true);
});

test.each<PackageChangeRuleDocument['match']>([
  { name: 'injection' },
  { name: 'guard*' },
  { name: '*prompt' },
  { name: 'prompt injection guard*guard' },
  { name: '*.*' },
  { name: '' },
  { id: '601' },
  { direction: 'response' },
  { source: 'internal' },
  { field: 'name' },
  { kind: 'added' },
  { kind: 'changed', name: '*guard', field: 'name' },
])('a rule does not match if one of its patterns does not: %j', (match) => {
  expect(isStarted(match)).toBe(false);
});

test('a rule that names a field matches no added or removed package', () => {
  expect(isStarted({ field: '*' }, { ...changed, kind: 'added', fields: [] })).toBe(false);
});

test('a rule that names availableUpdate matches if an update waits, not if one has gone', () => {
  const { doesUpdateWait: _, ...installed } = changed;

  expect(isStarted({ field: 'availableUpdate' }, installed)).toBe(false);
  expect(isStarted({ field: 'availableUpdate' }, { ...changed, fields: ['scannerIds'] })).toBe(false);
  expect(isStarted({ field: 'available*' }, installed)).toBe(true);
});

test('a rule that names a direction matches no package without one', () => {
  const { direction: _, ...undirected } = changed;

  expect(isStarted({ direction: '*' }, undirected)).toBe(false);
});

test('names each run once, in the order of the rules', () => {
  const rules = ['nightly', 'smoke', 'nightly'].map((start) => ({ match: {}, start }));

  expect(startsForPackages([changed, changed], rules)).toEqual(['nightly', 'smoke']);
});

test('a pattern of many stars is decided at once', () => {
  const match = { name: `${'*a'.repeat(2000)}b` };

  expect(isStarted(match, { ...changed, name: 'a'.repeat(200) })).toBe(false);
});

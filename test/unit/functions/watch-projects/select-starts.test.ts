import { expect, test } from 'vitest';
import { startsForProject } from '#functions/watch-projects/project-change-set.ts';

const version = { kind: 'changed', field: 'scanners.019ba000-0000.version' } as const;
const added = { kind: 'added', field: 'scanners.019ba000-0000' } as const;

test.each([
  [version, {}, true],
  [version, { field: 'scanners.*.version' }, true],
  [version, { field: 'SCANNERS.*.Version' }, true],
  [version, { field: 'scanners.*' }, true],
  [version, { field: '*.version' }, true],
  [version, { field: 'packages.*.version' }, false],
  [version, { field: 'scanners' }, false],
  [version, { field: 'scanners.*.version', kind: 'added' as const }, false],
  [version, { kind: 'changed' as const }, true],
  [added, { field: 'scanners.*' }, true],
  [added, { field: 'scanners.*.version' }, false],
  [added, { kind: 'added' as const }, true],
])('%j and the rule %j', (difference, match, isStarted) => {
  expect(startsForProject([difference], [{ match, start: 'smoke' }])).toEqual(isStarted ? ['smoke'] : []);
});

test('one rule is not met by two differences that each meet half of it', () => {
  const match = { field: 'scanners.*.version', kind: 'added' as const };

  expect(startsForProject([version, added], [{ match, start: 'smoke' }])).toEqual([]);
});

test('runs come once each, in the order of the rules', () => {
  const rules = ['b', 'a', 'b'].map((start) => ({ match: {}, start }));

  expect(startsForProject([version, added], rules)).toEqual(['b', 'a']);
});

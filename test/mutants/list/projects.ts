import type { Mutant } from '../mutant.ts';

const room = 'functions/watch-projects';
const tests = (...names: readonly string[]) =>
  names.map((name) => `test/unit/functions/watch-projects/${name}.test.ts`);
const toldChanges = 'test/unit/shared/changes/told-changes.test.ts';

/**
 * What keeps a change of a project from being lost, told twice, or told with what must not be told.
 */
export const projectMutants: readonly Mutant[] = [
  {
    name: 'a look and the changes that it found are one write',
    file: `${room}/watch-project.ts`,
    from: '  await writeLook(row, { look, changeSet });',
    to: '  await writeLook(row, { look });\n  await writeLook(row, { look, changeSet });',
    tests: tests('watch-crashes'),
  },
  {
    name: 'a project without a configuration is no project whose scanners were removed',
    file: 'shared/changes/read-config.ts',
    from: '  if (lists.length === 0 && Object.keys(fields).length === 0) throw new ConfigMissingError(id);\n',
    to: '',
    tests: tests('watch-project'),
  },
  {
    name: 'a list that is not there is not an empty one',
    file: 'shared/changes/read-config.ts',
    from: 'return entries === null || entries === undefined ? [] : [[list, readEntries(list, entries, words)] as const];',
    to: 'return [[list, readEntries(list, entries ?? [], words)] as const];',
    tests: tests('watch-project'),
  },
  {
    name: 'a value before is told only if it is proven to be the one that was seen',
    file: 'shared/changes/compare-configs.ts',
    from: 'return earlierHashes?.get(field) === hash ? earlier?.words.get(field) : undefined;',
    to: 'return earlier?.words.get(field);',
    tests: [...tests('watch-project'), toldChanges],
  },
  {
    name: 'values of fields that the interface does not name are not told',
    file: 'shared/changes/read-config.ts',
    from: 'if (shown.has(field)) words.set',
    to: 'words.set',
    tests: [toldChanges],
  },
  {
    name: 'a gateway that does not look back excuses no run',
    file: `${room}/project-change-set.ts`,
    from: 'earlier !== undefined && isSameAt(differences, earlier.fingerprints, known.config);',
    to: 'earlier !== undefined;',
    tests: tests('project-change-set'),
  },
  {
    name: 'a run is excused by an instant that came before its start whatever the clocks say',
    file: `${room}/project-change-set.ts`,
    from: 'drift.hadChangedAt(wellBefore(startedAt))',
    to: 'drift.hadChangedAt(startedAt) && wellBefore(startedAt)',
    tests: tests('project-change-set'),
  },
  {
    name: 'two equal answers of a gateway that may not look back make no run comparable',
    file: 'operator/evidence/config-history.ts',
    from: "if (before.kind === 'read') return changesOf(before, first).length > 0;",
    to: "if (before.kind === 'read') return true;",
    tests: ['test/unit/cli/evidence/evidence.test.ts'],
  },
  {
    name: 'a listing that the gateway has withdrawn does not close the gate',
    file: `${room}/look-at-endpoints.ts`,
    from: 'error instanceof BadStatusError && withdrawn.has(error.status)',
    to: 'error instanceof BadStatusError && withdrawn.has(-error.status)',
    tests: tests('endpoints'),
  },
];

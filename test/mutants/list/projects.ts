import { without } from '../mutant.ts';

const room = 'functions/watch-projects';
const tests = (...names: readonly string[]) =>
  names.map((name) => `test/unit/functions/watch-projects/${name}.test.ts`);
const toldChanges = 'test/unit/shared/changes/told-changes.test.ts';

/**
 * What keeps a change of a project from being lost, told twice, or told with what must not be told.
 */
export const projectMutants = [
  ...without(`${room}/watch-project.ts`, tests('watch-crashes'), {
    'a look and the changes that it found are one write': [
      '  await writeLook(row, { look, changeSet });',
      '  await writeLook(row, { look });\n  await writeLook(row, { look, changeSet });',
    ],
  }),
  ...without('shared/changes/read-config.ts', tests('watch-project'), {
    'a project without a configuration is no project whose scanners were removed':
      '  if (lists.length === 0 && Object.keys(fields).length === 0) throw new ConfigMissingError(id);\n',
    'a list that is not there is not an empty one': [
      'return entries === null || entries === undefined ? [] : [[list, readEntries(list, entries, words)] as const];',
      'return [[list, readEntries(list, entries ?? [], words)] as const];',
    ],
  }),
  ...without('shared/changes/compare-configs.ts', [...tests('watch-project'), toldChanges], {
    'a value before is told only if it is proven to be the one that was seen': [
      'return earlierHashes?.get(field) === hash ? earlier?.words.get(field) : undefined;',
      'return earlier?.words.get(field);',
    ],
  }),
  ...without('shared/changes/read-config.ts', [toldChanges], {
    'values of fields that the interface does not name are not told': ['if (shown.has(field)) words.set', 'words.set'],
  }),
  ...without(`${room}/project-change-set.ts`, tests('project-change-set'), {
    'a gateway that does not look back excuses no run': ' && isSameAt(differences, earlier.fingerprints, known.config)',
    'a run is excused by an instant that came before its start whatever the clocks say': [
      'drift.hadChangedAt(wellBefore(startedAt))',
      'drift.hadChangedAt(startedAt) && wellBefore(startedAt)',
    ],
  }),
  ...without('operator/evidence/config-history.ts', ['test/unit/cli/reports/evidence.test.ts'], {
    'two equal answers of a gateway that may not look back make no run comparable': [
      "if (before.kind === 'read') return changesOf(before, first).length > 0;",
      "if (before.kind === 'read') return true;",
    ],
  }),
  ...without(`${room}/look-at-endpoints.ts`, tests('endpoints'), {
    'a listing that the gateway has withdrawn does not close the gate': ['has(error.status)', 'has(-error.status)'],
  }),
];

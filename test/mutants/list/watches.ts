import type { Mutant } from '../mutant.ts';

const room = 'functions/poll-scanner-packages';
const tests = (...names: readonly string[]) =>
  names.map((name) => `test/unit/functions/poll-scanner-packages/${name}.test.ts`);

/**
 * What keeps a change of the scanner packages from being lost, acted on twice, or made up from a
 * listing that is not whole.
 */
export const watchMutants: readonly Mutant[] = [
  {
    name: 'a change set is open, and waits again, before the fingerprints that it is about',
    file: `${room}/look.ts`,
    from: '  if (countOfKinds(survey.counts) > 0) await keepOpen(set, head, deps);\n  await writeGroups(survey.groups, work, head);\n',
    to: '  await writeGroups(survey.groups, work, head);\n  if (countOfKinds(survey.counts) > 0) await keepOpen(set, head, deps);\n',
    tests: tests('poll-crashes'),
  },
  {
    name: 'a poll that stood still does not write over the fingerprints of the one after it',
    file: `${room}/walk/compare-walk.ts`,
    from: '      await head.renewLease();\n      if (',
    to: '      if (',
    tests: tests('poll-stalls'),
  },
  {
    name: 'a poll that stood still does not write over the walk of the one after it',
    file: `${room}/walk/walk-rows.ts`,
    from: '      await head.renewLease();\n',
    to: '',
    tests: tests('poll-stalls'),
  },
  {
    name: 'a walk that has waited for one page for an hour begins again',
    file: `${room}/walk/walk-packages.ts`,
    from: ' || isStuck(walk, head, deps.now())',
    to: '',
    tests: tests('walk/poll-resumes'),
  },
  {
    name: 'what a change set lists fits into its row, however many fields changed',
    file: `${room}/change-set.ts`,
    from: ' || bytes > limits.bytes',
    to: '',
    tests: tests('change-set'),
  },
  {
    name: 'a fingerprint and the change that it makes known are one write',
    file: `${room}/poll-state.ts`,
    from: 'packages, found };',
    to: 'packages };',
    tests: tests('poll-watch', 'poll-crashes'),
  },
  {
    name: 'a change set stays in the ledger until all that it asks for is sent',
    file: `${room}/change-set.ts`,
    from: '  for (const run of set.starts) {\n',
    to: '  await head.write(rest);\n  for (const run of set.starts) {\n',
    tests: tests('poll-crashes'),
  },
  {
    name: 'what a change set starts is one command by its id, however often it is sent',
    file: `${room}/change-set.ts`,
    from: 'id: commandIds.change(watch, set.id, run),',
    to: 'id: commandIds.change(watch, now.toISOString(), run),',
    tests: tests('poll-crashes', 'poll-watch'),
  },
  {
    name: 'a change set waits from the last change, not from the first',
    file: `${room}/look.ts`,
    from: 'const changeSet = { ...set, changedAt: deps.now().toISOString() };',
    to: 'const changeSet = { ...set };',
    tests: tests('poll-settles'),
  },
  {
    name: 'a listing that never rests does not hold its starts for ever',
    file: `${room}/poll-state.ts`,
    from: 'const mostSettles = 6;',
    to: 'const mostSettles = 6000;',
    tests: tests('poll-settles', 'poll-state'),
  },
  {
    name: 'a walk that did not see the last page concludes nothing',
    file: `${room}/walk/walk-packages.ts`,
    from: "return cut(walk, work, 'the time of this poll is up');",
    to: "return { kind: 'complete', walk };",
    tests: tests('walk/poll-resumes'),
  },
  {
    name: 'the end of one walk is not counted as two',
    file: `${room}/walk/walk-packages.ts`,
    from: "  await forgetWalk(head);\n  return { kind: 'complete', walk };",
    to: "  return { kind: 'complete', walk };",
    tests: tests('walk/poll-resumes'),
  },
  {
    name: 'a package is removed when two complete walks did not show it',
    file: `${room}/compare-packages.ts`,
    from: 'const walksUntilRemoved = 2;',
    to: 'const walksUntilRemoved = 1;',
    tests: tests('poll-watch', 'walk/poll-resumes'),
  },
  {
    name: 'a listing that has lost most of its packages is not believed',
    file: `${room}/look.ts`,
    from: '  assertPlausible(survey);\n',
    to: '',
    tests: tests('poll-concludes-nothing', 'poll-settles'),
  },
  {
    name: 'what a walk has seen does not stay in memory',
    file: `${room}/walk/walk-packages.ts`,
    from: 'if (walk.unsavedCount < mostUnsaved && ',
    to: 'if (walk.unsavedCount < Infinity && ',
    tests: tests('walk/hundred-thousand'),
  },
  {
    name: 'a walk with something missing vouches for no page',
    file: `${room}/walk/walk-rows.ts`,
    from: 'digests === undefined || gone > 0 || listed !== seen',
    to: 'digests === undefined || listed !== seen',
    tests: tests('walk/poll-known-pages', 'poll-with-and-without'),
  },
  {
    name: 'a walk that lists a package twice vouches for no page',
    file: `${room}/walk/walk-rows.ts`,
    from: 'digests === undefined || gone > 0 || listed !== seen',
    to: 'digests === undefined || gone > 0',
    tests: tests('walk/poll-known-pages', 'poll-with-and-without'),
  },
  {
    name: 'no page vouches for anything while rows are written',
    file: `${room}/look.ts`,
    from: '  await forgetPages(head);\n',
    to: '',
    tests: tests('walk/poll-known-pages'),
  },
  {
    name: 'a listing is as it was only if every page is, and none is missing',
    file: `${room}/walk/walk.ts`,
    from: 'return isAsBefore && known?.digests.length === pages;',
    to: 'return isAsBefore;',
    tests: tests('walk/poll-known-pages', 'poll-with-and-without'),
  },
  {
    name: 'pages vouch in the version that the last look wrote',
    file: `${room}/walk/walk-rows.ts`,
    from: 'return row?.version === version && row.form === fingerprintForm',
    to: 'return row?.form === fingerprintForm',
    tests: tests('walk/poll-known-pages'),
  },
  {
    name: 'each page is compared once a day, whatever vouches for it',
    file: `${room}/walk/walk-rows.ts`,
    from: 'return ageMs >= 0 && ageMs < vouchesForMs',
    to: 'return ageMs >= 0',
    tests: tests('walk/poll-known-pages'),
  },
  {
    name: 'pages vouch for the last look only, whichever version made it',
    file: `${room}/walk/walk-rows.ts`,
    from: 'pages.walkedAt !== walkedAt',
    to: 'pages.version < 0',
    tests: tests('walk/poll-known-pages'),
  },
];

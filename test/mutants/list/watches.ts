import type { Mutant } from '../mutant.ts';

const room = 'functions/poll-scanner-packages';
const tests = (...names: readonly string[]) =>
  names.map((name) => `test/unit/functions/poll-scanner-packages/${name}.test.ts`);
const ofProjects = (...names: readonly string[]) =>
  names.map((name) => `test/unit/functions/watch-projects/${name}.test.ts`);

/**
 * What keeps a change of the scanner packages, or of a project, from being lost, acted on twice, or
 * made up from a listing that is not whole.
 */
export const watchMutants: readonly Mutant[] = [
  {
    name: 'what a look saw and what is to be sent for it are one transaction',
    file: `${room}/poll-watch.ts`,
    from: '  await head.write(decision.head, changedRows(watch.name, known, decision.packages));\n',
    to: '  await head.write(head.current(), changedRows(watch.name, known, decision.packages));\n  await head.write(decision.head);\n',
    tests: tests('poll-crashes'),
  },
  {
    name: 'of two looks at once the one that writes first counts, the other one does not',
    file: 'functions/_watch/watched-row.ts',
    from: "      if (written === 'row-changed') throw new OvertakenError(fresh.pk);\n",
    to: '',
    tests: [...tests('poll-overtaken'), ...ofProjects('watch-project')],
  },
  {
    name: 'a change set stays in the ledger until all that it asks for is sent',
    file: 'functions/_watch/change-set.ts',
    from: '  for (const run of set.starts) await',
    to: '  await row.write(rest as unknown as Row);\n  for (const run of set.starts) await',
    tests: [...tests('poll-crashes'), ...ofProjects('watch-crashes')],
  },
  {
    name: 'what a change set starts is one command by its id, however often it is sent',
    file: 'functions/_watch/change-set.ts',
    from: 'id: commandIds.change(watch, changeSet, run),',
    to: 'id: commandIds.change(watch, now().toISOString(), run),',
    tests: [...tests('poll-crashes'), ...ofProjects('watch-crashes')],
  },
  {
    name: 'what a change set lists fits into its row, however many fields changed',
    file: `${room}/change-set.ts`,
    from: ' || bytes > limits.bytes',
    to: '',
    tests: tests('change-set'),
  },
  {
    name: 'a change set waits from the last change, not from the first',
    file: `${room}/change-set.ts`,
    from: '{ ...set, changedAt: found.at,',
    to: '{ changedAt: found.at, ...set,',
    tests: tests('poll-settles'),
  },
  {
    name: 'a listing that never rests does not hold its starts for ever',
    file: `${room}/change-set.ts`,
    from: 'const mostSettles = 6;',
    to: 'const mostSettles = 6000;',
    tests: tests('poll-settles'),
  },
  {
    name: 'a walk that did not see the last page concludes nothing',
    file: `${room}/walk-packages.ts`,
    from: 'throw tooSlow(name, pages + 1);',
    to: "return { kind: 'complete', pages, seen };",
    tests: tests('walk-packages'),
  },
  {
    name: 'a package is removed when two complete walks did not show it',
    file: `${room}/compare-packages.ts`,
    from: 'const walksUntilRemoved = 2;',
    to: 'const walksUntilRemoved = 1;',
    tests: tests('poll-watch', 'poll-overtaken'),
  },
  {
    name: 'a listing that has lost most of its packages is not believed',
    file: `${room}/compare-packages.ts`,
    from: '  assertPlausible({ known: known.size, seen: seen.size, gone });\n',
    to: '',
    tests: tests('poll-concludes-nothing', 'poll-settles'),
  },
  {
    name: 'a watch with more packages than one transaction takes is refused',
    file: `${room}/walk-packages.ts`,
    from: 'if (seen.size > mostPackages) throw',
    to: 'if (seen.size > 1_000_000) throw',
    tests: tests('walk-packages'),
  },
  {
    name: 'a row of packages that DynamoDB does not take is refused by name',
    file: `${room}/known-packages.ts`,
    from: 'if (Buffer.byteLength(text) > maxRowBytes) throw',
    to: 'if (text.length < 0) throw',
    tests: tests('known-packages'),
  },
  {
    name: 'a walk whose pages list nothing more ends',
    file: `${room}/walk-packages.ts`,
    from: 'const mostIdlePages = 20;',
    to: 'const mostIdlePages = 200;',
    tests: tests('walk-packages'),
  },
];

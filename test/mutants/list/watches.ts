import { without } from '../mutant.ts';

const room = 'functions/poll-scanner-packages';
const tests = (...names: readonly string[]) =>
  names.map((name) => `test/unit/functions/poll-scanner-packages/${name}.test.ts`);
const pools = 'functions/watch-campaigns/pools';
const ofPools = `test/unit/${pools}`;
const ofProjects = (...names: readonly string[]) =>
  names.map((name) => `test/unit/functions/watch-projects/${name}.test.ts`);

/**
 * What keeps a change of the scanner packages, or of a project, from being lost, acted on twice, or
 * made up from a listing that is not whole.
 */
export const watchMutants = [
  ...without(`${room}/poll-watch.ts`, tests('poll-crashes'), {
    'what a look saw and what is to be sent for it are one transaction': [
      '  await head.write(look.head, changedRows(name, known, look.packages));\n',
      '  await head.write(head.current(), changedRows(name, known, look.packages));\n  await head.write(look.head);\n',
    ],
  }),
  ...without('functions/_watch/watched-row.ts', [...tests('poll-overtaken'), ...ofProjects('watch-project')], {
    'of two looks at once the one that writes first counts, the other one does not':
      "      if (written === 'row-changed') throw new OvertakenError(fresh.pk);\n",
  }),
  ...without('functions/_watch/finish-change-set.ts', [...tests('poll-crashes'), ...ofProjects('watch-crashes')], {
    'a change set stays in the ledger until all that it asks for is sent': [
      '  for (const run of set.starts) await',
      '  await row.write({ ...current, changeSet: undefined, openState: undefined, openSince: undefined });\n  for (const run of set.starts) await',
    ],
    'what a change set starts is one command by its id, however often it is sent': [
      'id: commandIds.change(watch, changeSet, run),',
      'id: commandIds.change(watch, now().toISOString(), run),',
    ],
  }),
  ...without(`${room}/package-change-set.ts`, tests('poll-watch'), {
    'what a change set lists fits into its row, however many fields changed': ' || bytes > limits.bytes',
  }),
  ...without(`${room}/package-change-set.ts`, tests('poll-settles'), {
    'a change set waits from the last change, not from the first': [
      '{ ...set, changedAt: found.at,',
      '{ changedAt: found.at, ...set,',
    ],
    'a listing that never rests does not hold its starts for ever': ['mostSettles = 6;', 'mostSettles = 6000;'],
  }),
  ...without(`${room}/walk-packages.ts`, tests('walk-packages'), {
    'a walk that did not see the last page concludes nothing': [
      'throw tooSlow(name, pages + 1);',
      "return { kind: 'complete', pages, seen };",
    ],
    'a watch with more packages than one transaction takes is refused': ['size > mostPackages', 'size > 1_000_000'],
    'a walk whose pages list nothing more ends': ['const mostIdlePages = 20;', 'const mostIdlePages = 200;'],
  }),
  ...without(`${room}/compare-packages.ts`, tests('poll-watch', 'poll-overtaken'), {
    'a package is removed when two complete walks did not show it': ['walksUntilRemoved = 2', 'walksUntilRemoved = 1'],
  }),
  ...without(`${room}/compare-packages.ts`, tests('poll-watch', 'poll-settles'), {
    'a listing that has lost most of its packages is not believed':
      '  assertPlausible({ known: known.size, seen: seen.size, gone });\n',
  }),
  ...without(`${room}/known-packages.ts`, tests('known-packages'), {
    'a row of packages that DynamoDB does not take is refused by name': [
      'if (Buffer.byteLength(text) > maxRowBytes) throw',
      'if (text.length < 0) throw',
    ],
  }),
  ...without(`${pools}/decide-pool.ts`, [`${ofPools}/fill-pools.test.ts`], {
    'a run whose answer was lost is looked for before another one is asked for':
      "if (answer === undefined || answer === 'refused') return false;",
    'a frozen stage makes no runs, so that a drained pool stays empty': "stage === 'frozen' || ",
  }),
  ...without(`${pools}/fill-pools.ts`, [`${ofPools}/pool-histories.test.ts`], {
    'no start takes a run that is being cancelled': ['step.claims ? await claim(step, row, deps) : await', 'await'],
  }),
  ...without(`${pools}/pool-calls.ts`, [`${ofPools}/fill-pools.test.ts`], {
    'what stands before the gateway ends no run of a pool': [
      "reason === 'CONFLICT'",
      'done.verdict.evidence.httpStatus === 409',
    ],
  }),
];

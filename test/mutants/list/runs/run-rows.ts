import type { Mutant } from '../../mutant.ts';
import { decisions, ledger, runs } from '../../test-files.ts';

/** What keeps the rows of runs, ids, targets and commands true while several workers write them. */
export const runRowMutants: readonly Mutant[] = [
  {
    name: 'an id is used once, whatever the list of its run says',
    file: 'shared/ledger/rows/run-row.ts',
    from: 'return row?.startId === undefined && row?.endedBy === undefined && row?.begunElsewhere === undefined;',
    to: 'return true;',
    tests: [...ledger('rows/run-row'), ...runs('starts')],
  },
  {
    name: 'an id that a stop ended is not free',
    file: 'shared/ledger/rows/run-row.ts',
    from: ' && row?.endedBy === undefined',
    to: '',
    tests: [...ledger('rows/run-row'), ...runs('stops-by-id')],
  },
  {
    name: 'an id whose run began without a start is not free',
    file: 'shared/ledger/rows/run-row.ts',
    from: ' && row?.begunElsewhere === undefined',
    to: '',
    tests: ['test/unit/shared/ledger/rows/run-row.test.ts'],
  },
  {
    name: 'a used id is passed over without a look at its row',
    file: 'shared/ledger/rows/run-row.ts',
    from: 'filter((id) => !used.has(digestOfId(id)))',
    to: 'filter((id) => !used.has(id))',
    tests: ledger('rows/run-row'),
  },
  {
    name: 'a bound id that was used is bound no more',
    file: 'shared/ledger/rows/run-row.ts',
    from: 'const bound = row.bound.filter((id) => id !== campaignRunId);\n  return',
    to: 'const { bound } = row;\n  return',
    tests: ledger('rows/run-row'),
  },
  {
    name: 'a bound id that was not applied is bound again',
    file: 'shared/ledger/rows/run-row.ts',
    from: 'bound: isListed ? row.bound : [campaignRunId, ...row.bound]',
    to: 'bound: row.bound',
    tests: ledger('rows/run-row'),
  },
  {
    name: 'a target with a run in flight is in the list of runs in flight',
    file: 'shared/ledger/rows/target-row.ts',
    from: "openState: since === undefined ? undefined : 'RUN_IN_FLIGHT',",
    to: 'openState: undefined,',
    tests: [...ledger('rows/target-row'), ...runs('starts')],
  },
  {
    name: 'a run in flight stays known when another starts beside it',
    file: 'shared/ledger/rows/target-row.ts',
    from: ': [...row.runs, entry];',
    to: ': [entry];',
    tests: ledger('rows/target-row'),
  },
  {
    name: 'an entry is that of its start',
    file: 'shared/ledger/rows/target-row.ts',
    from: 'row.runs.map((one) => (one.startId === entry.startId ? entry : one))',
    to: 'row.runs.map(() => entry)',
    tests: ledger('rows/target-row'),
  },
  {
    name: 'the minimum gap counts from the last due, whatever ended later',
    file: 'shared/ledger/rows/target-row.ts',
    from: 'toSorted((a, b) => Date.parse(a) - Date.parse(b)).at(-1)',
    to: 'at(0)',
    tests: ledger('rows/target-row'),
  },
  {
    name: 'a start that was not applied is given back to the budget',
    file: 'shared/ledger/rows/target-row.ts',
    from: 'return uncountStart(withoutRun(row, startId), startId);',
    to: 'return withoutRun(row, startId);',
    tests: [...ledger('rows/target-row'), ...runs('refused-starts')],
  },
  {
    name: 'a start counts once, in one month',
    file: 'shared/ledger/rows/target-row.ts',
    from: 'Object.entries(uncountStart(row, startId).startsOfMonth ?? {})',
    to: 'Object.entries(row.startsOfMonth ?? {})',
    tests: ledger('rows/target-row'),
  },
  {
    name: 'a start without a doubt is not told as one in doubt',
    file: 'shared/ledger/rows/target-row.ts',
    from: "return state === 'starting' && unanswered > 0;",
    to: 'return unanswered > 0;',
    tests: ledger('rows/target-row'),
  },
  {
    name: 'the outcome of an unproven start tells that interval',
    file: 'shared/ledger/rows/command-row.ts',
    from: 'outcome: { kind, reason, detail: withInterval(detail, mayHaveRun), at },',
    to: 'outcome: { kind, reason, detail, at },',
    tests: runs('in-doubt'),
  },
  {
    name: 'refusals are counted per command and in a row',
    file: 'shared/ledger/rows/command-row.ts',
    from: 'if (earlier?.status !== status) return',
    to: 'if (earlier === undefined) return',
    tests: decisions('waiting'),
  },
  {
    name: 'several refusals of one attempt are one',
    file: 'shared/ledger/rows/command-row.ts',
    from: 'return earlier.by === by ? earlier :',
    to: 'return',
    tests: decisions('waiting'),
  },
];

/** What keeps one id from being bound twice. */
export const idMutants: readonly Mutant[] = [
  {
    name: 'an id that another run has is not bound once more',
    file: 'operator/runs/run-ids.ts',
    from: 'if (binder !== undefined) return',
    to: "if (binder?.run === '') return",
    tests: ['test/unit/cli/runs/bind.test.ts'],
  },
  {
    name: 'an id of the deployed configuration is not bound once more',
    file: 'operator/runs/run-ids.ts',
    from: 'one.toLowerCase() === id',
    to: "one.toLowerCase() === ''",
    tests: ['test/unit/cli/runs/bind.test.ts'],
  },
  {
    name: 'an id that was used is not bound once more',
    file: 'operator/runs/run-ids.ts',
    from: 'if (row !== undefined && !isFreeId(row))',
    to: "if (row?.campaignRunId === '')",
    tests: ['test/unit/cli/runs/bind.test.ts'],
  },
];

import { without } from '../../mutant.ts';
import { decisions, ledger, runs } from '../../test-files.ts';

/** What keeps the rows of runs, ids, targets and commands true while several workers write them. */
export const runRowMutants = [
  ...without('shared/ledger/rows/run-row.ts', runs('starts'), {
    'an id is used once, whatever the list of its run says': [
      'return row?.startId === undefined && row?.end === undefined && row?.begunElsewhere === undefined;',
      'return true;',
    ],
  }),
  ...without('shared/ledger/rows/run-row.ts', runs('stops-by-id'), {
    'an id that a stop ended is not free': ' && row?.end === undefined',
  }),
  ...without('shared/ledger/rows/run-row.ts', ledger('rows/run-row'), {
    'an id whose run began without a start is not free': ' && row?.begunElsewhere === undefined',
    'a bound id that was not applied is bound again': [
      'bound: isListed ? row.bound : [campaignRunId, ...row.bound]',
      'bound: row.bound',
    ],
  }),
  ...without('shared/ledger/rows/run-row.ts', runs('starts'), {
    'a used id is passed over without a look at its row': ['!used.has(idDigest(id))', '!used.has(id)'],
    'a bound id that was used is bound no more': [
      'const bound = row.bound.filter((id) => id !== campaignRunId);\n  return',
      'const { bound } = row;\n  return',
    ],
  }),
  ...without('shared/ledger/rows/target-row.ts', ledger('rows/target-row'), {
    'a target with a run in flight is in the list of runs in flight': [
      "openState: since === undefined ? undefined : 'RUN_IN_FLIGHT',",
      'openState: undefined,',
    ],
    'the minimum gap counts from the last due, whatever ended later': [
      'toSorted((a, b) => Date.parse(a) - Date.parse(b)).at(-1)',
      'at(0)',
    ],
    'a start counts once, in one month': ['uncountStart(row, startId).startsOfMonth ?? {}', 'row.startsOfMonth ?? {}'],
    'a start without a doubt is not told as one in doubt': ["state === 'starting' && unanswered > 0", 'unanswered > 0'],
  }),
  ...without('shared/ledger/rows/target-row.ts', runs('guards/overlap', 'starts', 'in-doubt', 'stops'), {
    'a run in flight stays known when another starts beside it': [': [...row.runs, entry];', ': [entry];'],
    'an entry is that of its start': ['((one) => (one.startId === entry.startId ? entry : one))', '(() => entry)'],
  }),
  ...without('shared/ledger/rows/target-row.ts', runs('refused-starts'), {
    'a start that was not applied is given back to the budget': [
      'return uncountStart(withoutRun(row, startId), startId);',
      'return withoutRun(row, startId);',
    ],
  }),
  ...without('shared/ledger/rows/command-row.ts', runs('in-doubt'), {
    'the outcome of an unproven start tells that interval': ['detail: withInterval(detail, mayHaveRun)', 'detail'],
  }),
  ...without('shared/ledger/rows/command-row.ts', decisions('waiting'), {
    'refusals are counted per command and in a row': [
      '(earlier?.status !== one.status || isOld)',
      '(earlier === undefined || isOld)',
    ],
    'several refusals of one attempt are one': ['return earlier.by === one.by ? earlier :', 'return'],
  }),
];

/** What keeps one id from being bound twice. */
export const idMutants = [
  ...without('operator/runs/run-ids.ts', ['test/unit/cli/runs/bind.test.ts'], {
    'an id that another run has is not bound once more': ['if (binder !== undefined)', "if (binder?.run === '')"],
    'an id of the deployed configuration is not bound once more': ['toLowerCase() === id', "toLowerCase() === ''"],
    'an id that was used is not bound once more': ['row !== undefined && !isFreeId(row)', "row?.campaignRunId === ''"],
  }),
];

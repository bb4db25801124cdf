import type { Mutant } from '../../mutant.ts';
import { runs, watcher } from '../../test-files.ts';

/** What keeps a command from going on for ever, and an unproven start from being told as one that never ran. */
export const lastChanceMutants: readonly Mutant[] = [
  {
    name: 'at its last chance a start that may have begun says so',
    file: 'functions/_runs/decide/decide.ts',
    from: "if (row.state === 'start-unknown' && row.start.startId === command.id) {\n    return endUnknown",
    to: "if (row.state === 'start-unknown' && row.start.startId === '') {\n    return endUnknown",
    tests: runs('long-nights'),
  },
  {
    name: 'at its last chance a start that a stop may have ended says that it may have run',
    file: 'functions/_runs/decide/decide.ts',
    from: 'if (before?.start.startId !== command.id) return undefined;',
    to: "if (before?.start.startId !== '') return undefined;",
    tests: runs('given-back'),
  },
  {
    name: 'the interval in which an unproven start may have run is never forgotten',
    file: 'shared/ledger/rows/command-row.ts',
    from: 'const mayHaveRun = widest(row.mayHaveRun, end.mayHaveRun);',
    to: 'const mayHaveRun = end.mayHaveRun;',
    tests: [...runs('long-nights', 'update-campaign-run', 'hard-nights'), ...watcher('awaited-starts')],
  },
  {
    name: 'the outcome of an unproven start tells that interval',
    file: 'shared/ledger/rows/command-row.ts',
    from: 'outcome: { kind, reason, detail: withInterval(detail, mayHaveRun), at },',
    to: 'outcome: { kind, reason, detail, at },',
    tests: runs('update-campaign-run', 'hard-nights', 'long-nights'),
  },
  {
    name: 'a command at its retry deadline gets an outcome',
    file: 'functions/_runs/rounds.ts',
    from: '!isPastHorizon(record.sentAt, context.now())',
    to: 'isPastHorizon(record.sentAt, context.now())',
    tests: runs('long-nights'),
  },
  {
    name: 'a command whose attempts die one after another is parked',
    file: 'functions/_runs/handle-command.ts',
    from: "if (step.kind === 'crash-loop') {",
    to: "if (step.kind === 'crash-loop' && step.crashes < 0) {",
    tests: runs('long-nights'),
  },
];

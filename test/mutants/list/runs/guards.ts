import { guards } from '#shared/guards/guards.ts';
import type { Mutant } from '../../mutant.ts';
import { decisions, ledger, runs } from '../../test-files.ts';

/** Each guard in turn lets every start pass: a new guard is among them by its name. */
const silentGuards: readonly Mutant[] = guards.map(({ name, judge }) => ({
  name: `the guard ${name} says no`,
  file: 'shared/guards/guards.ts',
  from: `judge: ${judge.name} }`,
  to: 'judge: () => pass }',
  tests: ['test/unit/shared/guards/guards.test.ts', ...runs('guards/guards', 'guards/blackouts', 'hard-nights')],
}));

/** What keeps a start from going out when it must not, from any sender. */
export const guardMutants: readonly Mutant[] = [
  ...silentGuards,
  {
    name: 'a switch ends by itself at its end',
    file: 'shared/ledger/switches.ts',
    from: 'return isOn && (until === undefined || instant.getTime() < Date.parse(until));',
    to: 'return isOn && (until === undefined || instant.getTime() > 0);',
    tests: ['test/unit/shared/guards/guards.test.ts'],
  },
  {
    name: 'a blackout is judged at the instant of effect',
    file: 'functions/_runs/decide/judge-start.ts',
    from: 'effectAt: new Date(startTimes(command, run, now, config).effectAt),',
    to: 'effectAt: now,',
    tests: runs('guards/blackouts'),
  },
  {
    name: 'a run in flight is never started again, also if starts may overlap',
    file: 'shared/guards/guards.ts',
    from: 'if (one.campaignRunId === campaignRunId) return true;',
    to: '',
    tests: [...decisions('overlap'), 'test/unit/shared/guards/guards.test.ts'],
  },
  {
    name: 'starts that may overlap others do',
    file: 'shared/guards/guards.ts',
    from: "if (settings.overlap === 'allow') return false;",
    to: '',
    tests: [...decisions('overlap'), 'test/unit/shared/guards/guards.test.ts'],
  },
  {
    name: 'a planned stop that is due and not applied ends nothing yet',
    file: 'shared/guards/guards.ts',
    from: '|| endMs <= now.getTime();',
    to: ';',
    tests: [...decisions('overlap'), 'test/unit/shared/guards/guards.test.ts'],
  },
  {
    name: 'a start waits for a run that is about to end',
    file: 'shared/guards/guards.ts',
    from: '.filter((one) => !ending.some(({ startId }) => startId === one.startId));',
    to: ';',
    tests: [...decisions('overlap'), 'test/unit/shared/guards/guards.test.ts'],
  },
  {
    name: 'back to back is no overlap: a planned stop within a minute is waited for',
    file: 'functions/_runs/decide/judge-start.ts',
    from: 'Date.parse(one.plannedStopAt) <= now.getTime() + nearlyDueMs;',
    to: 'Date.parse(one.plannedStopAt) <= now.getTime();',
    tests: decisions('overlap'),
  },
  {
    name: 'a start that waited for the stop before it ends as if it had not waited',
    file: 'functions/_runs/decide/send-start.ts',
    from: 'at: plusMs(plannedStop.at, -heldMs)',
    to: 'at: plannedStop.at',
    tests: decisions('behind-stop'),
  },
  {
    name: 'only the wait for the stop is taken off the time of a run',
    file: 'shared/ledger/rows/command-row.ts',
    from: 'return before && { since, until: now }',
    to: 'return before && { since }',
    tests: decisions('behind-stop'),
  },
  {
    name: 'a wait for the stop that is over is not taken up again',
    file: 'shared/ledger/rows/command-row.ts',
    from: 'if (before?.until !== undefined) return before;',
    to: '',
    tests: decisions('behind-stop'),
  },
  {
    name: 'a run keeps at least half of its time',
    file: 'functions/_runs/decide/send-start.ts',
    from: 'heldMs >= runsMs / 2 ? plannedStop :',
    to: 'false ? plannedStop :',
    tests: decisions('behind-stop'),
  },
  {
    name: 'a start with a delay was not due before it ended',
    file: 'functions/_runs/decide/send-start.ts',
    from: 'Math.max(Date.parse(behindStop.since), dueMs(command))',
    to: 'Date.parse(behindStop.since)',
    tests: decisions('behind-stop'),
  },
  {
    name: 'a run whose planned stop is parked is in the way like any other',
    file: 'functions/_runs/decide/judge-start.ts',
    from: "?.outcome?.kind !== 'parked';",
    to: "?.outcome?.kind !== 'ignored';",
    tests: decisions('overlap'),
  },
  {
    name: 'a run in flight stays known when another starts beside it',
    file: 'shared/ledger/rows/guard-row.ts',
    from: '[...withoutRun(guard, reservation.campaignRunId), reservation]',
    to: '[reservation]',
    tests: ledger('rows/guard-row'),
  },
  {
    name: 'a reservation is that of its start: a stop of an earlier one frees no later one',
    file: 'shared/ledger/rows/guard-row.ts',
    from: 'one.campaignRunId !== campaignRunId || one.startId !== startId',
    to: 'one.campaignRunId !== campaignRunId',
    tests: ledger('rows/guard-row'),
  },
  {
    name: 'a planned stop holds its campaign until it is applied',
    file: 'shared/ledger/rows/guard-row.ts',
    from: 'plannedStopAt !== undefined || Date.parse',
    to: 'Date.parse',
    tests: ledger('rows/guard-row'),
  },
  {
    name: 'a run that a later start began is not stopped for an earlier one',
    file: 'functions/_runs/decide/judge-start.ts',
    from: 'return Date.parse(start.issuedAt) - Date.parse(issuedAt) > 1;',
    to: 'return true;',
    tests: runs('guards/stop-previous'),
  },
  {
    name: 'a run is stopped for a start only if there is room for the stop between the two',
    file: 'functions/_runs/decide/judge-start.ts',
    from: 'return Date.parse(start.issuedAt) - Date.parse(issuedAt) > 1;',
    to: 'return Date.parse(start.issuedAt) > Date.parse(issuedAt);',
    tests: runs('guards/stop-previous'),
  },
  {
    name: 'a start by the uuid of a bound id is held by the pause of its campaign',
    file: 'functions/_runs/load-state.ts',
    from: "[runKey, ...(command.action === 'start' ? switchKeys(sent, run) : [])]",
    to: '[runKey]',
    tests: runs('guards/held-starts'),
  },
  {
    name: 'a blackout holds for a start that waits for its run to settle',
    file: 'functions/_runs/decide/decide-start.ts',
    from: 'unsettled === undefined ? timeGuards : waitingGuards',
    to: 'timeGuards',
    tests: runs('guards/held-starts'),
  },
  {
    name: 'a start that overrides the overlap waits for no other run',
    file: 'functions/_runs/decide/judge-start.ts',
    from: "const isOverridden = moment.command.override?.guards.includes('overlap') === true;",
    to: 'const isOverridden = moment.now.getTime() < 0;',
    tests: runs('guards/held-starts'),
  },
];

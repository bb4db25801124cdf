import { guards } from '#shared/guards/guards.ts';
import type { Mutant } from '../../mutant.ts';
import { decisions, runs } from '../../test-files.ts';

/** Each guard in turn lets every start pass: a new guard is among them by its name. */
const silentGuards: readonly Mutant[] = guards.map(({ name, judge }) => ({
  name: `the guard ${name} says no`,
  file: 'shared/guards/guards.ts',
  from: `judge: ${judge.name} }`,
  to: 'judge: () => pass }',
  tests: [
    'test/unit/shared/guards/guards.test.ts',
    ...runs('guards/guards', 'guards/blackouts', 'guards/overlap', 'starts'),
  ],
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
    name: 'starts that may overlap others do',
    file: 'shared/guards/guards.ts',
    from: "if (first === undefined || settings.overlap === 'allow') return pass;",
    to: 'if (first === undefined) return pass;',
    tests: ['test/unit/shared/guards/guards.test.ts', ...decisions('decide')],
  },
  {
    name: 'back to back is no overlap: a planned stop within a minute is waited for',
    file: 'shared/guards/guards.ts',
    from: 'return entry.plansStop && !isPlannedStopOver && Date.parse(entry.endsAt) <= untilMs;',
    to: 'return entry.plansStop && !isPlannedStopOver && Date.parse(entry.endsAt) <= 0;',
    tests: [...decisions('decide'), ...runs('guards/overlap')],
  },
  {
    name: 'a run whose planned stop is over is in the way like any other',
    file: 'shared/guards/guards.ts',
    from: 'return entry.plansStop && !isPlannedStopOver && Date',
    to: 'return entry.plansStop && Date',
    tests: [...decisions('decide'), ...runs('guards/overlap')],
  },
  {
    name: 'a start waits for another one that has no outcome',
    file: 'shared/guards/guards.ts',
    from: "one.entry.state === 'running' && !isNearlyDue",
    to: '!isNearlyDue',
    tests: [...decisions('decide'), ...runs('guards/overlap')],
  },
  {
    name: 'no run of a later start is ended',
    file: 'shared/guards/guards.ts',
    from: '=> isEndRefused || isLater);',
    to: '=> isEndRefused);',
    tests: [...decisions('decide'), ...runs('guards/overlap')],
  },
  {
    name: 'a start ends if the run before it cannot be ended',
    file: 'shared/guards/guards.ts',
    from: '=> isEndRefused || isLater);',
    to: '=> isLater);',
    tests: [...decisions('decide'), ...runs('guards/overlap')],
  },
  {
    name: 'a refusal counts before a run that would be ended first',
    file: 'shared/guards/guards.ts',
    from: "if (found.kind === 'pass' || (found.kind === 'stop-first' && answer.kind !== 'stop-first')) {",
    to: "if (found.kind === 'pass') {",
    tests: ['test/unit/shared/guards/guards.test.ts', ...runs('guards/overlap')],
  },
  {
    name: "an operator's override passes the guards that it names and no other",
    file: 'shared/guards/guards.ts',
    from: 'const isOverridden = question.command.override?.guards.includes(name) === true;',
    to: 'const isOverridden = question.command.override?.guards !== undefined;',
    tests: ['test/unit/shared/guards/guards.test.ts'],
  },
  {
    name: 'a start by a campaign that is paused is held',
    file: 'functions/_runs/load.ts',
    from: 'return switchesOf({ origin: sent.origin, campaign, haltOn: guards?.haltOn })',
    to: 'return switchesOf({ origin: sent.origin, campaign: undefined, haltOn: guards?.haltOn })',
    tests: runs('guards/guards'),
  },
  {
    name: 'a start that would begin after its end is refused',
    file: 'shared/guards/guards.ts',
    from: 'if (times.startAt < times.endsAt) return pass;',
    to: 'if (now < times.endsAt) return pass;',
    tests: ['test/unit/shared/guards/guards.test.ts', ...runs('starts')],
  },
  {
    name: 'the runs of a name that began under another target are in the way',
    file: 'functions/_runs/decide/start-times.ts',
    from: 'row.target === run.guards.target || entry.run === run.name',
    to: 'row.target === run.guards.target',
    tests: ['test/faults/runs/deployments.test.ts'],
  },
];

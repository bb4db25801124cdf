import { guards } from '#shared/guards/guards.ts';
import { type Mutant, without } from '../../mutant.ts';
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
export const guardMutants = [
  ...without('shared/ledger/switches.ts', ['test/unit/shared/guards/guards.test.ts'], {
    'a switch ends automatically at its end': [
      'return isOn && (until === undefined || instant.getTime() < Date.parse(until));',
      'return isOn && (until === undefined || instant.getTime() > 0);',
    ],
  }),
  ...without('shared/guards/guards.ts', ['test/unit/shared/guards/guards.test.ts', ...decisions('decide')], {
    'starts that may overlap others do': [
      "if (first === undefined || settings.overlap === 'allow') return pass;",
      'if (first === undefined) return pass;',
    ],
  }),
  ...without('shared/guards/guards.ts', [...decisions('decide'), ...runs('guards/overlap')], {
    'back to back is no overlap: a planned stop within a minute is waited for': [
      'return entry.plansStop && !isPlannedStopOver && Date.parse(entry.endsAt) <= untilMs;',
      'return entry.plansStop && !isPlannedStopOver && Date.parse(entry.endsAt) <= 0;',
    ],
    'a run whose planned stop is over is in the way like any other': [
      'return entry.plansStop && !isPlannedStopOver && Date',
      'return entry.plansStop && Date',
    ],
    'a start waits for another one that has no outcome': [
      "one.entry.state === 'running' && !isNearlyDue",
      '!isNearlyDue',
    ],
    'no run of a later start is ended': ['=> isEndRefused || isLater);', '=> isEndRefused);'],
    'a start ends if the run before it cannot be ended': ['=> isEndRefused || isLater);', '=> isLater);'],
  }),
  ...without('shared/guards/guards.ts', ['test/unit/shared/guards/guards.test.ts', ...runs('guards/overlap')], {
    'a refusal counts before a run that would be ended first': [
      "if (found.kind === 'pass' || (found.kind === 'stop-first' && answer.kind !== 'stop-first')) {",
      "if (found.kind === 'pass') {",
    ],
  }),
  ...without('shared/guards/guards.ts', ['test/unit/shared/guards/guards.test.ts'], {
    "an operator's override passes the guards that it names and no other": [
      'const isOverridden = question.command.override?.guards.includes(name) === true;',
      'const isOverridden = question.command.override?.guards !== undefined;',
    ],
  }),
  ...without('functions/_runs/load.ts', runs('guards/guards'), {
    'a start by a campaign that is paused is held': [
      'return switchesOf({ origin: sent.origin, campaign, haltOn: guards?.haltOn })',
      'return switchesOf({ origin: sent.origin, campaign: undefined, haltOn: guards?.haltOn })',
    ],
  }),
  ...without('shared/guards/guards.ts', ['test/unit/shared/guards/guards.test.ts', ...runs('starts')], {
    'a start that would begin after its end is refused': [
      'if (times.startAt < times.endsAt) return pass;',
      'if (now < times.endsAt) return pass;',
    ],
  }),
  ...without('functions/_runs/decide/start-times.ts', ['test/faults/runs/deployments.test.ts'], {
    'the runs of a name that began under another target are in the way': [
      'row.target === run.guards.target || entry.run === run.name',
      'row.target === run.guards.target',
    ],
  }),
  ...silentGuards,
];

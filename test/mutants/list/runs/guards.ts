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
    'a switch ends automatically at its end': ['instant.getTime() < Date.parse(until)', 'instant.getTime() > 0'],
  }),
  ...without('shared/guards/guards.ts', ['test/unit/shared/guards/guards.test.ts', ...decisions('decide')], {
    'starts that may overlap others do': ["first === undefined || settings.overlap === 'allow'", 'first === undefined'],
  }),
  ...without('shared/guards/guards.ts', [...decisions('decide'), ...runs('guards/overlap')], {
    'back to back is no overlap: a planned stop within a minute is waited for': ['untilMs;', '0;'],
    'a run whose planned stop is over is in the way like any other': ['!isPlannedStopOver && Date', 'Date'],
    'a start waits for another one that has no outcome': "one.entry.state === 'running' && ",
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
    'a start by a campaign that is paused is held': ['origin, campaign, haltOn', 'origin, campaign: undefined, haltOn'],
  }),
  ...without('shared/guards/guards.ts', ['test/unit/shared/guards/guards.test.ts', ...runs('starts')], {
    'a start that would begin after its end is refused': ['(times.startAt < times.endsAt)', '(now < times.endsAt)'],
  }),
  ...without('functions/_runs/decide/start-times.ts', ['test/faults/runs/deployments.test.ts'], {
    'the runs of a name that began under another target are in the way': ['target || entry.run === run.name', 'target'],
  }),
  ...silentGuards,
];

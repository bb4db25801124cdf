import type { Mutant } from '../mutant.ts';

/** What keeps the operator's command, the run on one machine, events and dashboard from telling what was not so. */
export const toldMutants: readonly Mutant[] = [
  {
    name: 'a run that was stopped before it began is no run that can be compared',
    file: 'operator/evidence/read-evidence.ts',
    from: '  if (Date.parse(endAt) < Date.parse(from)) return notBegun(course);\n',
    to: '',
    tests: ['test/unit/cli/evidence/evidence.test.ts', 'test/unit/docs/evidence.test.ts'],
  },
  {
    name: 'a stage that only observes says so',
    file: 'cli/status/status.ts',
    from: '    ...modeLines(status, now, paint),\n',
    to: '',
    tests: ['test/unit/cli/status/status.test.ts', 'test/unit/docs/guards-samples.test.ts'],
  },
  {
    name: 'a stop that a stage only observes is not told as one that was made',
    file: 'operator/runs/stop-runs.ts',
    from: "  if (mode !== 'observe') return;\n",
    to: "  if (mode !== 'act') return;\n",
    tests: ['test/unit/cli/runs/send.test.ts', 'test/unit/docs/guards-samples.test.ts'],
  },
  {
    name: 'stops of all in flight are not asked for where nobody sends them',
    file: 'cli/runs/stop.ts',
    from: "if (mode === 'observe') return",
    to: "if (mode === 'unknown') return",
    tests: ['test/unit/cli/runs/stop.test.ts', 'test/unit/docs/guards-samples.test.ts'],
  },
  {
    name: 'a stage that observes says which runs it started for real go on',
    file: 'cli/status/status.ts',
    from: '      ...goOnLines(status, now, paint),\n',
    to: '',
    tests: ['test/unit/cli/status/status.test.ts'],
  },
  {
    name: 'a decision about a row of the other mode is not lost on the worker of this one',
    file: 'operator/parked/resolve-plan.ts',
    from: 'if (otherMode !== undefined) return { row, problem: otherMode };',
    to: '',
    tests: ['test/unit/cli/parked/resolve.test.ts'],
  },
  {
    name: 'a stage whose worker does not answer is looked at all the same',
    file: 'operator/stage/stage-config.ts',
    from: "    return { mode: 'unknown', modeUnknownBecause: toError(error).message };",
    to: '    throw toError(error);',
    tests: ['test/unit/cli/status/status.test.ts'],
  },
  {
    name: 'a plan tells the changes of the clocks from its beginning to its end',
    file: 'operator/plan/stage-plan.ts',
    from: 'clockChangesOf(schedule, from, until)',
    to: 'clockChangesOf(schedule, now, until)',
    tests: ['test/unit/cli/plan/plan.test.ts'],
  },
  {
    name: 'a move of the clock calls the watcher when its work falls due',
    file: 'local/schedules/fire-due.ts',
    from: 'Math.min(nextCommandMs(book), await nextWorkMs(firing), targetMs)',
    to: 'Math.min(nextCommandMs(book), targetMs)',
    tests: ['test/unit/local/schedules/start-schedules.test.ts'],
  },
  {
    name: 'an event is what docs/events.md says that it is',
    file: 'functions/_runs/apply/record-outcome.ts',
    from: '    at: outcome.at,\n',
    to: '',
    tests: ['test/unit/functions/update-campaign-runs/update-campaign-run.test.ts', 'test/unit/docs/events.test.ts'],
  },
  {
    name: 'the dashboard looks for what is parked where the reconciler writes it',
    file: 'infra/workers/reconcile-ledger-worker.ts',
    from: 'service="reconcile-ledger" stage="${stage}"',
    to: 'service="gateway" stage="${stage}"',
    tests: ['test/infra/stacks/dashboard.test.ts'],
  },
];

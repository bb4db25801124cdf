import type { Mutant } from '../../mutant.ts';
import { runs, watcher } from '../../test-files.ts';

/** What keeps a plan from changing anything, and from telling what would not come. */
export const planMutants: readonly Mutant[] = [
  {
    name: 'a plan writes nothing',
    file: 'functions/answer-questions/planned-world.ts',
    from: '    async read(pk) {\n      await copy([pk]);\n      return memory.read(pk);',
    to: '    async read(pk) {\n      return (await below.readMany([pk])).get(pk) as never;',
    tests: ['test/unit/functions/answer-questions/planned-world.test.ts'],
  },
  {
    name: 'a plan sees what it wrote',
    file: 'functions/answer-questions/planned-world.ts',
    from: '      known.add(pk);\n',
    to: '',
    tests: ['test/unit/functions/answer-questions/planned-world.test.ts'],
  },
  {
    name: 'a planned start is followed by its planned stop',
    file: 'functions/answer-questions/plan.ts',
    from: '    plan.ledger.noteAbsent(ledgerKeys.command(stop.command.id));\n    add(plan, stop);',
    to: '    plan.ledger.noteAbsent(ledgerKeys.command(stop.command.id));',
    tests: ['test/unit/functions/answer-questions/plan.test.ts'],
  },
  {
    name: 'a plan begins with the planned stops that are armed now',
    file: 'functions/answer-questions/plan.ts',
    from: '?.outcome === undefined) add(plan, stop);',
    to: '?.outcome !== undefined) add(plan, stop);',
    tests: ['test/unit/functions/answer-questions/plan.test.ts'],
  },
  {
    name: 'a plan begins with the starts that a blackout defers now',
    file: 'functions/answer-questions/plan.ts',
    from: 'if (deferred !== undefined) add(plan,',
    to: "if (deferred?.until === '') add(plan,",
    tests: ['test/unit/functions/answer-questions/plan.test.ts'],
  },
  {
    name: 'a planned start counts in what its campaign shows',
    file: 'functions/answer-questions/planned-world.ts',
    from: 'begun.push(row.start);',
    to: '',
    tests: ['test/unit/functions/answer-questions/plan.test.ts'],
  },
  {
    name: 'a campaign that a plan could not read is told',
    file: 'functions/answer-questions/planned-world.ts',
    from: 'if (!read.ok) plan.unread.push({ campaign: campaignNamed(campaignId, deps), why: read.why });',
    to: '',
    tests: ['test/unit/functions/answer-questions/plan.test.ts'],
  },
];

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

/** What keeps a stage that only observes from acting, and one that acts from doing what was only observed. */
export const observeMutants: readonly Mutant[] = [
  {
    name: 'what is only observed is not told as done',
    file: 'functions/_runs/outcomes.ts',
    from: "if (outcome?.kind !== 'applied' || isObserved === true) return undefined;",
    to: "if (outcome?.kind !== 'applied') return undefined;",
    tests: runs('observe'),
  },
  {
    name: 'what a stage sent while it only observed is never done by one that acts',
    file: 'functions/_runs/handle-command.ts',
    from: 'if (command.isObserved !== true) return undefined;',
    to: "if (command.id !== '') return undefined;",
    tests: runs('other-mode'),
  },
  {
    name: 'what a stage sends while it only observes says so',
    file: 'functions/_handler/observe.ts',
    from: "  if (mode === 'act') return queue;\n",
    to: "  if (mode === 'act' || mode === 'observe') return queue;\n",
    tests: ['test/unit/functions/_handler/observe.test.ts', ...runs('other-mode')],
  },
  {
    name: 'what was begun while the stage acted waits while it only observes',
    file: 'functions/_runs/handle-command.ts',
    from: 'if (begun.outcome === undefined)',
    to: "if (begun.outcome === undefined && begun.id === '')",
    tests: runs('other-mode'),
  },
  {
    name: 'what was done for real is not told as observed',
    file: 'functions/_runs/handle-command.ts',
    from: 'if (begun === undefined) return undefined;',
    to: 'if (begun?.outcome !== undefined || begun === undefined) return undefined;',
    tests: runs('other-mode'),
  },
  {
    name: 'a stage that only observes sends no PATCH',
    file: 'functions/update-campaign-runs/send-patch.ts',
    from: '    async updateCampaignRun({ campaignRunId, name, preserve, startAt, status }) {\n',
    to: "    async updateCampaignRun({ campaignRunId, name, preserve, startAt, status }) {\n      if (status !== '') throw new TypeError('fetch failed');\n",
    tests: runs('observe'),
  },
  {
    name: 'a stage that only observes waits for no confirmation',
    file: 'functions/_runs/decide/send-start.ts',
    from: "const confirm = config.mode === 'observe' ? undefined : run.run?.confirm;",
    to: 'const confirm = run.run?.confirm;',
    tests: runs('observe'),
  },
  {
    name: 'a real run whose stop is overdue rings while the stage only observes',
    file: 'functions/watch-campaigns/due-stops.ts',
    from: 'deps.acting === undefined ?',
    to: 'deps.acting === undefined || now.getTime() > 0 ?',
    tests: watcher('send-due-stops'),
  },
  {
    name: 'a stage that observes sees which run ids are left for real',
    file: 'functions/_handler/observe.ts',
    from: 'return isPool(pk) ? [own, pk] : [own];',
    to: 'return [own];',
    tests: ['test/unit/functions/_handler/observe.test.ts', ...runs('observe')],
  },
  {
    name: 'what a stage that observes gave up is not taken for work of one that acts',
    file: 'functions/park-dead-letters/park-dead-letter.ts',
    from: 'const subject = keyInTable(deps.mode, pk);',
    to: "const subject = keyInTable('act', pk);",
    tests: ['test/unit/functions/park-dead-letters/park-dead-letter.test.ts'],
  },
];

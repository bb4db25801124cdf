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
    from: '  plan.ledger.noteAbsent(ledgerKeys.command(stop.command.id));\n  add(plan, stop);',
    to: '  plan.ledger.noteAbsent(ledgerKeys.command(stop.command.id));',
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
    from: 'if (entry !== undefined) begun.push(',
    to: 'if (entry === undefined) begun.push(',
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
    tests: runs('observe'),
  },
  {
    name: 'what a stage sends while it only observes says so',
    file: 'functions/_handler/stage-ledger.ts',
    from: "  if (mode === 'act') return queue;\n",
    to: "  if (mode === 'act' || mode === 'observe') return queue;\n",
    tests: ['test/unit/functions/_handler/stage-ledger.test.ts'],
  },
  {
    name: 'what was begun while the stage acted waits while it only observes',
    file: 'functions/_runs/handle-command.ts',
    from: 'if (begun?.outcome === undefined)',
    to: "if (begun?.outcome === undefined && begun?.id === '')",
    tests: runs('observe'),
  },
  {
    name: 'what was done for real is not told as observed',
    file: 'functions/_runs/handle-command.ts',
    from: 'if (begun === undefined && !isOfActedRun) return undefined;',
    to: 'if (begun?.outcome !== undefined || (begun === undefined && !isOfActedRun)) return undefined;',
    tests: runs('observe'),
  },
  {
    name: 'a planned stop that was sent for real waits while the stage only observes',
    file: 'functions/_runs/handle-command.ts',
    from: 'command.startId !== undefined && command.isObserved !== true;',
    to: "command.startId === '';",
    tests: runs('observe'),
  },
  {
    name: 'a stage that only observes sends no PATCH',
    file: 'functions/update-campaign-runs/send-patch.ts',
    from: '    async updateCampaignRun({ campaignRunId, name, preserve, startAt, status }) {\n',
    to: "    async updateCampaignRun({ campaignRunId, name, preserve, startAt, status }) {\n      if (status !== '') throw new TypeError('fetch failed');\n",
    tests: runs('observe'),
  },
  {
    name: 'a real run whose stop is overdue rings while the stage only observes',
    file: 'functions/watch-campaigns/watch-runs.ts',
    from: 'deps.acting === undefined ?',
    to: 'deps.acting === undefined || now.getTime() > 0 ?',
    tests: watcher('runs-in-flight'),
  },
  {
    name: 'a stage that observes sees which run ids are left for real',
    file: 'shared/ledger/observed-ledger.ts',
    from: "if (real?.kind !== 'run') return mine;",
    to: 'if (real !== undefined) return mine;',
    tests: ['test/unit/shared/ledger/observed-ledger.test.ts', ...runs('observe')],
  },
];

import type { Mutant } from '../../mutant.ts';
import { runs, watcher } from '../../test-files.ts';

/** What keeps a stage that only observes from acting, and one that acts from doing what was only observed. */
export const observeMutants: readonly Mutant[] = [
  {
    name: 'what is only observed is not told as done',
    file: 'functions/_runs/apply/record-outcome.ts',
    from: "if (outcome?.kind !== 'applied' || isObserved === true) return undefined;",
    to: "if (outcome?.kind !== 'applied') return undefined;",
    tests: runs('observe'),
  },
  {
    name: 'what a stage sent while it only observed is never done by one that acts',
    file: 'functions/_runs/other-mode.ts',
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
    file: 'functions/_runs/other-mode.ts',
    from: 'if (begun.outcome === undefined)',
    to: "if (begun.outcome === undefined && begun.id === '')",
    tests: runs('other-mode'),
  },
  {
    name: 'what was done for real is not told as observed',
    file: 'functions/_runs/other-mode.ts',
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
    file: 'functions/_runs/decide/start-facts.ts',
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

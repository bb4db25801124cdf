import { without } from '../../mutant.ts';
import { runs, watcher } from '../../test-files.ts';

/** What keeps a plan from changing anything, and from telling what would not come. */
export const planMutants = [
  ...without(
    'functions/answer-questions/planned-world.ts',
    ['test/unit/functions/answer-questions/planned-world.test.ts'],
    {
      'a plan writes nothing': [
        '    async read(pk) {\n      await copy([pk]);\n      return memory.read(pk);',
        '    async read(pk) {\n      return (await below.readMany([pk])).get(pk) as never;',
      ],
      'a plan sees what it wrote': '      known.add(pk);\n',
    },
  ),
  ...without('functions/answer-questions/plan.ts', ['test/unit/functions/answer-questions/plan.test.ts'], {
    'a planned start is followed by its planned stop': [';\n  add(plan, stop);', ';'],
    'a plan begins with the planned stops that are armed now': ['?.outcome === undefined', '?.outcome !== undefined'],
    'a plan begins with the starts that a blackout defers now': [
      'if (deferred !== undefined) add(plan,',
      "if (deferred?.until === '') add(plan,",
    ],
  }),
  ...without('functions/answer-questions/planned-world.ts', ['test/unit/functions/answer-questions/plan.test.ts'], {
    'a planned start counts in what its campaign shows': ['(entry !== undefined) begun', '(entry === undefined) begun'],
    'a campaign that a plan could not read is told':
      'if (!read.ok) plan.unread.push({ campaign: campaignNamed(campaignId, deps), why: read.why });',
  }),
];

/** What keeps a stage that only observes from acting, and one that acts from doing what was only observed. */
export const observeMutants = [
  ...without('functions/_runs/outcomes.ts', runs('observe'), {
    'what is only observed is not told as done': ["kind !== 'applied' || isObserved === true", "kind !== 'applied'"],
  }),
  ...without('functions/_runs/handle-command.ts', runs('observe'), {
    'what a stage sent while it only observed is never done by one that acts': [
      'if (command.isObserved !== true) return undefined;',
      "if (command.id !== '') return undefined;",
    ],
    'what was begun while the stage acted waits while it only observes': [
      'if (begun?.outcome === undefined)',
      "if (begun?.outcome === undefined && begun?.id === '')",
    ],
    'what was done for real is not told as observed': [
      'if (begun === undefined && !isOfActedRun) return undefined;',
      'if (begun?.outcome !== undefined || (begun === undefined && !isOfActedRun)) return undefined;',
    ],
    'a planned stop that was sent for real waits while the stage only observes': [
      'command.startId !== undefined && command.isObserved !== true;',
      "command.startId === '';",
    ],
  }),
  ...without('functions/_handler/stage-ledger.ts', ['test/unit/functions/_handler/stage-ledger.test.ts'], {
    'what a stage sends while it only observes says so': [
      "  if (mode === 'act') return queue;\n",
      "  if (mode === 'act' || mode === 'observe') return queue;\n",
    ],
  }),
  ...without('functions/update-campaign-runs/send-patch.ts', runs('observe'), {
    'a stage that only observes sends no PATCH':
      "if (config.mode === 'observe') return { answer: { next: 'applied', why: wouldSend(input) } };",
  }),
  ...without('functions/watch-campaigns/watch-runs.ts', watcher('settle-runs'), {
    'a real run whose stop is overdue rings while the stage only observes': [
      'deps.acting === undefined ?',
      'deps.acting === undefined || now.getTime() > 0 ?',
    ],
  }),
  ...without(
    'shared/ledger/observed-ledger.ts',
    ['test/unit/shared/ledger/observed-ledger.test.ts', ...runs('observe')],
    {
      'a stage that observes sees which run ids are left for real': ["(real?.kind !== 'run')", '(real !== undefined)'],
    },
  ),
];

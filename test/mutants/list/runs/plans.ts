import type { Mutant } from '../../mutant.ts';

/** What keeps a plan from changing anything, and from telling what would not come. */
export const planMutants: readonly Mutant[] = [
  {
    name: 'a plan writes nothing',
    file: 'functions/answer-questions/overlay-ledger.ts',
    from: '    async read(pk) {\n      await copy([pk]);\n      return memory.read(pk);',
    to: '    async read(pk) {\n      return (await below.readMany([pk])).get(pk) as never;',
    tests: ['test/unit/functions/answer-questions/overlay-ledger.test.ts'],
  },
  {
    name: 'a plan sees what it wrote',
    file: 'functions/answer-questions/overlay-ledger.ts',
    from: '      known.add(pk);\n',
    to: '',
    tests: ['test/unit/functions/answer-questions/overlay-ledger.test.ts'],
  },
  {
    name: 'a planned start is followed by its planned stop',
    file: 'functions/answer-questions/plan.ts',
    from: 'for (const { atMs, command } of planned) add(plan, arrival(atMs, command));',
    to: '',
    tests: ['test/unit/functions/answer-questions/plan.test.ts'],
  },
  {
    name: 'a plan begins with the planned stops that are armed now',
    file: 'functions/answer-questions/plan.ts',
    from: 'for (const { atMs, command } of await armedStops(runs, ledger, now)) add(plan, arrival(atMs, command));',
    to: '',
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

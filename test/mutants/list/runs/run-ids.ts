import type { Mutant } from '../../mutant.ts';

/** What keeps one id from being used by two runs, and a bad command from being taken for a good one. */
export const idMutants: readonly Mutant[] = [
  {
    name: 'a command with more than each command has is judged by its type',
    file: 'shared/messages/sure-command.ts',
    from: '|| Object.keys(input).length !== usualFields',
    to: '',
    tests: ['test/unit/shared/messages/sure-command.test.ts'],
  },
  {
    name: 'an id that another run has is not bound once more',
    file: 'operator/runs/run-ids.ts',
    from: 'if (adder !== undefined) return',
    to: "if (adder?.run === '') return",
    tests: ['test/unit/cli/runs/bind.test.ts'],
  },
  {
    name: 'an id of the deployed configuration is not bound once more',
    file: 'operator/runs/run-ids.ts',
    from: 'one.toLowerCase() === id',
    to: "one.toLowerCase() === ''",
    tests: ['test/unit/cli/runs/bind.test.ts'],
  },
];

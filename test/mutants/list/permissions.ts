import type { Mutant } from '../mutant.ts';

const people = ['test/integration/stage/people.test.ts'];

/** What keeps people to what they were given. */
export const permissionMutants: readonly Mutant[] = [
  {
    name: 'a reader invokes the function that answers questions, and no other',
    file: 'infra/constructs/people/command-policies.ts',
    from: "names: ['answer-questions'],",
    to: 'names: functionNames,',
    tests: people,
  },
  {
    name: 'a person whose policy the stage does not have is nobody',
    file: 'local/iam/authority.ts',
    from: 'people.behind(accessKeyId) ?? ',
    to: '',
    tests: ['test/unit/local/iam/authority.test.ts'],
  },
  {
    name: 'a decision that may not be written ends the command, and names the permission',
    file: 'operator/parked/resolve-rows.ts',
    from: 'if (isDenied(error)) throw error;',
    to: '',
    tests: people,
  },
  {
    name: 'what a person may not ask is no fault of the stage',
    file: 'operator/doctor/function-findings.ts',
    from: "isDenied(error) ? 'unknown' : 'problem'",
    to: "'problem'",
    tests: people,
  },
  {
    name: 'a stage of the same name in another region has its own dashboard',
    file: 'infra/constructs/monitoring/stage-dashboard.ts',
    from: '`gateway-autopilot-${stage}-${Aws.REGION}`',
    to: '`gateway-autopilot-${stage}`',
    tests: ['test/infra/stacks/sweeps.test.ts'],
  },
];

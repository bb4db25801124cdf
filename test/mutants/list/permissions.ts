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
    name: 'an upload cannot change a field that its rule locks',
    file: 'functions/register-datasets/prepare/dataset-request.ts',
    from: 'if (changed !== undefined) {',
    to: 'if (changed !== undefined && rule.locked.length > 9) {',
    tests: ['test/unit/functions/register-datasets/prepare/dataset-request.test.ts'],
  },
  {
    name: 'the scanner that a rule names is locked without a word',
    file: 'shared/config/resolve/resolve-document.ts',
    from: 'scannerFields.filter((field) => rule[field] !== undefined)',
    to: '[]',
    tests: ['test/unit/shared/config/resolved-settings.test.ts'],
  },
  {
    name: 'a stage of the same name in another region has its own dashboard',
    file: 'infra/constructs/monitoring/stage-dashboard.ts',
    from: '`gateway-autopilot-${stage}-${Aws.REGION}`',
    to: '`gateway-autopilot-${stage}`',
    tests: ['test/infra/stacks/sweeps.test.ts'],
  },
];

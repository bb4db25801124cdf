import type { Mutant } from '../mutant.ts';

const deploy = ['test/infra/deploy/deploy-stage.test.ts'];
const changes = ['test/infra/deploy/state-changes.test.ts'];
const destroy = ['test/infra/deploy/destroy-stage.test.ts'];
const packed = ['test/infra/package/package.long.test.ts'];

/**
 * What keeps a deployment from being another one than was agreed to, and a state from being
 * destroyed by accident.
 */
export const deployMutants: readonly Mutant[] = [
  {
    name: 'what was shown is what is deployed',
    file: 'infra/deploy/open-stage.ts',
    from: "[...args, '--app', directory, '--no-notices', ...where]",
    to: "[...args, '--no-notices', ...where]",
    tests: deploy,
  },
  {
    name: 'a deployment is judged by every rule, whatever the environment says',
    file: 'infra/deploy/open-stage.ts',
    from: 'CDK_OUTDIR: directory, CDK_VALIDATION: String(validates)',
    to: 'CDK_OUTDIR: directory',
    tests: deploy,
  },
  {
    name: 'only a yes deploys',
    file: 'infra/deploy/deploy-stage.ts',
    from: 'return /^y(?:es)?$/i.test(answer);',
    to: "return answer !== 'n';",
    tests: deploy,
  },
  {
    name: 'nothing of the state is replaced without a person, not even perhaps',
    file: 'infra/deploy/change-set.ts',
    from: "if (Replacement === 'Conditional')",
    to: "if (PolicyAction === 'Snapshot')",
    tests: changes,
  },
  {
    name: 'a change set is read to its last page',
    file: 'infra/deploy/change-set.ts',
    from: 'while (token !== undefined);',
    to: 'while (losses.length < 0);',
    tests: changes,
  },
  {
    name: 'a plan that could not be read is not deployed',
    file: 'infra/deploy/deploy-stage.ts',
    from: "if (arn !== undefined || said.includes('(no changes)')) return arn;",
    to: 'if (said.length >= 0) return arn;',
    tests: changes,
  },
  {
    name: 'a state goes only if its name is typed',
    file: 'infra/deploy/destroy-stage.ts',
    from: ' === stage;',
    to: " !== '';",
    tests: destroy,
  },
  {
    name: 'no option destroys a state without a person',
    file: 'infra/deploy/destroy-stage.ts',
    from: "options.line.flag('yes') && !withState",
    to: "options.line.flag('yes')",
    tests: destroy,
  },
  {
    name: 'the templates of the construct do not depend on the flags of the app around it',
    file: 'infra/autopilot.ts',
    from: 'this.node.setContext(flag, value)',
    to: 'void [flag, value]',
    tests: packed,
  },
  {
    name: 'the stacks of the construct have the names that the command looks for',
    file: 'infra/add-stage.ts',
    from: 'stackName: names.state,',
    to: '',
    tests: packed,
  },
  {
    name: 'the construct takes no stage that keeps nothing',
    file: 'infra/autopilot.ts',
    from: 'if (numbers.isLocal) {',
    to: 'if (numbers.isLocal && warnings.length < 0) {',
    tests: packed,
  },
  {
    name: 'a schedule of a single time that is over is refused',
    file: 'shared/config/references/cross-references.ts',
    from: "if (time === undefined || read?.ok !== true || read.value.kind === 'rate') return [];",
    to: "if (time === undefined || read?.ok !== true || read.value.kind !== 'rate') return [];",
    tests: ['test/unit/shared/config/resolve-automation.test.ts'],
  },
];

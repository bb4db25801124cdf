import { without } from '../mutant.ts';

const deploy = ['test/infra/deploy/deploy-stage.test.ts'];
const changes = ['test/infra/deploy/state-changes.test.ts'];
const destroy = ['test/infra/deploy/destroy-stage.test.ts'];
const packed = ['test/infra/package/package.long.test.ts'];

/**
 * What keeps a deployment from being another one than was agreed to, and a state from being
 * destroyed by accident.
 */
export const deployMutants = [
  ...without('infra/deploy/open-stage.ts', deploy, {
    'what was shown is what is deployed': ["'--app', directory, '--no-notices', ...where", "'--no-notices', ...where"],
    'a deployment is judged by every rule, whatever the environment says': ', CDK_VALIDATION: String(validates)',
  }),
  ...without('infra/deploy/deploy-stage.ts', deploy, {
    'only a yes deploys': ['return /^y(?:es)?$/i.test(answer);', "return answer !== 'n';"],
  }),
  ...without('infra/deploy/resource-losses.ts', changes, {
    'nothing of the state is replaced without a person, not even perhaps': [
      "if (Replacement === 'Conditional')",
      "if (PolicyAction === 'Snapshot')",
    ],
    'a change set is read to its last page': ['while (token !== undefined);', 'while (losses.length < 0);'],
  }),
  ...without('infra/deploy/deploy-stage.ts', changes, {
    'a plan that could not be read is not deployed': [
      "if (arn !== undefined || said.includes('(no changes)')) return arn;",
      'if (said.length >= 0) return arn;',
    ],
  }),
  ...without('infra/deploy/destroy-stage.ts', destroy, {
    'a state goes only if its name is typed': [' === stage;', " !== '';"],
    'no option destroys a state without a person': ["line.flag('yes') && !withState", "line.flag('yes')"],
  }),
  ...without('infra/autopilot.ts', packed, {
    'the templates of the construct do not depend on the flags of the app around it': [
      'this.node.setContext(flag, value)',
      'void [flag, value]',
    ],
    'the construct takes no stage that keeps nothing': ['numbers.isLocal', 'numbers.isLocal && warnings.length < 0'],
  }),
];

import { stackNames } from '#shared/vocabulary/stack-outputs.ts';
import { type DeployDeps, Refusal, ask } from './deploy-deps.ts';
import { type OpenStage, openStage } from './open-stage.ts';
import { readStageOptions } from './stage-options.ts';
import { deployReadState } from './state-changes.ts';

const help = `autopilot deploy --stage NAME [--revert-drift] [--profile NAME] [--region NAME]
                 [--yes [--allow-replace ID]…]

Synthesizes a stage, judges it, shows what a deployment would change in your account, asks once, deploys both stacks, and says what
the stage still needs. --revert-drift also puts back what was changed by hand, and deploys where nothing differs: what was changed by
hand is no difference.

--yes does not ask: for pipelines. It ends with exit code 4, and deploys nothing, if the change set of the state would replace or
remove a resource, or might; --allow-replace with its logical id lets that one go.

Exit codes
  0  deployed, or nothing differs
  1  it failed, or the answer was no
  2  the command line is wrong; nothing was done
  4  it needs a person: the state would lose a resource
`;

/**
 * Deploys a stage: what was shown is what goes out. Answers the exit code.
 * @throws Refusal, ConfigurationError
 */
export async function deployStage(argv: readonly string[], deps: DeployDeps): Promise<number> {
  const options = readStageOptions(argv, { switches: ['revert-drift'], lists: ['allow-replace'] });
  if (options === 'help') {
    deps.stdout.write(help);
    return 0;
  }
  const isAgreed = options.has('yes');
  const revertsDrift = options.has('revert-drift');
  const allowed = options.valuesOf('allow-replace');
  if (!isAgreed && allowed.length > 0) {
    throw new Refusal('--allow-replace goes with --yes: at a terminal the question is yours to answer');
  }
  if (!isAgreed && deps.stdin.isTTY !== true) {
    throw new Refusal('nobody is at a terminal to be asked: add --yes to deploy without a question');
  }
  const say = (line: string) => deps.stderr.write(`${line}\n`);
  const stage = await openStage(options, deps);
  await stage.synthesize({ validates: true });

  if (differencesIn(await stage.cdk('diff', '--no-fail')) === 0 && !revertsDrift) {
    say(`Nothing differs: the stage ${options.stage} is deployed as it is written.`);
    return 0;
  }
  if (!isAgreed && !(await isWanted(options.stage, revertsDrift, deps))) {
    say('Nothing was deployed.');
    return 1;
  }
  const more = revertsDrift ? ['--revert-drift'] : [];
  if (isAgreed) await deployReadState(stage, { allowed, options: more }, say);
  await stage.cdk('deploy', '--all', '--require-approval', 'never', ...more);
  await sayWhatIsMissing(stage, say);
  return 0;
}

async function isWanted(stage: string, revertsDrift: boolean, deps: DeployDeps): Promise<boolean> {
  const { state, workers } = stackNames(stage);
  const also = revertsDrift ? ', and put back what was changed by hand' : '';
  const answer = await ask(`Deploy ${state} and ${workers} with these changes${also}? [y/N] `, deps);
  return /^y(?:es)?$/i.test(answer);
}

/** Undefined where the CDK does not say. */
function differencesIn(diff: string): number | undefined {
  const [, count] = /Number of stacks with differences: (\d+)/.exec(diff) ?? [];
  return count === undefined ? undefined : Number(count);
}

/** A stage that was deployed for the first time has no token, and whoever is to be woken has a mail to confirm: the doctor sees both. */
async function sayWhatIsMissing({ automation, autopilot }: OpenStage, say: (line: string) => void): Promise<void> {
  say('\nDeployed. What autopilot doctor says of it:\n');
  const { exitCode } = await autopilot('doctor');
  if (exitCode === 0) return;
  const stage = `--aws --stage ${automation.stage}`;
  say(`\nThe first time that is so: npx autopilot token set ${stage}, then npx autopilot doctor ${stage} again.`);
  for (const address of automation.notify.emails) say(`${address} has a mail from AWS to confirm, once.`);
}

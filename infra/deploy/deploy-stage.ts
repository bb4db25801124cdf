import type { LineSpec } from '#shared/text/program-arguments.ts';
import type { ResourceLoss } from './resource-losses.ts';
import { printedLine } from '#shared/text/printed-line.ts';
import { stackNames } from '#shared/vocabulary/stack-outputs.ts';
import { saySettings } from './changed-settings.ts';
import { type OpenAssembly, openAssembly } from './open-stage.ts';
import {
  askOnTerminal,
  type DeployDeps,
  Refusal,
  stageCommand,
  stageOfLine,
  type StageOptions,
  stageLineWords,
} from './stage-options.ts';

/** What `autopilot deploy` takes. */
export const deploySpec: LineSpec = {
  says: 'Shows what a deployment would change in your account, asks once, deploys, and says what the stage still needs.',
  more: `A stage with runs in flight is not made to observe (mode: 'observe'): it would stop none of them. Exit code 1: it failed, or the answer was no; 4: it needs you, since the state would lose a resource or runs would go on.`,
  options: {
    ...stageOfLine,
    '--yes': 'do not ask, for pipelines; deploys nothing if the state would lose a resource, or might',
    '--allow-replace <ID>': {
      says: 'with --yes: lets this resource go, by its logical id (several)',
      isRepeated: true,
    },
    '--revert-drift': 'also put back what was changed manually, even if nothing else differs',
    '--force': 'observe also with runs in flight',
  },
  examples: ['autopilot deploy --stage prod', 'autopilot deploy --stage prod --yes --allow-replace LedgerTable'],
};

/** Deploys a stage: what was shown is what goes out. */
export const deployStage = stageCommand('deploy', deploySpec, async (options, deps) => {
  const isAgreed = options.line.flag('yes');
  const revertsDrift = options.line.flag('revert-drift');
  const allowed = options.line.texts('allow-replace');
  if (!isAgreed && allowed.length > 0) {
    throw new Refusal('--allow-replace goes with --yes: at a terminal the question is yours to answer');
  }
  if (!isAgreed && deps.stdin.isTTY !== true) {
    throw new Refusal('there is no terminal to ask at: add --yes to deploy without a question');
  }
  const say = (line: string) => deps.stderr.write(`${line}\n`);
  const stage = await openAssembly(options, deps);
  await stage.synthesize({ validates: true });

  if (differencesIn(await stage.cdk('diff', '--no-fail')) === 0 && !revertsDrift) {
    say(`Nothing differs: the stage ${options.stage} is deployed as it is written.`);
    return 0;
  }
  await saySettings(stage.automation, options, deps);
  await refuseRunsInFlight(stage, options, deps);
  if (!isAgreed && !(await isWanted(options.stage, revertsDrift, deps))) {
    say('Nothing was deployed.');
    return 1;
  }
  const more = revertsDrift ? ['--revert-drift'] : [];
  if (isAgreed) await deployReadState(stage, { allowed, options: more }, say);
  await stage.cdk('deploy', '--all', ...unasked, ...more);
  await sayWhatIsMissing(stage, options, say);
  return 0;
});

/** The CDK asks nothing: the question is ours. */
const unasked = ['--require-approval', 'never'];

/**
 * Refuses to let an acting stage observe while its runs go on, but with `--force`: no stop of them would be sent.
 * @throws Refusal that names the runs, or says why they are not known
 */
async function refuseRunsInFlight(
  { automation }: OpenAssembly,
  place: StageOptions,
  { readStartedRuns }: Pick<DeployDeps, 'readStartedRuns'>,
): Promise<void> {
  if (automation.mode === 'act' || place.line.flag('force')) return;
  const about = `--aws --stage ${place.stage}`;
  const forced = '--force deploys all the same, and the runs go on past their stops';
  const runs = await readStartedRuns(place).catch((error: unknown) => {
    const cause = error instanceof Error ? error.message : String(error);
    throw new Refusal(
      `which runs are in flight cannot be read, and a stage that observes stops none: ${cause}; ${forced}`,
      1,
    );
  });
  if (runs.length === 0) return;
  throw new Refusal(
    [
      'Nothing was deployed: a stage that observes sends no stop, and these runs are in flight:',
      ...runs.map((run) => `  ${run}`),
      `First: autopilot freeze --reason TEXT ${about}, then autopilot stop --all-in-flight --reason TEXT --yes ${about}. ${forced}.`,
    ].join('\n'),
    4,
  );
}

async function isWanted(stage: string, revertsDrift: boolean, deps: DeployDeps): Promise<boolean> {
  const { state, workers } = stackNames(stage);
  const also = revertsDrift ? ', and put back what was changed by hand' : '';
  const answer = await askOnTerminal(`Deploy ${state} and ${workers} with these changes${also}? [y/N] `, deps);
  return /^y(?:es)?$/i.test(answer);
}

/** Undefined if the CDK does not say. */
function differencesIn(diff: string): number | undefined {
  const [, count] = /Number of stacks with differences: (\d+)/.exec(diff) ?? [];
  return count === undefined ? undefined : Number(count);
}

/** A stage that was deployed for the first time has no token, and the person to be woken has a mail to confirm. The doctor sees both. */
async function sayWhatIsMissing(
  { automation, autopilot }: OpenAssembly,
  options: StageOptions,
  say: (line: string) => void,
): Promise<void> {
  say('\nDeployed. What autopilot doctor says of it:\n');
  const { exitCode } = await autopilot('doctor');
  if (exitCode === 0) return;
  say('\nThe first time that is so. Put the token in, and ask the doctor again:\n');
  for (const command of [['token', 'set'], ['doctor']])
    say(`  ${printedLine([...command, '--aws', ...stageLineWords(options)])}`);
  for (const address of automation.notify.emails) say(`${address} has a mail from AWS to confirm, once.`);
}

/**
 * Deploys the stack of the state without a person: plans its changes, reads the plan, and executes that very plan.
 * @param how - the logical ids that may be lost, and further options of the CDK
 * @throws Refusal, with exit code 4 if a resource would be replaced or removed that is not allowed
 */
async function deployReadState(
  stage: OpenAssembly,
  how: { readonly allowed: readonly string[]; readonly options: readonly string[] },
  say: (line: string) => void,
): Promise<void> {
  const { state } = stackNames(stage.automation.stage);
  const prepare = ['--exclusively', ...unasked, '--method', 'prepare-change-set', ...how.options];
  const arn = changeSetIn(await stage.cdk('deploy', state, ...prepare), state);
  if (arn === undefined) return;

  const losses = await readPlan(stage, arn, state);
  for (const id of how.allowed) {
    if (!losses.some(({ logicalId }) => logicalId === id)) {
      say(`--allow-replace ${id}: nothing replaces or removes it this time, so take it out of the command`);
    }
  }
  const refused = losses.filter(({ logicalId }) => !how.allowed.includes(logicalId));
  if (refused.length > 0) throw new Refusal(refusalOf(refused, state, arn), 4);
  await stage.cdk('deploy', state, ...unasked, '--method', 'execute-change-set', '--change-set-name', arn);
}

/** By the words of aws-cdk 2.1148.1 (a test looks for them there). @returns the ARN, or undefined if nothing changes */
function changeSetIn(said: string, state: string): string | undefined {
  const [, arn] = /Changeset (arn:\S+) created and waiting in review/.exec(said) ?? [];
  if (arn !== undefined || said.includes('(no changes)')) return arn;
  throw new Refusal(`the CDK did not name the change set of ${state}, and --yes deploys nothing unread`, 1);
}

async function readPlan(stage: OpenAssembly, arn: string, state: string): Promise<readonly ResourceLoss[]> {
  try {
    return await stage.readChangeSet(arn);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new Refusal(
      `the change set of ${state} cannot be read, and --yes deploys nothing unread: ${cause}; who deploys needs cloudformation:DescribeChangeSet on that stack`,
      1,
    );
  }
}

function refusalOf(losses: readonly ResourceLoss[], state: string, arn: string): string {
  return [
    `Nothing was deployed: ${state} would lose what holds data, and --yes does not answer that.`,
    ...losses.map(({ logicalId, type, why }) => `  ${logicalId} (${type}) ${why}`),
    `Deploy it at a terminal, or repeat with ${losses.map(({ logicalId }) => `--allow-replace ${logicalId}`).join(' ')}.`,
    `The plan: ${arn}`,
  ].join('\n');
}

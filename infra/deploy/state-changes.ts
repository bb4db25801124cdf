import { stackNames } from '#shared/vocabulary/stack-outputs.ts';
import type { PlannedChange } from '#shared/aws/change-set.ts';
import { Refusal } from './deploy-deps.ts';
import type { OpenStage } from './open-stage.ts';

/** A resource of the state that a change set would replace or remove, or may. */
export interface StateLoss {
  readonly logicalId: string;
  readonly type: string;
  /** A sentence without its subject. */
  readonly why: string;
}

/** What a change set would replace or remove, or may. What is only perhaps replaced counts: nobody is asked meanwhile. */
export function lossesIn(changes: readonly PlannedChange[]): readonly StateLoss[] {
  return changes.flatMap((change) => {
    const why = lossOf(change);
    return why === undefined ? [] : [{ logicalId: change.logicalId, type: change.type, why }];
  });
}

function lossOf({ action, replacement, policyAction, causes, isUnread }: PlannedChange): string | undefined {
  const by = causes.length === 0 ? '' : `, by a change of ${causes.join(', ')}`;
  if (action === 'Remove') {
    return policyAction === 'Retain' ? 'leaves the stack and stays in the account' : 'is removed';
  }
  if (replacement === 'True' || policyAction?.startsWith('ReplaceAnd') === true) return `is replaced${by}`;
  if (replacement === 'Conditional') return `may be replaced${by}`;
  if (policyAction === 'Delete') return 'is removed';
  if (action === 'Dynamic') return 'may be replaced or removed: CloudFormation cannot say before it deploys';
  return isUnread ? 'may lose anything: the change set does not hold what changes in it' : undefined;
}

/**
 * Deploys the stack of the state without a person: plans its changes, reads the plan, and executes that very plan.
 * @param how - the logical ids that may be lost, and further options of the CDK
 * @throws Refusal, with exit code 4 if a resource would be replaced or removed that is not allowed
 */
export async function deployReadState(
  stage: OpenStage,
  how: { readonly allowed: readonly string[]; readonly options: readonly string[] },
  say: (line: string) => void,
): Promise<void> {
  const { state } = stackNames(stage.automation.stage);
  const prepare = ['--exclusively', '--require-approval', 'never', '--method', 'prepare-change-set', ...how.options];
  const arn = changeSetIn(await stage.cdk('deploy', state, ...prepare), state);
  if (arn === undefined) return;

  const losses = lossesIn(await readPlan(stage, arn, state));
  for (const id of how.allowed) {
    if (!losses.some(({ logicalId }) => logicalId === id)) {
      say(`--allow-replace ${id}: nothing replaces or removes it this time, so take it out of the command`);
    }
  }
  const refused = losses.filter(({ logicalId }) => !how.allowed.includes(logicalId));
  if (refused.length > 0) throw new Refusal(refusalOf(refused, state, arn), 4);
  await stage.cdk(
    'deploy',
    state,
    '--require-approval',
    'never',
    '--method',
    'execute-change-set',
    '--change-set-name',
    arn,
  );
}

/** By the words of aws-cdk 2.1148.1 (a test looks for them there). @returns the ARN, or undefined if nothing changes */
function changeSetIn(said: string, state: string): string | undefined {
  const [, arn] = /Changeset (arn:\S+) created and waiting in review/.exec(said) ?? [];
  if (arn !== undefined || said.includes('(no changes)')) return arn;
  throw new Refusal(`the CDK did not name the change set of ${state}, and --yes deploys nothing unread`, 1);
}

async function readPlan(stage: OpenStage, arn: string, state: string): Promise<readonly PlannedChange[]> {
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

function refusalOf(losses: readonly StateLoss[], state: string, arn: string): string {
  return [
    `Nothing was deployed: ${state} would lose what holds data, and --yes does not answer that.`,
    ...losses.map(({ logicalId, type, why }) => `  ${logicalId} (${type}) ${why}`),
    `Deploy it at a terminal, or repeat with ${losses.map(({ logicalId }) => `--allow-replace ${logicalId}`).join(' ')}.`,
    `The plan: ${arn}`,
  ].join('\n');
}

import {
  type Change,
  DescribeChangeSetCommand,
  type DescribeChangeSetOutput,
  type ResourceChange,
} from '@aws-sdk/client-cloudformation';

/** What reads change sets: a client of CloudFormation. */
export interface ChangeSetReader {
  readonly send: (command: DescribeChangeSetCommand) => Promise<Partial<DescribeChangeSetOutput>>;
}

/** A resource that a change set would replace or remove, or may. */
export interface ResourceLoss {
  readonly logicalId: string;
  readonly type: string;
  /** A sentence without its subject. */
  readonly why: string;
}

/**
 * Reads a change set to its last page: what it would replace or remove, or may. What is only
 * perhaps replaced counts, since no question is put later.
 * @param arn - of the change set, as the CDK names it
 * @throws Error if it is not complete, and CloudFormation's own errors
 */
export async function readChangeSet(client: ChangeSetReader, arn: string): Promise<readonly ResourceLoss[]> {
  const losses: ResourceLoss[] = [];
  let token: string | undefined;
  do {
    const page = await client.send(new DescribeChangeSetCommand({ ChangeSetName: arn, NextToken: token }));
    if (page.Status !== 'CREATE_COMPLETE') {
      throw new Error(`${arn} is ${page.Status ?? 'in no state'}: ${page.StatusReason ?? 'no reason given'}`);
    }
    losses.push(...(page.Changes ?? []).flatMap((change) => lossIn(change, arn)));
    token = page.NextToken;
  } while (token !== undefined);
  return losses;
}

/** In the words of the CloudFormation API Reference, "ResourceChange". */
function lossIn({ ResourceChange: change }: Change, arn: string): readonly ResourceLoss[] {
  if (change === undefined) throw new Error(`${arn} holds a change that is none of a resource`);
  const { LogicalResourceId: logicalId = '', ResourceType: type = '' } = change;
  const why = lossOf(change);
  return why === undefined ? [] : [{ logicalId, type, why }];
}

function lossOf(change: ResourceChange): string | undefined {
  const { Action, Replacement, PolicyAction, ResourceType } = change;
  if (Action === 'Remove') {
    return PolicyAction === 'Retain' ? 'leaves the stack and stays in the account' : 'is removed';
  }
  const isReplaced = Replacement === 'True' || PolicyAction?.startsWith('ReplaceAnd') === true;
  if (isReplaced) return `is replaced${causesOf(change)}`;
  if (Replacement === 'Conditional') return `may be replaced${causesOf(change)}`;
  if (PolicyAction === 'Delete') return 'is removed';
  if (Action === 'Dynamic') return 'may be replaced or removed: CloudFormation cannot say before it deploys';
  // The state has no nested stack, so what one of them would lose is not read.
  const isNested = ResourceType === 'AWS::CloudFormation::Stack';
  return isNested ? 'may lose anything: the change set does not hold what changes in it' : undefined;
}

/** The properties whose change replaces it, or may. */
function causesOf({ Details = [] }: ResourceChange): string {
  const causes = Details.flatMap(({ Target: { RequiresRecreation = 'Never', Name, Attribute } = {} }) =>
    RequiresRecreation === 'Never' ? [] : [Name ?? Attribute ?? 'a change without a name'],
  );
  return causes.length === 0 ? '' : `, by a change of ${[...new Set(causes)].join(', ')}`;
}

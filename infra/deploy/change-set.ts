import {
  type Change,
  type CloudFormationClient,
  DescribeChangeSetCommand,
  type ResourceChange,
} from '@aws-sdk/client-cloudformation';
import { AppError } from '#shared/errors/app-error.ts';

/**
 * What a change set would do to one resource, in the words of the CloudFormation API Reference,
 * "ResourceChange".
 */
export interface PlannedChange {
  /** Of the template; behind the logical id of its nested stack and a slash, if it is in one. */
  readonly logicalId: string;
  /** `AWS::DynamoDB::Table`. */
  readonly type: string;
  /** `Add`, `Modify`, `Remove`, `Import`, `Dynamic` or `SyncWithActual`. */
  readonly action: string;
  /** `True`, `Conditional` or `False`; of a `Modify` only. */
  readonly replacement?: string;
  /** `Delete`, `Retain`, `Snapshot`, or one of these behind `ReplaceAnd`. */
  readonly policyAction?: string;
  /** The properties whose change replaces it, or may. */
  readonly causes: readonly string[];
  /** A nested stack whose own changes the change set does not hold. */
  readonly isUnread: boolean;
}

/** The change set is no plan that can be judged. */
class ChangeSetError extends AppError {
  override readonly name = 'ChangeSetError';

  constructor(message: string) {
    super(message, { code: 'CHANGE_SET', retryable: false });
  }
}

/**
 * Reads every change of a change set: all pages, and the change sets of nested stacks.
 * @param arn - of the change set, as CloudFormation or the CDK names it
 * @throws ChangeSetError if it is not complete, and CloudFormation's own errors
 */
export async function readChangeSet(client: CloudFormationClient, arn: string): Promise<readonly PlannedChange[]> {
  const changes: PlannedChange[] = [];
  for (const { ResourceChange } of await allPages(client, arn)) {
    if (ResourceChange === undefined) throw new ChangeSetError(`${arn} holds a change that is none of a resource`);
    const planned = plannedChange(ResourceChange);
    changes.push(planned);
    const nested = ResourceChange.ChangeSetId;
    if (nested === undefined) continue;
    for (const inner of await readChangeSet(client, nested)) {
      changes.push({ ...inner, logicalId: `${planned.logicalId}/${inner.logicalId}` });
    }
  }
  return changes;
}

/**
 * "If the output exceeds 1 MB, a string that identifies the next page" (API Reference,
 * DescribeChangeSet).
 */
async function allPages(client: CloudFormationClient, arn: string): Promise<readonly Change[]> {
  const changes: Change[] = [];
  let token: string | undefined;
  do {
    const page = await client.send(new DescribeChangeSetCommand({ ChangeSetName: arn, NextToken: token }));
    if (page.Status !== 'CREATE_COMPLETE') {
      throw new ChangeSetError(`${arn} is ${page.Status ?? 'in no state'}: ${page.StatusReason ?? 'no reason given'}`);
    }
    changes.push(...(page.Changes ?? []));
    token = page.NextToken;
  } while (token !== undefined);
  return changes;
}

function plannedChange(change: ResourceChange): PlannedChange {
  const { LogicalResourceId = '', ResourceType = '', Action = 'Dynamic', Replacement, PolicyAction } = change;
  const causes = (change.Details ?? []).flatMap(({ Target }) =>
    Target?.RequiresRecreation === undefined || Target.RequiresRecreation === 'Never'
      ? []
      : [Target.Name ?? Target.Attribute ?? 'a change without a name'],
  );
  return {
    logicalId: LogicalResourceId,
    type: ResourceType,
    action: Action,
    replacement: Replacement,
    policyAction: PolicyAction,
    causes: [...new Set(causes)],
    isUnread: ResourceType === 'AWS::CloudFormation::Stack' && Action !== 'Remove' && change.ChangeSetId === undefined,
  };
}

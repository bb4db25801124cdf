import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { acknowledgeWildcard } from '../../validation/acknowledge-wildcard.ts';
import { throughService } from './encryption-key.ts';
import { noteGrantReason } from '../compute/grant-actions.ts';
import { objectsBelow, type UploadsBucket } from './uploads-bucket.ts';

/** What the policy needs to be told. */
export interface ObjectWriterProps {
  readonly bucket: UploadsBucket;
  /** With its slash. */
  readonly prefix: string;
  /** What may be done by it, for the list of the account's policies. */
  readonly description: string;
}

/**
 * For people and pipelines: puts objects below one prefix, and neither reads nor lists any. Who may write tests may not, by that, start runs:
 * each prefix has a policy of its own. It lies in the stack that stays, since a policy that is attached cannot be deleted.
 */
export class ObjectWriter extends ManagedPolicy {
  constructor(scope: Construct, id: string, { bucket, prefix, description }: ObjectWriterProps) {
    super(scope, id, { description });
    const put = {
      actions: ['s3:AbortMultipartUpload', 's3:ListMultipartUploadParts', 's3:PutObject'],
      resourceArns: [bucket.arnOfObjects(prefix)],
      why: `puts objects below \`${prefix}\`, large ones in parts`,
    };
    this.addStatements(new PolicyStatement({ actions: put.actions, resources: put.resourceArns }));
    noteGrantReason(this, this.managedPolicyArn, put);
    acknowledgeWildcard(this, bucket.arnOfObjects(prefix), objectsBelow);
    if (bucket.keyArn === undefined) return;
    const encrypt = {
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'], // S3 decrypts the parts of a large object to put them together
      resourceArns: [bucket.keyArn],
      why: 'S3 encrypts what is put',
    };
    this.addStatements(
      new PolicyStatement({
        actions: encrypt.actions,
        resources: encrypt.resourceArns,
        conditions: throughService('s3'),
      }),
    );
    noteGrantReason(this, this.managedPolicyArn, encrypt);
  }
}

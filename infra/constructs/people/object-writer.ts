import { ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { UploadsBucket } from '../storage/uploads-bucket.ts';

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
    bucket.grantPut(this, prefix, {
      isInParts: true,
      why: `puts objects below \`${prefix}\`, large ones in parts`,
    });
  }
}

import { Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { EncryptionKey } from './encryption-key.ts';

/** What the keys of a stage need to be told. */
export interface StateKeysProps {
  readonly stage: string;
  readonly isProtected: boolean;
}

/**
 * A key for each kind of data, so that each can be audited and switched off by itself. Bucket and queues could not share one: its policy
 * would let S3 in for the queues and, by that, for the objects (https://github.com/aws/aws-cdk/issues/17786 tells how such a key also becomes a circle).
 */
export class StateKeys extends Construct {
  readonly ledger: EncryptionKey;
  readonly token: EncryptionKey;
  readonly queues: EncryptionKey;
  /** Of the stage's own bucket. It is there whatever bucket is used: what was put into the own one before needs it to be read. */
  readonly bucket: EncryptionKey;

  constructor(scope: Construct, id: string, { stage, isProtected }: StateKeysProps) {
    super(scope, id);
    const key = (keyId: string, what: string) =>
      new EncryptionKey(this, keyId, { description: `${what} of Gateway Autopilot (${stage})`, isProtected });
    this.ledger = key('Ledger', 'Ledger');
    this.token = key('Token', 'Gateway token');
    this.queues = key('Queues', 'Queues');
    this.bucket = key('Bucket', 'Uploads');
    // The workers import it while they read the stage's own bucket. Its export outlives that: CloudFormation, which deploys this stack first, removes
    // none that is in use, and a stage could not go over to an existing bucket.
    Stack.of(this).exportValue(this.bucket.keyArn);
  }
}

import { Construct } from 'constructs';
import { EncryptionKey } from './encryption-key.ts';

/** What the keys of a stage need to be told. */
export interface StateKeysProps {
  readonly stage: string;
  /** Without a bucket of the stage's own there is no key for it either. */
  readonly hasBucket: boolean;
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
  readonly bucket: EncryptionKey | undefined;

  constructor(scope: Construct, id: string, { stage, hasBucket, isProtected }: StateKeysProps) {
    super(scope, id);
    const key = (keyId: string, what: string) =>
      new EncryptionKey(this, keyId, { description: `${what} of Gateway Autopilot (${stage})`, isProtected });
    this.ledger = key('Ledger', 'Ledger');
    this.token = key('Token', 'Gateway token');
    this.queues = key('Queues', 'Queues');
    this.bucket = hasBucket ? key('Bucket', 'Uploads') : undefined;
  }
}

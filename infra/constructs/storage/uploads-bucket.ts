import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Aws, CfnOutput, Stack } from 'aws-cdk-lib/core';
import { Construct, type IDependable } from 'constructs';
import type { Deployment } from '#shared/config/automation.ts';
import { datasetsPrefix } from '#shared/vocabulary/resource-names.ts';
import { bucketNotificationsOutput, ownBucketBegin } from '#shared/vocabulary/stack-outputs.ts';
import { AccessLogBucket, OwnBucket } from './own-bucket.ts';
import { grantKeyUse, type StateProps } from '../encryption-key.ts';
import { grantActions, letService } from '../grant-actions.ts';

/** Props of the bucket; the key is of the stage's own. */
export interface UploadsBucketProps extends StateProps {
  readonly stage: string;
  /** Where datasets are announced. */
  readonly uploads: Queue;
  /**
   * A bucket of another owner in its place: it is read, and nothing about it is changed. @default
   * one of the stage's own
   */
  readonly existing?: Deployment['uploadsBucket'];
}

/** Why the objects of a grant are not named. */
const objectsBelow = 'people name their files: the prefix is all that can be known';

/** The service that announces what is put. */
const s3 = 's3.amazonaws.com';

/**
 * Where people put datasets. Notifications are set by the plain property: CDK's own
 * way adds a hidden function with a log group that never expires.
 */
export class UploadsBucket extends Construct {
  readonly bucketName: string;
  readonly bucketArn: string;
  /** The key of its objects, if they are encrypted with one of their owner's. */
  readonly keyArn: string | undefined;

  constructor(scope: Construct, id: string, props: UploadsBucketProps) {
    super(scope, id);
    // Computed, so that the queue policies can spell its ARN: by reference, bucket and policies
    // would wait for each other.
    const ownName = `${ownBucketBegin(props.stage)}${Aws.ACCOUNT_ID}-${Aws.REGION}`;
    this.bucketName = props.existing?.name ?? ownName;
    this.bucketArn = `arn:${Aws.PARTITION}:s3:::${this.bucketName}`;
    this.keyArn = props.existing === undefined ? props.key?.keyArn : props.existing.keyArn;
    const policy = this.letBucketSend(props.uploads);
    if (props.existing === undefined) this.addBucket(props, policy);
    else this.askForNotifications(props.uploads);
  }

  private addBucket({ key, isProtected, uploads }: UploadsBucketProps, policy: IDependable): void {
    const bucket = new OwnBucket(this, 'Default', { bucketName: this.bucketName, key, isProtected });
    const logs = new AccessLogBucket(this, 'AccessLogs', { sourceArn: this.bucketArn, isProtected });
    const { resource } = bucket;
    resource.loggingConfiguration = { destinationBucketName: logs.bucketName };
    resource.notificationConfiguration = {
      queueConfigurations: [
        {
          event: 's3:ObjectCreated:*',
          filter: { s3Key: { rules: [{ name: 'prefix', value: datasetsPrefix }] } },
          queue: uploads.queueArn,
        },
      ],
    };
    // S3 tries the queue while the bucket is made.
    resource.node.addDependency(policy);
  }

  /**
   * What the owner of an existing bucket adds to its notifications, as an output of the stack in
   * the words of the S3 API. To change them from here would take a function that may rewrite the
   * notifications of all users of the bucket.
   */
  private askForNotifications({ queueArn }: Queue): void {
    const wanted = {
      QueueConfigurations: [
        {
          Id: 'gateway-autopilot-datasets',
          QueueArn: queueArn,
          Events: ['s3:ObjectCreated:*'],
          Filter: { Key: { FilterRules: [{ Name: 'prefix', Value: datasetsPrefix }] } },
        },
      ],
    };
    const stack = Stack.of(this);
    new CfnOutput(stack, bucketNotificationsOutput, { value: stack.toJsonString(wanted) });
  }

  /**
   * Reads the versions of datasets. Listing is for the whole bucket on purpose.
   * Without it S3 answers 403 instead of 404 for a version that is gone, and a condition on the
   * prefix does not apply to a read. Both lists, since S3's pages do not say which one a missing
   * version is hidden behind. A worker cannot tell that 403 from a lost grant. It would try a
   * deleted upload for a day and then park it with the wrong reason. To read the 403 as "gone"
   * would park every upload at once if a grant were lost.
   */
  grantReadVersions(grantee: IGrantable): Grant {
    this.grantDecrypt(grantee);
    grantActions(grantee, {
      actions: ['s3:ListBucket', 's3:ListBucketVersions'],
      resourceArns: [this.bucketArn],
      why: 'a version that is gone answers 404; without it 403, like a missing permission',
    });
    return grantActions(grantee, {
      actions: ['s3:GetObjectVersion'], // a read that names its version
      resourceArns: [this.arnOfObjects(datasetsPrefix)],
      wildcard: objectsBelow,
      why: 'reads the very version that was announced',
    });
  }

  /** Reads, of datasets, whichever version is the current one. */
  grantReadCurrent(grantee: IGrantable, why: string): Grant {
    this.grantDecrypt(grantee);
    return grantActions(grantee, {
      actions: ['s3:GetObject'], // a read that names no version
      resourceArns: [this.arnOfObjects(datasetsPrefix)],
      wildcard: objectsBelow,
      why,
    });
  }

  /** Puts objects below a prefix, whole or also in parts; neither reads nor lists any. */
  grantPut(
    grantee: IGrantable,
    prefix: string,
    { isInParts, why }: { readonly isInParts: boolean; readonly why: string },
  ): Grant {
    grantKeyUse(this.keyArn, grantee, {
      through: 's3',
      // S3 decrypts the parts of a large object to put them together.
      actions: [...(isInParts ? ['kms:Decrypt'] : []), 'kms:GenerateDataKey'],
      why: 'S3 encrypts what is put',
    });
    return grantActions(grantee, {
      actions: [...(isInParts ? ['s3:AbortMultipartUpload', 's3:ListMultipartUploadParts'] : []), 's3:PutObject'],
      why,
      resourceArns: [this.arnOfObjects(prefix)],
      wildcard: objectsBelow,
    });
  }

  /** Lists the versions of datasets; reads none. */
  grantListVersions(grantee: IGrantable, why: string): Grant {
    return grantActions(grantee, {
      actions: ['s3:ListBucketVersions'],
      resourceArns: [this.bucketArn],
      why,
      conditions: { StringLike: { 's3:prefix': [`${datasetsPrefix}*`] } },
    });
  }

  /**
   * Lists the names at the top of the bucket, and nothing below them: it may hold objects of
   * others.
   */
  grantListTop(grantee: IGrantable, why: string): Grant {
    return grantActions(grantee, {
      actions: ['s3:ListBucket'],
      resourceArns: [this.bucketArn],
      why,
      // Amazon S3 User Guide, "Controlling access to a bucket with user policies", "Grant
      // permission to list root-level items".
      conditions: { StringEquals: { 's3:prefix': '', 's3:delimiter': '/' } },
    });
  }

  /** The objects below a prefix. */
  arnOfObjects(prefix: string): string {
    return `${this.bucketArn}/${prefix}*`;
  }

  private grantDecrypt(grantee: IGrantable): void {
    grantKeyUse(this.keyArn, grantee, {
      through: 's3',
      actions: ['kms:Decrypt'],
      why: 'S3 decrypts the objects of the bucket for who reads them',
    });
  }

  private letBucketSend(queue: Queue): IDependable {
    const { policyDependable } = queue.addToResourcePolicy(
      letService(queue, s3, {
        sid: 'UploadsBucketAnnouncesObjects',
        actions: ['sqs:SendMessage'],
        resourceArns: [queue.queueArn],
        why: 'announces each object that is put',
        conditions: {
          ArnEquals: { 'aws:SourceArn': this.bucketArn },
          StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
        },
      }),
    );
    letS3Encrypt(queue);
    if (policyDependable === undefined) throw new Error('the queue takes no policy');
    return policyDependable;
  }
}

/**
 * S3 encrypts what it sends, and proves the key that it uses again. Without a condition, as the S3
 * User Guide has it ("Granting permissions to publish event notification messages", AWS KMS key
 * policy). A condition that S3 does not fill would lose every notification in silence. Which bucket
 * may send is said by the policy of the queue.
 */
function letS3Encrypt({ encryptionMasterKey: key }: Queue): void {
  if (key === undefined) return;
  key.addToResourcePolicy(
    letService(key, s3, {
      sid: 'S3EncryptsAnnouncements',
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
      resourceArns: ['*'],
      why: 'encrypts what it announces to the queues',
    }),
  );
}

import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Aws, Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import type { Construct, IConstruct } from 'constructs';
import { letService } from '../grant-actions.ts';
import type { EncryptionKey, StateProps } from '../encryption-key.ts';

/** Longer than a row of the ledger lives (400 days): what a row names can still be read. */
const noncurrentVersionDays = 400;

/** A bucket of the stage's own: every version is kept, since a version is what gets registered. */
export class OwnBucket extends Bucket {
  constructor(
    scope: Construct,
    id: string,
    { bucketName, key, isProtected }: StateProps & { readonly bucketName: string },
  ) {
    super(scope, id, {
      bucketName,
      versioned: true,
      enforceSSL: true,
      ...(key === undefined
        ? { encryption: BucketEncryption.S3_MANAGED }
        : { encryption: BucketEncryption.KMS, encryptionKey: key, bucketKeyEnabled: true }), // a request to KMS now and then, not for each object
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      lifecycleRules: [
        {
          id: 'forget-old-versions',
          noncurrentVersionExpiration: Duration.days(noncurrentVersionDays),
          abortIncompleteMultipartUploadAfter: Duration.days(7), // no list shows the parts, and they cost money
        },
      ],
      // Its name is fixed: kept by the rollback of a first deployment that failed, it would be in
      // the way of the second.
      removalPolicy: isProtected ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    this.refuseOtherKeys(key);
  }

  /** Its description for CloudFormation. */
  get resource(): CfnBucket {
    const resource: IConstruct | undefined = this.node.defaultChild;
    if (resource === undefined) throw new Error('the bucket has no resource');
    return resource as CfnBucket;
  }

  /**
   * A file that the functions cannot decrypt is refused when it is put, in front of its sender, and
   * not parked hours later. Who names no encryption gets that of the bucket.
   */
  private refuseOtherKeys(key: EncryptionKey | undefined): void {
    const keyId = 's3:x-amz-server-side-encryption-aws-kms-key-id';
    this.refusePut('NoOtherKey', {
      Null: { [keyId]: 'false' },
      ...(key === undefined ? {} : { StringNotEquals: { [keyId]: key.keyArn } }),
    });
    this.refusePut('NoKeyOfTheSender', { Null: { 's3:x-amz-server-side-encryption-customer-algorithm': 'false' } });
    if (key !== undefined) {
      const encryption = 's3:x-amz-server-side-encryption';
      this.refusePut('NotWithoutTheKey', { StringEquals: { [encryption]: 'AES256' } });
      // KMS and no key named: S3 takes AWS's own, aws/s3, and not that of the bucket (S3 API,
      // PutObject, x-amz-server-side-encryption-aws-kms-key-id).
      this.refusePut('NoKeyOfAws', {
        StringEquals: { [encryption]: ['aws:kms', 'aws:kms:dsse'] },
        Null: { [keyId]: 'true' },
      });
    }
  }

  private refusePut(sid: string, conditions: Record<string, Record<string, string | readonly string[]>>): void {
    this.addToResourcePolicy(
      new PolicyStatement({
        sid,
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: ['s3:PutObject'],
        resources: [this.arnForObjects('*')],
        conditions,
      }),
    );
  }
}

export interface AccessLogBucketProps {
  /** Whose accesses are logged. */
  readonly sourceArn: string;
  /** Kept when its stack goes. */
  readonly isProtected: boolean;
}

/** As long as a row of the ledger lives: evidence of who read a file that the row names. */
const logDays = 400;

/**
 * Who put and who read which file, by S3's own account. It shows whether the gateway fetched the
 * file of a registration whose answer was lost. Encrypted by S3 itself: access logs are not
 * delivered to a bucket with a customer's key (S3 User Guide, server access logging).
 */
export class AccessLogBucket extends Bucket {
  constructor(scope: Construct, id: string, { sourceArn, isProtected }: AccessLogBucketProps) {
    super(scope, id, {
      enforceSSL: true,
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      lifecycleRules: [{ id: 'forget', expiration: Duration.days(logDays) }],
      removalPolicy: isProtected ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    this.addToResourcePolicy(
      letService(this, 'logging.s3.amazonaws.com', {
        sid: 'UploadsBucketLogsAccesses',
        actions: ['s3:PutObject'],
        resourceArns: [this.arnForObjects('*')],
        why: 'delivers the access log of the uploads',
        conditions: {
          ArnEquals: { 'aws:SourceArn': sourceArn },
          StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
        },
      }),
    );
  }
}

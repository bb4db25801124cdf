import { Grant, type IGrantable, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Aws, Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import { Construct, type IConstruct } from 'constructs';

/** Where created objects are announced. */
export interface ObjectNotification {
  /** Key prefix, with its slash. */
  readonly prefix: string;
  readonly queue: Queue;
}

/** What the bucket needs to be told. */
export interface UploadsBucketProps {
  readonly stage: string;
  readonly notifications: readonly ObjectNotification[];
  /** Kept when its stack goes. */
  readonly isProtected: boolean;
}

/** Longer than a row of the ledger lives (400 days): what a row names can still be read. */
const noncurrentVersionDays = 400;

/**
 * Where people put datasets and run plans. Every version is kept, since a version is what gets registered. Notifications are set by the
 * plain property: CDK's own way adds a hidden function with a log group that nobody expires.
 */
export class UploadsBucket extends Construct {
  readonly bucketName: string;
  private readonly bucketArn: string;

  constructor(scope: Construct, id: string, props: UploadsBucketProps) {
    super(scope, id);
    // Computed, so that the queue policies can spell its ARN: by reference, bucket and policies would wait for each other.
    this.bucketName = `gateway-autopilot-${props.stage.toLowerCase()}-${Aws.ACCOUNT_ID}-${Aws.REGION}`;
    this.bucketArn = `arn:${Aws.PARTITION}:s3:::${this.bucketName}`;
    const bucket = new Bucket(this, 'Default', {
      bucketName: this.bucketName,
      versioned: true,
      enforceSSL: true,
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      lifecycleRules: [
        {
          id: 'forget-old-versions',
          noncurrentVersionExpiration: Duration.days(noncurrentVersionDays),
          abortIncompleteMultipartUploadAfter: Duration.days(7), // nobody sees the parts, everybody pays for them
        },
      ],
      // Its name is fixed: kept by the rollback of a first deployment that failed, it would be in the way of the second.
      removalPolicy: props.isProtected ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    for (const { queue } of props.notifications) this.letBucketSend(bucket, queue);
    resourceOf(bucket).notificationConfiguration = {
      queueConfigurations: props.notifications.map(({ prefix, queue }) => ({
        event: 's3:ObjectCreated:*',
        filter: { s3Key: { rules: [{ name: 'prefix', value: prefix }] } },
        queue: queue.queueArn,
      })),
    };
  }

  /**
   * Reads the versions of the objects below a prefix. Listing is for the whole bucket on purpose: without it S3 answers 403 instead of 404
   * for a version that is gone, and a condition on the prefix does not apply to a read.
   */
  grantReadVersions(grantee: IGrantable, prefix: string): Grant {
    Grant.addToPrincipal({ grantee, actions: ['s3:ListBucket'], resourceArns: [this.bucketArn] });
    return Grant.addToPrincipal({
      grantee,
      actions: ['s3:GetObjectVersion'], // a read that names its version
      resourceArns: [`${this.bucketArn}/${prefix}*`],
    });
  }

  /** Reads, of the objects below a prefix, whichever version is the current one. */
  grantReadCurrent(grantee: IGrantable, prefix: string): Grant {
    return Grant.addToPrincipal({
      grantee,
      actions: ['s3:GetObject'], // a read that names no version
      resourceArns: [`${this.bucketArn}/${prefix}*`],
    });
  }

  /** Lists the versions of the objects below these prefixes; reads none. */
  grantListVersions(grantee: IGrantable, prefixes: readonly string[]): Grant {
    return Grant.addToPrincipal({
      grantee,
      actions: ['s3:ListBucketVersions'],
      resourceArns: [this.bucketArn],
      conditions: { StringLike: { 's3:prefix': prefixes.map((prefix) => `${prefix}*`) } },
    });
  }

  private letBucketSend(bucket: Bucket, queue: Queue): void {
    const { policyDependable } = queue.addToResourcePolicy(
      new PolicyStatement({
        sid: 'UploadsBucketAnnouncesObjects',
        principals: [new ServicePrincipal('s3.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [queue.queueArn],
        conditions: {
          ArnEquals: { 'aws:SourceArn': this.bucketArn },
          StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
        },
      }),
    );
    // S3 tries the queue while the bucket is made.
    if (policyDependable !== undefined) resourceOf(bucket).node.addDependency(policyDependable);
  }
}

function resourceOf(bucket: Bucket): CfnBucket {
  const resource: IConstruct | undefined = bucket.node.defaultChild;
  if (resource === undefined) throw new Error('the bucket has no resource');
  return resource as CfnBucket;
}

import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Aws, Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { noteGrantReason } from '../compute/grant-actions.ts';

/** What the bucket needs to be told. */
export interface AccessLogBucketProps {
  /** Whose accesses are logged. */
  readonly sourceArn: string;
  /** Kept when its stack goes. */
  readonly isProtected: boolean;
}

/** As long as a row of the ledger lives: evidence of who read a file that the row names. */
const logDays = 400;

/** S3 says who it is when it delivers access logs. */
const loggingService = 'logging.s3.amazonaws.com';

/**
 * Who put and who read which file, by S3's own account. It shows whether the gateway fetched the file of a registration whose answer was
 * lost. Encrypted by S3 itself: access logs are not delivered to a bucket with a customer's key (S3 User Guide, server access logging).
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
    const delivery = { actions: ['s3:PutObject'], resourceArns: [this.arnForObjects('*')] };
    this.addToResourcePolicy(
      new PolicyStatement({
        sid: 'UploadsBucketLogsAccesses',
        principals: [new ServicePrincipal(loggingService)],
        actions: delivery.actions,
        resources: delivery.resourceArns,
        conditions: {
          ArnEquals: { 'aws:SourceArn': sourceArn },
          StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
        },
      }),
    );
    noteGrantReason(this, loggingService, { ...delivery, why: 'delivers the access log of the uploads' });
  }
}

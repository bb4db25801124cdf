import { AttributeType, BillingMode, ProjectionType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { openIndex } from '../../shared/aws/dynamodb-ledger.ts';

/** What a ledger needs to be told. */
export interface LedgerTableProps {
  /** Deletion protection, and kept when its stack goes. */
  readonly isProtected: boolean;
}

/** The ledger: one table, one text key, single-item conditional writes, and the sparse index of what needs somebody. */
export class LedgerTable extends Construct {
  readonly tableName: string;
  private readonly tableArn: string;

  constructor(scope: Construct, id: string, props: LedgerTableProps) {
    super(scope, id);
    const table = new Table(this, 'Default', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST, // idle it costs nothing, and a burst of uploads is not throttled
      timeToLiveAttribute: 'expiresAt',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: props.isProtected,
      removalPolicy: props.isProtected ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    table.addGlobalSecondaryIndex({
      indexName: openIndex.name,
      partitionKey: { name: openIndex.partitionKey, type: AttributeType.STRING },
      sortKey: { name: openIndex.sortKey, type: AttributeType.STRING },
      projectionType: ProjectionType.ALL,
    });
    this.tableName = table.tableName;
    this.tableArn = table.tableArn;
  }

  /** Reads and writes single rows. Nobody scans and nobody deletes: rows leave by their expiry. */
  grantReadWrite(grantee: IGrantable): Grant {
    return Grant.addToPrincipal({
      grantee,
      actions: ['dynamodb:GetItem', 'dynamodb:PutItem'],
      resourceArns: [this.tableArn],
    });
  }

  /** Reads the index of what needs somebody. */
  grantListOpen(grantee: IGrantable): Grant {
    return Grant.addToPrincipal({
      grantee,
      actions: ['dynamodb:Query'],
      resourceArns: [`${this.tableArn}/index/${openIndex.name}`],
    });
  }
}

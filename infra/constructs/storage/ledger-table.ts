import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import { RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { LedgerRow } from '#shared/ledger/ledger-row.ts';
import { datasetIndex, openIndex } from '#shared/aws/dynamodb-ledger.ts';
import { type EncryptionKey, grantKeyUse, type StateProps } from '../encryption-key.ts';
import { grantActions } from '../grant-actions.ts';

/** Kinds of rows; the packages of a watch lie below its own key. Of the switches those of alarms are a kind of their own. */
type Rows = readonly (Exclude<LedgerRow['kind'], 'watch-packages'> | 'switch#alarm' | 'past-switch#alarm')[];

interface RowsOfWorker {
  readonly writes: Rows;
  readonly reads?: Rows;
  /** A column that no row may have which it writes. */
  readonly without?: 'isTaken' | undefined;
}

type RowAction = 'GetItem' | 'BatchGetItem' | 'PutItem';

/** The ledger: one table, one text key, conditional writes of whole items, and the sparse index of what needs a person. */
export class LedgerTable extends Construct {
  readonly tableName: string;
  private readonly tableArn: string;
  private readonly key: EncryptionKey | undefined;

  constructor(scope: Construct, id: string, props: StateProps) {
    super(scope, id);
    const table = new Table(this, 'Default', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST, // idle it costs nothing, and a burst of uploads is not throttled
      timeToLiveAttribute: 'expiresAt',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      encryption: props.key && TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: props.key,
      deletionProtection: props.isProtected,
      removalPolicy: props.isProtected ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    table.addGlobalSecondaryIndex({
      indexName: openIndex.name,
      partitionKey: { name: openIndex.partitionKey, type: AttributeType.STRING },
      sortKey: { name: openIndex.sortKey, type: AttributeType.STRING },
      projectionType: ProjectionType.ALL,
    });
    table.addGlobalSecondaryIndex({
      indexName: datasetIndex.name,
      partitionKey: { name: datasetIndex.partitionKey, type: AttributeType.STRING },
      projectionType: ProjectionType.KEYS_ONLY, // rows stay for 400 days: a second copy of each would cost more than all of its writes
    });
    this.tableName = table.tableName;
    this.tableArn = table.tableArn;
    this.key = props.key;
  }

  /** Other stacks may use it in one deployment and not in the next. */
  export(): void {
    for (const value of [this.tableName, this.tableArn]) Stack.of(this).exportValue(value);
  }

  /**
   * Reads single rows, and writes one or several: a transaction of conditional puts asks for `PutItem` alone. No function scans or deletes:
   * rows leave by their expiry.
   */
  grantReadWrite(grantee: IGrantable, { writes, reads = [], without }: RowsOfWorker): void {
    const known = { actions: ['GetItem'], rows: [...writes, ...reads] } as const;
    this.grantRows(grantee, known, 'each row by its key: what is known of its work');
    this.grantRows(grantee, { actions: ['PutItem'], rows: writes, without }, 'what was done and how it ended');
  }

  /** Reads rows, one or several in one request. */
  grantRead(grantee: IGrantable, rows: Rows, why: string): Grant {
    return this.grantRows(grantee, { actions: ['GetItem', 'BatchGetItem'], rows }, why);
  }

  /** Writes rows, one or several at once. */
  grantWrite(grantee: IGrantable, rows: Rows, why: string): Grant {
    return this.grantRows(grantee, { actions: ['PutItem'], rows }, why);
  }

  /** Reads several rows in one request. */
  grantReadMany(grantee: IGrantable, rows: Rows, why: string): Grant {
    return this.grantRows(grantee, { actions: ['BatchGetItem'], rows }, why);
  }

  /**
   * Actions on rows of some kinds, each known by how its key begins. `ForAllValues` also holds for
   * a request that names no row, so no scan and no query may ever stand beside it.
   */
  private grantRows(
    grantee: IGrantable,
    {
      actions,
      rows,
      without,
    }: Pick<RowsOfWorker, 'without'> & { readonly actions: readonly RowAction[]; readonly rows: Rows },
    why: string,
  ): Grant {
    this.grantKey(grantee);
    const conditions = {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': rows.toSorted().map((kind) => `${kind}#*`) },
      ...(without === undefined ? {} : { 'ForAllValues:StringNotEquals': { 'dynamodb:Attributes': [without] } }),
    };
    const named = actions.map((action) => `dynamodb:${action}`);
    return grantActions(grantee, { actions: named, resourceArns: [this.tableArn], why, conditions });
  }

  /** Reads the index of what needs a person. */
  grantListOpen(grantee: IGrantable, why: string): Grant {
    return this.grantQuery(grantee, openIndex.name, why);
  }

  /** Reads the index of datasets. */
  grantFindDataset(grantee: IGrantable, why: string): Grant {
    return this.grantQuery(grantee, datasetIndex.name, why);
  }

  private grantQuery(grantee: IGrantable, index: string, why: string): Grant {
    this.grantKey(grantee);
    return grantActions(grantee, {
      actions: ['dynamodb:Query'],
      resourceArns: [`${this.tableArn}/index/${index}`],
      why,
    });
  }

  /** DynamoDB uses the table's key in the name of who reads and writes; it asks for all of these (DynamoDB, encryption at rest, usage notes). */
  private grantKey(grantee: IGrantable): void {
    grantKeyUse(this.key?.keyArn, grantee, {
      through: 'dynamodb',
      actions: [
        'kms:Decrypt',
        'kms:DescribeKey',
        'kms:Encrypt',
        'kms:GenerateDataKey',
        'kms:ReEncryptFrom',
        'kms:ReEncryptTo',
      ],
      why: 'DynamoDB encrypts and decrypts the rows',
    });
  }
}

/** A quota of AWS that the stage spends. */
interface Quota {
  readonly value: number;
  readonly unit: string;
  readonly isAdjustable: boolean;
  readonly source: string;
}

/** When the pages below were last compared with these numbers. */
export const quotasAsOf = '2026-11-21';

const dynamoDbPartitions =
  'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html';

/** Defaults of an account in one of the larger Regions. */
export const quotas = {
  lambdaConcurrency: {
    value: 1000,
    unit: 'executions at once, all functions of the account and Region together; new accounts have far fewer, often 10. One mapping has as many',
    isAdjustable: true,
    source: 'https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html',
  },
  queueInFlight: {
    value: 120_000,
    unit: 'messages of a standard queue that are received and not deleted, hidden ones included (about)',
    isAdjustable: true,
    source: 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-queues.html',
  },
  schedulerInvocations: {
    value: 1000,
    unit: 'invocations a second; 250 in the smaller Regions',
    isAdjustable: true,
    source: 'https://docs.aws.amazon.com/scheduler/latest/UserGuide/scheduler-quotas.html',
  },
  stackResources: {
    value: 500,
    unit: 'resources of a stack',
    isAdjustable: false,
    source: 'https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html',
  },
  keyWrites: {
    value: 1000,
    unit: 'write units a second for one partition key, of a table or an index',
    isAdjustable: false,
    source: dynamoDbPartitions,
  },
  newTableWrites: {
    value: 4000,
    unit: 'write units a second of a new on-demand table; it grows to twice the last peak',
    isAdjustable: true,
    source: 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput-scenarios.html',
  },
  tableWrites: {
    value: 40_000,
    unit: 'write units a second of a table',
    isAdjustable: true,
    source:
      'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode-max-throughput.html',
  },
  objectReads: {
    value: 5500,
    unit: 'GET and HEAD a second for each prefix of a bucket',
    isAdjustable: false,
    source: 'https://docs.aws.amazon.com/AmazonS3/latest/userguide/optimizing-performance.html',
  },
  putEvents: {
    value: 10_000,
    unit: 'PutEvents a second in the largest Regions; some hundreds in the smallest',
    isAdjustable: true,
    source: 'https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html',
  },
} as const satisfies Record<string, Quota>;

export type QuotaName = keyof typeof quotas;

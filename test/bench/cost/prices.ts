/** A price with the page that says it. */
export interface Price {
  /** US dollars for one unit. */
  readonly usd: number;
  readonly unit: string;
  readonly source: string;
}

const million = 1_000_000;

/** When the pages below were last compared with these numbers. */
export const pricesAsOf = '2026-11-21';

/**
 * On-demand list prices of US East (N. Virginia) without any free tier, and of GitHub's runners.
 * Other regions cost up to a quarter more.
 */
export const prices = {
  sqsRequest: { usd: 0.4 / million, unit: 'request', source: 'https://aws.amazon.com/sqs/pricing/' },
  ledgerWrite: {
    usd: 0.625 / million,
    unit: 'write of up to 1 KB',
    source: 'https://aws.amazon.com/dynamodb/pricing/on-demand/',
  },
  ledgerRead: {
    usd: 0.125 / million,
    unit: 'consistent read of up to 4 KB',
    source: 'https://aws.amazon.com/dynamodb/pricing/on-demand/',
  },
  ledgerGbMonth: {
    usd: 0.25,
    unit: 'GB of rows and of their copies in indexes, a month',
    source: 'https://aws.amazon.com/dynamodb/pricing/on-demand/',
  },
  recoveryGbMonth: {
    usd: 0.2,
    unit: 'GB of a table with point-in-time recovery, a month',
    source: 'https://aws.amazon.com/dynamodb/pricing/on-demand/',
  },
  lambdaRequest: { usd: 0.2 / million, unit: 'invocation', source: 'https://aws.amazon.com/lambda/pricing/' },
  lambdaGbSecond: { usd: 0.0000133334, unit: 'GB-second, arm64', source: 'https://aws.amazon.com/lambda/pricing/' },
  logGb: { usd: 0.5, unit: 'GB of logs taken in', source: 'https://aws.amazon.com/cloudwatch/pricing/' },
  metricMonth: {
    usd: 0.3,
    unit: 'series of a custom metric, a month',
    source: 'https://aws.amazon.com/cloudwatch/pricing/',
  },
  alarmMonth: { usd: 0.1, unit: 'metric of an alarm, a month', source: 'https://aws.amazon.com/cloudwatch/pricing/' },
  dashboardMonth: { usd: 3, unit: 'dashboard, a month', source: 'https://aws.amazon.com/cloudwatch/pricing/' },
  secretMonth: { usd: 0.4, unit: 'secret, a month', source: 'https://aws.amazon.com/secrets-manager/pricing/' },
  secretCall: { usd: 0.05 / 10_000, unit: 'call', source: 'https://aws.amazon.com/secrets-manager/pricing/' },
  objectRead: { usd: 0.0004 / 1000, unit: 'GET or HEAD', source: 'https://aws.amazon.com/s3/pricing/' },
  objectList: { usd: 0.005 / 1000, unit: 'LIST', source: 'https://aws.amazon.com/s3/pricing/' },
  schedulerInvocation: { usd: 1 / million, unit: 'invocation', source: 'https://aws.amazon.com/eventbridge/pricing/' },
  busEvent: { usd: 1 / million, unit: 'event', source: 'https://aws.amazon.com/eventbridge/pricing/' },
  pipeRequest: { usd: 0.4 / million, unit: 'request', source: 'https://aws.amazon.com/eventbridge/pricing/' },
  apiDestination: { usd: 0.2 / million, unit: 'call', source: 'https://aws.amazon.com/eventbridge/pricing/' },
  expressRequest: { usd: 1 / million, unit: 'workflow', source: 'https://aws.amazon.com/step-functions/pricing/' },
  expressGbSecond: { usd: 0.00001667, unit: 'GB-second', source: 'https://aws.amazon.com/step-functions/pricing/' },
  standardTransition: {
    usd: 25 / million,
    unit: 'state transition',
    source: 'https://aws.amazon.com/step-functions/pricing/',
  },
  runnerMinute: {
    usd: 0.006,
    unit: 'minute of a Linux runner, begun ones count',
    source: 'https://docs.github.com/en/billing/reference/actions-runner-pricing',
  },
} as const satisfies Record<string, Price>;

/** One of the prices. */
export type PriceName = keyof typeof prices;

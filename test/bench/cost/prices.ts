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
 * On-demand list prices of US East (N. Virginia) without any free tier. Other regions cost up to a
 * quarter more.
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
  objectRead: { usd: 0.0004 / 1000, unit: 'GET or HEAD', source: 'https://aws.amazon.com/s3/pricing/' },
  objectList: { usd: 0.005 / 1000, unit: 'LIST', source: 'https://aws.amazon.com/s3/pricing/' },
  schedulerInvocation: { usd: 1 / million, unit: 'invocation', source: 'https://aws.amazon.com/eventbridge/pricing/' },
  busEvent: { usd: 1 / million, unit: 'event', source: 'https://aws.amazon.com/eventbridge/pricing/' },
  pipeRequest: { usd: 0.4 / million, unit: 'request', source: 'https://aws.amazon.com/eventbridge/pricing/' },
  apiDestination: { usd: 0.2 / million, unit: 'call', source: 'https://aws.amazon.com/eventbridge/pricing/' },
} as const satisfies Record<string, Price>;

export type PriceName = keyof typeof prices;

/** How much of each priced thing some work takes. */
export type Usage = Partial<Record<PriceName, number>>;

/** The parts of a bill, dearest first, and their sum in US dollars. */
export interface Cost {
  readonly usd: number;
  readonly lines: readonly { readonly name: PriceName; readonly units: number; readonly usd: number }[];
}

/** Prices what was used. */
export function costOf(usage: Usage): Cost {
  const names = Object.keys(usage).filter((name): name is PriceName => name in prices);
  const lines = names
    .map((name) => ({ name, units: usage[name] ?? 0, usd: (usage[name] ?? 0) * prices[name].usd }))
    .toSorted((one, other) => other.usd - one.usd);
  return { usd: lines.reduce((sum, line) => sum + line.usd, 0), lines };
}

import { tick } from '../cost/idle-month.ts';
import type { PriceName, Usage } from '../cost/prices.ts';
import type { Asked } from './count-requests.ts';

/** A tab that is open all year. */
const minutesOfYear = 365 * 24 * 60;

const unitBytes = 4096;

/**
 * A query of an index is half a read for each begun 4 KB of its answer, a consistent read a whole
 * one. JSON is longer than what is billed.
 */
function ledgerReads({ kind, bytes }: Asked): number {
  const whole = bytes.reduce((sum, each) => sum + Math.max(1, Math.ceil(each / unitBytes)), 0);
  return kind === 'dynamodb Query' ? whole / 2 : whole;
}

/** Of the function that answers questions. */
const memoryGb = 0.5;

/**
 * What the requests of a minute come to in a year. Scheduler and CloudFormation bill none of
 * theirs.
 */
export function usageOfYear(minute: readonly Asked[]): Usage {
  const usage: Partial<Record<PriceName, number>> = {};
  const add = (name: PriceName, units: number) => void (usage[name] = (usage[name] ?? 0) + units * minutesOfYear);
  for (const asked of minute) {
    const { kind, count } = asked;
    if (kind.startsWith('dynamodb ')) add('ledgerRead', ledgerReads(asked));
    if (kind.startsWith('sqs ')) add('sqsRequest', count);
    if (kind.startsWith('s3 ')) add('objectList', count);
    if (kind !== 'lambda Invoke') continue;
    add('lambdaRequest', count);
    add('lambdaGbSecond', count * tick.seconds * memoryGb);
    add('logGb', (count * tick.logBytes) / 1e9);
  }
  return usage;
}

import { expect, test } from 'vitest';
import type { Asked } from '../../bench/console/count-requests.ts';
import { usageOfYear } from '../../bench/console/cost-of-tab.ts';

const minutesOfYear = 525_600;

function asked(kind: string, bytes: readonly number[]): Asked {
  return { kind, by: 'console', count: bytes.length, bytes: [...bytes] };
}

test('a query is half a read for each begun 4 KB of its answer, and a consistent read a whole one', () => {
  const { ledgerRead = 0 } = usageOfYear([
    asked('dynamodb Query', [10, 4097, 9000]),
    asked('dynamodb GetItem', [0, 5000]),
  ]);

  expect(ledgerRead / minutesOfYear).toBe((1 + 2 + 3) / 2 + 1 + 2);
});

test('what AWS does not bill is in no part of the cost', () => {
  const usage = usageOfYear([
    asked('scheduler GET /schedules', [100]),
    asked('sqs GetQueueAttributes', [10, 10]),
    asked('lambda Invoke', [10]),
  ]);

  expect(Object.keys(usage).toSorted()).toEqual(['lambdaGbSecond', 'lambdaRequest', 'logGb', 'sqsRequest']);
  expect(usage).toMatchObject({ sqsRequest: 2 * minutesOfYear, lambdaRequest: minutesOfYear });
});

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchesArn, matchesGlob } from '#local/aws/iam/conditions.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';

/** The same by way of regular expressions: slow on purpose-made patterns, and plain. */
function byRegExp(pattern: string, text: string): boolean {
  const source = pattern
    .split('')
    .map((character) =>
      character === '*' ? '[^]*' : character === '?' ? '[^]' : character.replaceAll(/[\\^$.|+()[\]{}]/g, '\\$&'),
    );
  return new RegExp(`^${source.join('')}$`).test(text);
}

const letters = fc.string({ unit: fc.constantFrom('a', 'b', '.', ':') });
const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '.', ':', '*', '?') });

describe('matchesGlob', () => {
  test('agrees with a regular expression on every pattern and text', () => {
    fc.assert(
      fc.property(patterns, letters, (pattern, text) => {
        expect(matchesGlob(pattern, text)).toBe(byRegExp(pattern, text));
      }),
      propertyRuns(),
    );
  });

  test('answers at once to a pattern made to take for ever', () => {
    expect(matchesGlob(`${'*a'.repeat(50)}*b`, 'a'.repeat(5000))).toBe(false);
  });
});

test('matchesArn keeps a star inside its part of the ARN', () => {
  expect(matchesArn('arn:aws:s3:::*', 'arn:aws:s3:::bucket/key:with:colons')).toBe(true);
  expect(matchesArn('arn:aws:*:queue', 'arn:aws:sqs:eu-west-1:0:queue')).toBe(false);
});

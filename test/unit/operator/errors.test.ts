import { failureOf } from '#operator/errors.ts';
import { exitCodes, exitOfFailure } from '#cli/exit-codes.ts';
import type { Target } from '#operator/stage/target.ts';
import { StageNotFoundError } from '#shared/aws/stage-outputs.ts';
import { expect, test } from 'vitest';

const local: Target = { kind: 'local', stage: 'local', endpoint: 'http://127.0.0.1:4566', region: 'eu-west-1' };
const aws: Target = { kind: 'aws', stage: 'prod' };

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

test('a refused connection says how to start the local run, however deep it is wrapped', () => {
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  const wrapped = new TypeError('fetch failed', { cause: new AggregateError([refused], 'both addresses') });

  expect(failureOf(wrapped, local)).toEqual({
    code: 'UNREACHABLE',
    message:
      'nothing runs at http://127.0.0.1:4566: start it with `npm start`, or name a deployed stage with --aws --stage prod',
  });
});

test.each<[unknown, Target, number, RegExp]>([
  [
    named('CredentialsProviderError', 'Could not load credentials'),
    aws,
    exitCodes.unreachable,
    /does not take your credentials/,
  ],
  [named('ExpiredTokenException', 'expired'), aws, exitCodes.unreachable, /credentials \(ExpiredTokenException\)/],
  [
    named('AccessDeniedException', 'not authorized to perform: dynamodb:GetItem'),
    aws,
    exitCodes.unreachable,
    /you may not.*GetItem/,
  ],
  [new Error('Region is missing'), aws, exitCodes.unreachable, /give --region/],
  [new StageNotFoundError('there is no stage "prod" here'), aws, exitCodes.unreachable, /no stage "prod"/],
  [new RangeError('odd'), local, exitCodes.failed, /RangeError: odd/],
  ['a text', local, exitCodes.failed, /a text/],
])('%s', (error, target, exitCode, sentence) => {
  const failure = failureOf(error, target);

  expect(exitOfFailure(failure)).toBe(exitCode);
  expect(failure.message).toMatch(sentence);
});

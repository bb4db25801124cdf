import { keptStartFile, textOfKeptStart } from '#shared/state-folder/kept-start.ts';
import { failedAfter, failureOf } from '#operator/failures.ts';
import { exitCodes, exitOfFailure } from '#cli/terminal/command.ts';
import type { Target } from '#operator/target.ts';
import { StageNotFoundError } from '#shared/aws/stage-outputs.ts';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { folderOfTest } from '../../builders/test-folder.ts';

const local: Target = {
  kind: 'local',
  stage: 'local',
  endpoint: 'http://127.0.0.1:4566',
  folder: resolve('.autopilot'),
  region: 'eu-west-1',
};
const aws: Target = { kind: 'aws', stage: 'prod' };

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

test('a refused connection says how to start the local run, however deep it is wrapped', () => {
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  const wrapped = new TypeError('fetch failed', { cause: new AggregateError([refused], 'both addresses') });

  expect(failureOf(wrapped, local)).toMatchObject({
    code: 'UNREACHABLE',
    step: {
      says: 'nothing runs at http://127.0.0.1:4566: name a deployed stage with --aws --stage prod, or start it',
      command: ['autopilot', 'start'],
    },
  });
});

// A stage that was killed amid an answer was a TypeError, with the exit code of an unknown failure. One that had too many connections "does not run".
test.each(['UND_ERR_SOCKET', 'ECONNRESET'])(
  'a connection that the stage closes (%s) is not said to be none',
  (code) => {
    const closed = Object.assign(new Error('other side closed'), { code });

    expect(failureOf(new TypeError('fetch failed', { cause: closed }), local)).toEqual({
      code: 'UNREACHABLE',
      message:
        'http://127.0.0.1:4566 ended the connection without an answer. Try again: the stage has just ended, or its terminal says that it has too many connections',
    });
  },
);

test('a failure after something was done says what was done, and keeps its code', () => {
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

  const failure = failureOf(failedAfter('the clock was moved', refused, local), local);

  expect(failure.code).toBe('UNREACHABLE');
  expect(failure.message).toMatch(/^the clock was moved: nothing runs at http:/);
});

// Pasted without the port, the command met another stage at 4566.
test('a stage of another port is started there again', () => {
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

  expect(failureOf(refused, { ...local, endpoint: 'http://127.0.0.1:4571' }).step?.command?.join(' ')).toBe(
    'autopilot start --port 4571',
  );
});

// Pasted, the line without --gateway worked against the embedded gateway, on the state of a real one.
test('a stage is started again as its folder says that it was', () => {
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  const folder = folderOfTest();
  const kept = { stage: 'prod', configPath: resolve('other.config.ts'), gateway: 'https://gateway.example.com' };
  writeFileSync(join(folder, keptStartFile), textOfKeptStart(folder, kept));

  expect(failureOf(refused, { ...local, folder }).step?.command?.join(' ')).toBe(
    `autopilot start --stage prod --config ${kept.configPath} --gateway https://gateway.example.com --data ${folder}`,
  );
});

test.each([
  // SQS writes actions in small letters, S3 puts resources into quotes.
  ['sqs:sendmessage', 'arn:aws:sqs:eu-west-1:1:Commands', '', 'you lack the permission'],
  ['s3:PutObject', 'arn:aws:s3:::bucket/datasets/a.csv', '"', 'you lack the permission'],
  ['dynamodb:PutItem', 'arn:aws:dynamodb:eu-west-1:1:table/Ledger', '', 'a policy denies you'],
])('a refusal of %s is one sentence with action and resource', (action, resource, quote, begins) => {
  const why = begins.includes('denies')
    ? 'with an explicit deny in a resource-based policy'
    : 'because no policy allows';
  const said = `User: arn:aws:iam::1:user/me is not authorized to perform: ${action} on resource: ${quote}${resource}${quote} ${why}`;

  expect(failureOf(named('AccessDenied', said), aws)).toEqual({
    code: 'UNREACHABLE',
    message: `${begins} ${action} on ${resource} (policies for people: docs/security.md#policies-for-people)`,
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

// It said that the stack does not exist, of a stage that is deployed.
test('a stage that is not the one on this machine is named as one in AWS', () => {
  const failure = failureOf(new StageNotFoundError('there is no stage'), { ...local, stage: 'prod' });

  expect(failure).toEqual({
    code: 'STAGE_NOT_FOUND',
    message: 'no stage "prod" runs on this machine: --aws --stage prod means the one in AWS',
  });
});

import { describe, expect, test } from 'vitest';
import { policyLetsIn, trialFinding } from '#operator/doctor/deep/delivery-findings.ts';
import { type Heard, type SentMarks, stillAwaited, withMessage } from '#operator/doctor/deep/marks.ts';
import { idOfMark, isLeftBehind, nameOfRun, testLimits } from '#operator/doctor/deep/observer.ts';
import { keyOfLinkTest, linkTestInObject } from '#shared/messages/link-test.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';

const now = new Date('2026-11-23T02:30:00.000Z');
const minuteMs = 60_000;
const run = { name: nameOfRun(now, 'abcd1234') };

describe('what a run makes', () => {
  test('is named so that a rule and a schedule take the name, and its marks are marks', () => {
    expect(run.name).toBe('autopilot-doctor-20261123T023000-abcd1234');
    expect(run.name.length).toBeLessThanOrEqual(64);
    expect(linkTestInObject({ key: keyOfLinkTest(idOfMark(run, 'object')), sizeBytes: 0 })?.link).toBe('object');
    expect(idOfMark(run, 'object')).not.toBe(idOfMark(run, 'command'));
  });

  test.each([
    ['sixteen minutes old', nameOfRun(new Date(now.getTime() - 16 * minuteMs), 'a'), true],
    ['of a run that may go on', nameOfRun(new Date(now.getTime() - 14 * minuteMs), 'a'), false],
    ['of a clock that is ahead', nameOfRun(new Date(now.getTime() + minuteMs), 'a'), false],
    ['of another tool', 'autopilot-doctor-of-mine', false],
    ['of a date that is none', 'autopilot-doctor-20261399T023000-a', false],
  ])('%s is left behind: %s → %s', (_what, name, expected) => {
    expect(isLeftBehind(name, now)).toBe(expected);
  });
});

describe('waiting', () => {
  const limits = testLimits({ kind: 'aws', stage: 'prod' });
  const sentMarks: SentMarks = { object: { sentMs: 0 }, command: { sentMs: 0 }, schedule: { sentMs: 0 } };
  const observer = { queue: { url: 'url', arn: 'arn' }, faults: {} };
  const nothing: Heard = { rows: {}, events: {} };
  const awaited = (heard: Partial<Heard>, atMs: number, more: Partial<Parameters<typeof stillAwaited>[0]> = {}) =>
    stillAwaited({ sentMarks, observer, limits, ...more }, { ...nothing, ...heard }, atMs);

  test('ends for each mark at its own time, and for a schedule a minute later', () => {
    expect(awaited({}, 0)).toEqual(['object', 'command', 'schedule']);
    expect(awaited({}, limits.arriveMs)).toEqual(['schedule']);
    expect(awaited({}, limits.arriveMs + limits.leadMs)).toEqual([]);
  });

  test('goes on for the event and the message of a mark that arrived, and no longer than they may take', () => {
    const rows = { object: 0, command: 0, schedule: 0 };
    expect(awaited({ rows }, 1)).toEqual([
      'event of object',
      'event of command',
      'event of schedule',
      'message of the topic',
    ]);
    expect(awaited({ rows, events: rows, topicMs: 0 }, 1)).toEqual([]);
    expect(awaited({ rows }, limits.noticeMs)).toEqual([]);
  });

  test('is not for what could not be sent or listened to, nor for a schedule with a dead letter', () => {
    const refused = { ...sentMarks, object: { error: new Error('no') } };
    expect(awaited({ deadLetter: 'AccessDenied' }, 0, { sentMarks: refused })).toEqual(['command']);
    expect(awaited({ rows: { command: 0 } }, 1, { observer: { faults: { queue: new Error('no') } } })).toEqual([
      'object',
      'schedule',
    ]);
  });
});

describe('what the observer takes', () => {
  const id = idOfMark(run, 'command');
  const read = (body: string, attributes: Record<string, string> = {}) =>
    withMessage({ rows: {}, events: {} }, { body, attributes }, { run, nowMs: 7 });

  test('is an event of a mark, or the message of the topic about it', () => {
    const event = { 'detail-type': eventTypes.linkTested, detail: { linkTest: id } };

    expect(read(JSON.stringify(event))).toEqual({ rows: {}, events: { command: 7 } });
    expect(read(`"Gateway Autopilot"\n"test ${id}"`)).toEqual({ rows: {}, events: {}, topicMs: 7 });
  });

  test('is the reason why Scheduler could not deliver', () => {
    const letter = read('{}', { ERROR_CODE: 'AccessDeniedException', ERROR_MESSAGE: 'not authorized' });

    expect(letter.deadLetter).toBe('AccessDeniedException: not authorized');
  });

  test('is nothing if it is of another run', () => {
    expect(read(`"test ${idOfMark({ name: 'another' }, 'command')}"`)).toEqual({ rows: {}, events: {} });
  });
});

describe('a function that is given a mark', () => {
  const failed = { payload: '{"batchItemFailures":[{"itemIdentifier":"doctor"}]}' };

  test('and ends it is well', () => {
    expect(trialFinding('register-datasets', { payload: '{"batchItemFailures":[]}' })).toBeUndefined();
  });

  test('names what its role may not, in the words of its log', () => {
    const logTail =
      '{"message":"attempt failed: User: arn:aws:sts::1:assumed-role/a/b is not authorized to perform: kms:Decrypt on resource: arn:aws:kms:eu-west-1:1:key/k because no …"}';

    expect(trialFinding('register-datasets', { ...failed, logTail })).toMatchObject({
      subject: 'role of register-datasets',
      says: 'it may not kms:Decrypt on arn:aws:kms:eu-west-1:1:key/k',
    });
  });

  test.each([
    [{ ...failed, logTail: '{"message":"attempt failed: Error: boom"}' }, /Error: boom$/],
    [{ payload: '{"errorMessage":"Task timed out"}', functionError: 'Unhandled' }, /Task timed out/],
  ])('says why it fails otherwise', (answer, says) => {
    expect(trialFinding('update-campaign-runs', answer)).toMatchObject({
      subject: 'update-campaign-runs',
      state: 'problem',
      says: expect.stringMatching(says),
    });
  });
});

function policyOf(...Statement: readonly object[]): string {
  return JSON.stringify({ Statement });
}

describe('a policy', () => {
  const guest = { service: 's3.amazonaws.com', action: 'sqs:SendMessage', sourceArn: 'arn:aws:s3:::uploads' };
  const letIn = {
    Effect: 'Allow',
    Principal: { Service: 's3.amazonaws.com' },
    Action: 'sqs:SendMessage',
    Condition: { ArnEquals: { 'aws:SourceArn': 'arn:aws:s3:::uploads' }, StringEquals: { 'aws:SourceAccount': '1' } },
  };

  test.each<[string, string | undefined, boolean]>([
    ['as it is deployed', policyOf({ Effect: 'Deny', Principal: '*', Action: 'sqs:*' }, letIn), true],
    [
      'with a wider action and a pattern for the source',
      policyOf({ ...letIn, Action: ['SQS:*'], Condition: { ArnLike: { 'AWS:SourceArn': 'arn:aws:s3:::up*' } } }),
      true,
    ],
    ['for every account', policyOf({ Effect: 'Allow', Principal: '*', Action: 'sqs:SendMessage' }), true],
    [
      'of another bucket',
      policyOf({ ...letIn, Condition: { ArnEquals: { 'aws:SourceArn': 'arn:aws:s3:::other' } } }),
      false,
    ],
    [
      'of a bucket with a dot in its pattern',
      policyOf({ ...letIn, Condition: { ArnLike: { 'aws:SourceArn': 'arn.aws:s3:::up*' } } }),
      false,
    ],
    ['of another service', policyOf({ ...letIn, Principal: { Service: 'sns.amazonaws.com' } }), false],
    ['for another action', policyOf({ ...letIn, Action: 'sqs:ReceiveMessage' }), false],
    ['that only denies', policyOf({ ...letIn, Effect: 'Deny' }), false],
    ['that is not there', undefined, false],
  ])('%s lets a bucket in: %#', (_what, policy, expected) => {
    expect(policyLetsIn(policy, guest)).toBe(expected);
  });
});

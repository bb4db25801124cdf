import { describe, expect, test } from 'vitest';
import { whyNotEnded } from '#operator/doctor/delivery-findings.ts';
import { examineLinks } from '#operator/doctor/link-findings.ts';
import { idOfMark, isAwaited, marks, type SentMark, testLimits } from '#operator/doctor/link-marks.ts';
import { keyOfLinkTest, linkTestInMessage, linkTestInObject } from '#shared/messages/link-test.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { LinkTestRow } from '#shared/ledger/rows/stage-rows.ts';
import type { StageLinks } from '#operator/aws/stage-links.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { fakeDeps, type FakeStage } from '../fake-deps.ts';

const run = { name: 'autopilot-doctor-abcd1234' };

test('the id of a mark makes the object of that name a mark, and no two marks have the same', () => {
  const ids = marks.map((mark) => idOfMark(run, mark));

  expect(new Set([...ids, idOfMark({ name: 'another' }, 'object')]).size).toBe(marks.length + 1);
  expect(ids.map((id) => linkTestInObject({ key: keyOfLinkTest(id), sizeBytes: 0 })?.link)).toEqual(
    marks.map(() => 'object'),
  );
});

function sent(mark: SentMark['mark'], more: Partial<SentMark> = {}): SentMark {
  return { mark, id: '', sentMs: 0, ...more };
}

test('the wait ends for each mark at its own time, and for a schedule a minute later', () => {
  const limits = testLimits({ kind: 'aws', stage: 'prod' });
  const awaited = (one: SentMark, atMs: number) => isAwaited(one, atMs, limits);

  expect([awaited(sent('object'), limits.arriveMs - 1), awaited(sent('object'), limits.arriveMs)]).toEqual([
    true,
    false,
  ]);
  expect(awaited(sent('schedule'), limits.arriveMs + limits.leadMs - 1)).toBe(true);
  expect(awaited(sent('schedule'), limits.arriveMs + limits.leadMs)).toBe(false);
  expect(awaited(sent('object', { error: new Error('no') }), 0)).toBe(false);
  expect(awaited(sent('object', { arrivedMs: 0 }), 0)).toBe(false);
});

function line(name: string, message: string): string {
  return JSON.stringify({ level: 'ERROR', event: logEvents.failed, message, messageId: 'doctor-1', name });
}

describe('a function that is given a mark', () => {
  const failed = { payload: '{"batchItemFailures":[{"itemIdentifier":"doctor"}]}' };

  test('and ends it is well', () => {
    expect(whyNotEnded({ payload: '{"batchItemFailures":[]}' })).toBeUndefined();
  });

  test('is quoted with the line of its log about the message, and the name of the error says a denial', () => {
    const says = 'attempt failed: User a is not authorized to perform: kms:Decrypt on resource: b';
    const other = JSON.stringify({ event: logEvents.failed, message: 'the list could not be written' });
    const logTail = ['cut-off","a":1}', other, line('AccessDeniedException', says), 'REPORT'].join('\n');

    expect(whyNotEnded({ ...failed, logTail })).toEqual({ says, isDenied: true });
  });

  test.each([
    [{ ...failed, logTail: line('Error', 'attempt failed: boom') }, 'attempt failed: boom'],
    // A sentence that merely looks like a denial is none.
    [{ ...failed, logTail: line('Error', 'attempt failed: not authorized') }, 'attempt failed: not authorized'],
    [{ payload: '{"errorMessage":"Task timed out"}', functionError: 'Unhandled' }, '{"errorMessage":"Task timed out"}'],
  ])('says why it fails otherwise', (answer, says) => {
    expect(whyNotEnded(answer)).toEqual({ says, isDenied: false });
  });
});

/** A worker that ends marks. */
const endsMarks: FakeStage = {
  async onSend(_queue, body, ledger) {
    const { id = '', link = 'command' } = linkTestInMessage(body) ?? {};
    const outcome = { kind: 'ignored', detail: '', at: '' } as const;
    const pk = ledgerKeys.linkTest(id);
    await ledger.write<LinkTestRow>(undefined, {
      pk,
      kind: 'link-test',
      link,
      worker: 'update-campaign-runs',
      outcome,
    });
  },
};

const links: StageLinks = {
  queueArn: async () => 'arn',
  notifications: async () => [],
  removeVersion: async () => {},
  sendOnce: async () => {},
};

test('a test notice is one marked command, which a person looks for by its id', async () => {
  const { deps, sent: messages, uploads } = fakeDeps({ ...endsMarks, target: { kind: 'aws', stage: 'prod' } });

  const findings = await examineLinks(['notice'], { ...deps, stage: { ...deps.stage, links: async () => links } });

  const { id, link } = linkTestInMessage(messages[0]?.body ?? '') ?? {};
  expect([link, messages.length, uploads]).toEqual(['notice', 1, []]);
  expect(findings).toMatchObject([
    { subject: 'test notice', state: 'unknown', says: expect.stringContaining(`${id} is on the outcome bus`) },
  ]);
});

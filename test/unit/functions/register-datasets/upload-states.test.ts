import { describe, expect, it } from 'vitest';
import { contentClaim, mayMove, nextUploadStep, uploadMoves } from '#functions/register-datasets/upload-states.ts';
import type { UploadRow, UploadState } from '#shared/ledger/rows/upload-row.ts';

const now = new Date('2026-11-20T10:00:00.000Z');
const past = '2026-11-20T09:59:59.999Z';
const soon = '2026-11-20T10:00:05.000Z';

function row(state: UploadState, changes: Partial<UploadRow> = {}): UploadRow {
  return {
    pk: 'upload#1#aa',
    kind: 'upload',
    state,
    bucket: 'uploads',
    key: 'datasets/a.csv',
    eventTime: past,
    attempts: 1,
    crashes: 0,
    ...changes,
  };
}

const states: readonly UploadState[] = [
  'CLAIMED',
  'SENDING',
  'APPLIED',
  'READY',
  'UNKNOWN',
  'PARKED',
  'SKIPPED',
  'IGNORED',
];

describe('nextUploadStep', () => {
  it.each([
    [row('CLAIMED', { leaseUntil: soon }), { kind: 'wait', delayMs: 5000 }],
    [row('CLAIMED', { leaseUntil: past }), { kind: 'claim', crashes: 1 }],
    [row('CLAIMED', { leaseUntil: past, crashes: 1 }), { kind: 'claim', crashes: 2 }],
    [row('CLAIMED', { leaseUntil: past, crashes: 2 }), { kind: 'crash-loop', crashes: 3 }],
    [row('SENDING', { leaseUntil: soon }), { kind: 'wait', delayMs: 5000 }],
    [row('SENDING', { leaseUntil: past }), { kind: 'mark-unknown' }],
    [row('SENDING'), { kind: 'mark-unknown' }],
    [row('READY', { notBefore: soon }), { kind: 'wait', delayMs: 5000 }],
    [row('READY', { notBefore: past, crashes: 1 }), { kind: 'claim', crashes: 1 }],
    [row('UNKNOWN'), { kind: 'park-unknown' }],
    [row('APPLIED'), { kind: 'ended' }],
    [row('SKIPPED'), { kind: 'ended' }],
    [row('IGNORED'), { kind: 'ended' }],
    [row('PARKED'), { kind: 'ended' }],
  ])('%j → %j', (item, step) => {
    expect(nextUploadStep(item, { now, receiveCount: 1 })).toMatchObject(step);
  });

  it('begins what is new without a mark', () => {
    expect(nextUploadStep(undefined, { now, receiveCount: 1 })).toEqual({ kind: 'begin' });
  });

  it.each([2, 1000])(
    'claims at delivery %i what has no row, and counts one attempt that left no mark',
    (receiveCount) => {
      expect(nextUploadStep(undefined, { now, receiveCount })).toEqual({ kind: 'claim', crashes: 1 });
    },
  );

  it('claims no row but what was proven unsent: CLAIMED or READY', () => {
    const claimable = states.filter(
      (state) =>
        nextUploadStep(row(state, { leaseUntil: past, notBefore: past }), { now, receiveCount: 2 }).kind === 'claim',
    );

    expect(claimable).toEqual(['CLAIMED', 'READY']);
  });
});

describe('the moves of an upload', () => {
  it('reach SENDING from CLAIMED alone', () => {
    const into = Object.entries(uploadMoves).flatMap(([from, moves]) =>
      (moves as readonly UploadState[]).includes('SENDING') ? [from] : [],
    );

    expect(into).toEqual(['CLAIMED']);
  });

  it('never lead from SENDING or UNKNOWN back to CLAIMED', () => {
    expect([mayMove('SENDING', 'CLAIMED'), mayMove('UNKNOWN', 'CLAIMED'), mayMove('UNKNOWN', 'READY')]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it.each(['APPLIED', 'SKIPPED', 'IGNORED'] as const)('end at %s', (state) => {
    expect(uploadMoves[state]).toEqual([]);
  });
});

describe('contentClaim', () => {
  const parked = (reason: 'POST_OUTCOME_UNKNOWN' | 'APPLIED_ID_UNKNOWN' | 'DUPLICATE_SUSPECTED' | 'VALIDATION') =>
    row('PARKED', { outcome: { kind: 'parked', reason, at: past } });

  const dismissed = { decision: 'dismiss', by: 'ann', reason: 'it is not there', at: past } as const;

  it.each(['POST_OUTCOME_UNKNOWN', 'APPLIED_ID_UNKNOWN', 'DUPLICATE_SUSPECTED', 'VALIDATION'] as const)(
    'is given up by the person who dismisses a %s',
    (reason) => {
      expect(contentClaim({ ...parked(reason), resolutions: [dismissed] }, 'dataset#1')).toBe('free');
    },
  );

  it('is not given up by an older decision', () => {
    const repeated = { ...dismissed, decision: 'repeat' } as const;

    expect(contentClaim({ ...parked('POST_OUTCOME_UNKNOWN'), resolutions: [repeated] }, 'dataset#1')).toBe('binds');
  });

  it.each([
    [undefined, 'under-way'],
    [row('CLAIMED'), 'under-way'],
    [row('SENDING'), 'under-way'],
    [row('READY'), 'under-way'],
    [row('APPLIED'), 'binds'],
    [row('UNKNOWN'), 'binds'],
    [parked('POST_OUTCOME_UNKNOWN'), 'binds'],
    [parked('APPLIED_ID_UNKNOWN'), 'binds'],
    [parked('DUPLICATE_SUSPECTED'), 'binds'],
    [parked('VALIDATION'), 'free'],
    [row('SKIPPED'), 'free'],
    [row('IGNORED'), 'free'],
  ])('%j → %s', (item, claim) => {
    expect(contentClaim(item, 'dataset#1')).toBe(claim);
  });

  it('is only of the request that was sent, unless a person had another one sent after it', () => {
    const repeated = { ...dismissed, decision: 'repeat' } as const;
    const sent = row('APPLIED', { datasetKey: 'dataset#2' });

    expect(contentClaim(sent, 'dataset#2')).toBe('binds');
    expect(contentClaim(sent, 'dataset#1')).toBe('free');
    expect(contentClaim({ ...sent, resolutions: [repeated] }, 'dataset#1')).toBe('binds');
  });
});

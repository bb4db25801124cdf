import { describe, expect, it } from 'vitest';
import { contentClaim } from '#functions/register-datasets/upload-states.ts';
import type { UploadRow, UploadState } from '#shared/ledger/rows/upload-row.ts';
import { uploadRow } from '../../../builders/run-rows.ts';

const past = '2026-11-20T09:59:59.999Z';
const row = (state: UploadState, changes: Partial<UploadRow> = {}) => uploadRow({ state, ...changes });

describe('contentClaim', () => {
  const parked = (reason: 'POST_OUTCOME_UNKNOWN' | 'APPLIED_ID_UNKNOWN' | 'DUPLICATE_SUSPECTED' | 'VALIDATION') =>
    row('PARKED', { outcome: { kind: 'parked', reason, at: past } });

  const dismissed = { decision: 'dismiss', by: 'ann', reason: 'it is not there', at: past } as const;

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
    [{ ...parked('POST_OUTCOME_UNKNOWN'), resolutions: [dismissed] }, 'free'],
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

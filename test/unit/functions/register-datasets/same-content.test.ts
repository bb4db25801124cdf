import { describe, expect, it } from 'vitest';
import { contentClaim } from '#functions/register-datasets/upload-states.ts';
import type { UploadRow, UploadState } from '#shared/ledger/rows/upload-row.ts';
import { createUploadBench, piiRule, type UploadBench } from './upload-bench.ts';
import { uploadRow } from '../../../builders/run-rows.ts';

const upload = { key: 'datasets/pii/First names+.csv', versionId: 'v1' };

/** The outcome and the row of one delivery, to be asserted together. */
async function ending(bench: UploadBench, object: Parameters<UploadBench['row']>[0], body: string) {
  const result = await bench.deliver(body);
  return { result, row: await bench.row(object) };
}

describe('register-datasets, the same content again', () => {
  const again = { key: upload.key, versionId: 'v2' };

  it('skips the same request with the same bytes and names dataset and object', async () => {
    const bench = createUploadBench();
    await bench.deliver(bench.put(upload));

    const { result, row } = await ending(bench, again, bench.put(again));

    expect(result).toMatchObject({ outcomes: [{ kind: 'skipped', reason: 'DUPLICATE_CONTENT' }] });
    expect(row).toMatchObject({ state: 'SKIPPED', datasetId: 'dataset-1' });
    expect(row?.outcome?.detail).toContain('dataset-1');
    expect(row?.outcome?.detail).toContain(upload.key);
    expect([bench.posts.length, bench.commands.length, bench.events.length]).toEqual([1, 1, 1]);
  });

  it('goes by the etag if the bytes are not read', async () => {
    const bench = createUploadBench({ rules: [{ ...piiRule, check: 'none' }] });
    await bench.deliver(bench.put(upload));

    await bench.deliver(bench.put(again));
    await bench.deliver(bench.put({ ...again, versionId: 'v3', body: 'longer than the others '.repeat(9) }));

    expect(bench.posts).toHaveLength(2);
    expect(bench.reads.some((read) => read.startsWith('GET'))).toBe(false);
  });

  it('I1: takes the place of an upload that reserved this request and then went out as another one', async () => {
    const everywhere = { ...piiRule, prefix: 'datasets/' };
    const ofTeamA = { ...piiRule, prefix: 'datasets/team-a/', scannerId: 'scanner-2' };
    const teamA = { key: 'datasets/team-a/prompts.csv', versionId: 'v1' };
    const teamB = { key: 'datasets/team-b/prompts.csv', versionId: 'v1' };
    const bench = createUploadBench({ rules: [everywhere] });
    const message = bench.put(teamA);
    bench.faults.pace = async () => Promise.reject(new Error('the token store does not answer'));
    await bench.deliver(message);
    bench.faults.pace = async () => {};
    bench.deps.config = { ...bench.deps.config, datasetRules: [everywhere, ofTeamA] };
    bench.pass(3_600_000);
    await bench.deliver(message, { receiveCount: 2 });

    const { result } = await ending(bench, teamB, bench.put(teamB));

    expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(bench.posts).toMatchObject([{ scannerId: 'scanner-2' }, { scannerId: 'scanner-1' }]);
  });
});

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

import { describe, expect, it } from 'vitest';
import type { MessageRow, ParkedWork } from '#shared/ledger/rows/message-row.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { repeatMessage, resolveApplied, resolveDismiss, resolveRepeat } from '#operator/parked/resolve-parked.ts';
import { commandRow, runCommand, uploadRow } from '../../../builders/run-rows.ts';

const at = '2026-11-20T10:00:00.000Z';
const decision = { by: 'ann', reason: 'looked it up', at: new Date('2026-11-20T12:00:00.000Z') };
const work: ParkedWork = { message: '{}', queue: 'uploads', attempts: 1, firstSeen: at, lastSeen: at };
const parked = {
  outcome: { kind: 'parked', reason: 'POST_OUTCOME_UNKNOWN', detail: 'no answer', at },
  parked: work,
  openState: 'PARKED',
  openSince: at,
  version: 4,
  writer: 'w4',
} as const;

const upload: Stored<UploadRow> = { ...uploadRow({ state: 'PARKED', crashes: 2 }), ...parked };
const command: Stored<CommandRow> = { ...commandRow(runCommand({ id: 'c1' })), ...parked };
const message: Stored<MessageRow> = { pk: 'message#uploads#m1', kind: 'message', ...parked };

function rowOf<Row>(resolved: { ok: true; row: Row } | { ok: false; problem: string }): Row {
  if (!resolved.ok) throw new Error(resolved.problem);
  return resolved.row;
}

describe('resolveApplied', () => {
  it('records the dataset that a person found', () => {
    const row = rowOf(resolveApplied(upload, { ...decision, datasetId: ' d-1 ' }));

    expect(row).toMatchObject({ state: 'APPLIED', datasetId: 'd-1', outcome: { kind: 'applied' } });
    expect(row.resolutions).toEqual([
      { decision: 'applied', by: 'ann', reason: 'looked it up', at: '2026-11-20T12:00:00.000Z', datasetId: 'd-1' },
    ]);
    expect(row).not.toHaveProperty('openState');
  });

  it('refuses an upload that was never sent, and an id that is none', () => {
    const outcome = { kind: 'parked', reason: 'CHECK_FAILED', at } as const;

    expect(resolveApplied({ ...upload, outcome }, { ...decision, datasetId: 'd-1' })).toMatchObject({
      ok: false,
      problem: expect.stringContaining('was never sent'),
    });
    for (const datasetId of ['no id', ' '])
      expect(resolveApplied(upload, { ...decision, datasetId })).toMatchObject({ ok: false });
  });

  it.each([command, message])('is for uploads only, not for a $kind', (row) => {
    expect(resolveApplied(row, { ...decision, datasetId: 'd-1' })).toMatchObject({
      ok: false,
      problem: expect.stringContaining('is no upload'),
    });
  });
});

describe('resolveRepeat', () => {
  it('opens an upload for one more attempt at once', () => {
    const row = rowOf(resolveRepeat(upload, decision));

    expect(row).toMatchObject({ state: 'READY', crashes: 0, openState: 'IN_FLIGHT' });
    expect(row).not.toHaveProperty('outcome');
    expect(row).not.toHaveProperty('notBefore');
    expect(row.resolutions).toMatchObject([{ decision: 'repeat', by: 'ann' }]);
  });

  it('takes the outcome off a message', () => {
    const after = rowOf<object>(resolveRepeat<MessageRow>(message, decision));

    expect(after).not.toHaveProperty('outcome');
    expect(after).not.toHaveProperty('version');
  });

  it('leaves a command as it ended, and sends a new command with the same options, issued now', () => {
    const options = { stopAfter: 'PT1H', override: { guards: ['gap' as const], reason: 'proof' } };
    const start = { ...command, command: { ...command.command, ...options } };

    const row = rowOf(resolveRepeat(start, decision));

    expect(row).toMatchObject({ openState: 'ENDED', outcome: { kind: 'parked' }, resolutions: [{ as: 'c1~2' }] });
    expect(JSON.parse(repeatMessage(row) ?? '')).toEqual({
      ...start.command,
      id: 'c1~2',
      issuedAt: '2026-11-20T12:00:00.000Z',
    });
  });

  it('repeats the stop of one start as a stop of its run, whatever started it', () => {
    const campaignRunId = '019ba000-0000-7000-8000-000000000301';
    const sent = { ...command.command, action: 'stop' as const, startId: 's1', campaignRunId };

    const row = rowOf(resolveRepeat({ ...command, campaignRunId, command: sent }, decision));

    const repeat: unknown = JSON.parse(repeatMessage(row) ?? '');
    expect(repeat).toMatchObject({ id: 'c1~2', action: 'stop', campaignRunId });
    expect(repeat).not.toHaveProperty('startId');
    expect(repeat).not.toHaveProperty('run');
  });

  it('may be said again until a worker has begun: the message may not have been sent', () => {
    const once = { ...rowOf(resolveRepeat(upload, decision)), version: 5, writer: 'w5' };

    expect(resolveRepeat(once, decision)).toMatchObject({ ok: true, row: { state: 'READY' } });
    expect(resolveRepeat({ ...once, state: 'SENDING' }, decision)).toMatchObject({ ok: false });
  });

  it('refuses a row that keeps no message', () => {
    const { parked: _parked, ...bare } = upload;

    expect(resolveRepeat(bare, decision)).toMatchObject({ ok: false });
  });
});

describe('resolveDismiss', () => {
  it.each([upload, command, message])('keeps the outcome of a $kind and asks no second time', (row) => {
    const after = rowOf<object>(resolveDismiss<UploadRow | CommandRow | MessageRow>(row, decision));

    expect(after).toMatchObject({ outcome: { kind: 'parked' }, resolutions: [{ decision: 'dismiss' }] });
    // A command is in its history from here on, if it was parked.
    const ended = row.kind === 'command' ? ['ENDED', row.openSince] : [undefined, undefined];
    expect([Reflect.get(after, 'openState'), Reflect.get(after, 'openSince')]).toEqual(ended);
  });
});

describe('a parked row without a decision', () => {
  it.each([
    ['applied', resolveApplied(upload, { ...decision, datasetId: 'd-1' }), 400],
    ['repeat', resolveRepeat<UploadRow | MessageRow>(upload, decision), 400],
    ['repeat', resolveRepeat<UploadRow | MessageRow>(message, decision), 90],
    ['dismiss', resolveDismiss<UploadRow | MessageRow>(message, decision), 90],
  ])('may expire only after a decision: %s', (_verb, resolved, days) => {
    const row = rowOf<{ readonly expiresAt?: number }>(resolved);

    expect(row.expiresAt).toBe(decision.at.getTime() / 1000 + days * 86_400);
  });
});

describe('a row that is not parked any more', () => {
  it('says who decided what and when', () => {
    const gone = { ...rowOf(resolveDismiss(upload, decision)), version: 5, writer: 'w5' };

    expect(resolveRepeat(gone, decision)).toMatchObject({
      ok: false,
      problem: 'it is not parked any more: ann decided "dismiss" at 2026-11-20T12:00:00.000Z (looked it up)',
    });
  });

  it('keeps every decision that was taken', () => {
    const resolutions = [{ decision: 'repeat', by: 'bob', reason: 'first', at }] as const;

    expect(rowOf(resolveDismiss({ ...upload, resolutions }, decision)).resolutions).toHaveLength(2);
  });
});

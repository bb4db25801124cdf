import { describe, expect, it } from 'vitest';
import type { MessageRow, ParkedWork } from '#shared/ledger/rows/message-row.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { resolveApplied, resolveDismiss, resolveRepeat } from '#operator/parked/resolve-parked.ts';
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
  it('refuses an upload that was never sent, and an id that is none', () => {
    const outcome = { kind: 'parked', reason: 'CHECK_FAILED', at } as const;

    expect(resolveApplied({ ...upload, outcome }, { ...decision, datasetId: 'd-1' })).toMatchObject({
      ok: false,
      problem: expect.stringContaining('was never sent'),
    });
    for (const datasetId of ['no id', ' '])
      expect(resolveApplied(upload, { ...decision, datasetId })).toMatchObject({ ok: false });
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

  it('may be said again until a worker has begun: the message may not have been sent', () => {
    const once = { ...rowOf(resolveRepeat(upload, decision)), version: 5, writer: 'w5' };

    expect(resolveRepeat(once, decision)).toMatchObject({ ok: true, row: { state: 'READY' } });
    expect(resolveRepeat({ ...once, state: 'SENDING' }, decision)).toMatchObject({ ok: false });
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

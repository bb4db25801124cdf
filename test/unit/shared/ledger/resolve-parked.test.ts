import { describe, expect, it } from 'vitest';
import type { MessageRow, ParkedWork } from '#shared/ledger/rows/message-row.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { instantOfWork, resolveApplied, resolveDismiss, resolveRepeat } from '#shared/ledger/resolve-parked.ts';

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

const upload: Stored<UploadRow> = {
  pk: 'upload#1#aa',
  kind: 'upload',
  state: 'PARKED',
  bucket: 'uploads',
  key: 'datasets/a.csv',
  eventTime: at,
  attempts: 1,
  crashes: 2,
  ...parked,
};
const command: Stored<CommandRow> = {
  pk: 'command#c1',
  kind: 'command',
  id: 'c1',
  command: { version: 1, id: 'c1', action: 'start', run: 'r', issuedAt: at, origin: { kind: 'operator', name: 'ann' } },
  ...parked,
};
const message: Stored<MessageRow> = { pk: 'message#uploads#m1', kind: 'message', ...parked };

function rowOf<Row>(resolved: { ok: true; row: Row } | { ok: false; problem: string }): Row {
  if (!resolved.ok) throw new Error(resolved.problem);
  return resolved.row;
}

describe('resolveApplied', () => {
  it('wants an id', () => {
    expect(resolveApplied(upload, { ...decision, datasetId: ' ' })).toMatchObject({ ok: false });
  });
});

describe('resolveRepeat', () => {
  it('takes the outcome off a message', () => {
    const after = rowOf<object>(resolveRepeat<MessageRow>(message, decision));

    expect(after).not.toHaveProperty('outcome');
    expect(after).not.toHaveProperty('version');
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
  it('keeps every decision that was taken', () => {
    const resolutions = [{ decision: 'repeat', by: 'bob', reason: 'first', at }] as const;

    expect(rowOf(resolveDismiss({ ...upload, resolutions }, decision)).resolutions).toHaveLength(2);
  });
});

const since = '2026-11-20T09:00:00.000Z';
const now = new Date('2026-11-20T15:00:00.000Z');
const decided = (decidedAt: string) => ({ decision: 'repeat', by: 'ann', reason: 'mended', at: decidedAt }) as const;

it.each([
  ['work that needed no decision keeps its own instant', [], since],
  ['the last decision counts', [decided('2026-11-20T11:00:00.000Z'), decided('2026-11-20T14:00:00.000Z')], '14:00'],
  ['a clock that is ahead makes no command from the future', [decided('2026-11-20T18:00:00.000Z')], '15:00'],
  ['a clock that is behind makes no command older than its work', [decided('2026-11-20T08:00:00.000Z')], since],
])('%s', (_name, resolutions, wanted) => {
  expect(instantOfWork({ since, resolutions }, now)).toContain(wanted);
});

import { describe, expect, it } from 'vitest';
import type { MessageItem, ParkedWork, PlanItem, UploadItem } from '#shared/ledger/items.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { resolveApplied, resolveDismiss, resolveRepeat } from '#shared/ledger/resolve-parked.ts';

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

const upload: Stored<UploadItem> = {
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
const plan: Stored<PlanItem> = { pk: 'plan#1#aa', kind: 'plan', bucket: 'uploads', key: 'run-plans/a.json', ...parked };
const message: Stored<MessageItem> = { pk: 'message#uploads#m1', kind: 'message', ...parked };

function itemOf<Item>(resolved: { ok: true; item: Item } | { ok: false; problem: string }): Item {
  if (!resolved.ok) throw new Error(resolved.problem);
  return resolved.item;
}

describe('resolveApplied', () => {
  it('records the dataset that a person found', () => {
    const item = itemOf(resolveApplied(upload, { ...decision, datasetId: ' d-1 ' }));

    expect(item).toMatchObject({ state: 'APPLIED', datasetId: 'd-1', outcome: { kind: 'applied' } });
    expect(item.resolutions).toEqual([
      { decision: 'applied', by: 'ann', reason: 'looked it up', at: '2026-11-20T12:00:00.000Z', datasetId: 'd-1' },
    ]);
    expect(item).not.toHaveProperty('openState');
  });

  it('refuses an upload that was never sent, and an id that is none', () => {
    const outcome = { kind: 'parked', reason: 'CHECK_FAILED', at } as const;

    expect(resolveApplied({ ...upload, outcome }, { ...decision, datasetId: 'd-1' })).toMatchObject({
      ok: false,
      problem: expect.stringContaining('was never sent'),
    });
    expect(resolveApplied(upload, { ...decision, datasetId: 'no id' })).toMatchObject({ ok: false });
  });

  it.each([command, plan, message])('is for uploads only, not for a $kind', (row) => {
    expect(resolveApplied(row, { ...decision, datasetId: 'd-1' })).toMatchObject({
      ok: false,
      problem: expect.stringContaining('is no upload'),
    });
  });

  it('wants an id', () => {
    expect(resolveApplied(upload, { ...decision, datasetId: ' ' })).toMatchObject({ ok: false });
  });
});

describe('resolveRepeat', () => {
  it('opens an upload for one more attempt at once', () => {
    const item = itemOf(resolveRepeat(upload, decision));

    expect(item).toMatchObject({
      state: 'READY',
      crashes: 0,
      openState: 'IN_FLIGHT',
    });
    expect(item).not.toHaveProperty('outcome');
    expect(item).not.toHaveProperty('notBefore');
    expect(item.resolutions).toMatchObject([{ decision: 'repeat', by: 'ann' }]);
  });

  it.each([command, plan, message])('takes the outcome off a $kind', (row) => {
    const item = itemOf<object>(resolveRepeat<CommandRow | PlanItem | MessageItem>(row, decision));

    expect(item).not.toHaveProperty('outcome');
    expect(item).not.toHaveProperty('version');
  });

  it('lists a command as pending until a worker takes it, and keeps the interval in which it may have run', () => {
    const mayHaveRun = { from: at, until: '2026-11-20T18:00:00.000Z' };

    const item = itemOf(resolveRepeat({ ...command, mayHaveRun }, decision));

    expect(item).toMatchObject({ openState: 'PENDING', openSince: '2026-11-20T12:00:00.000Z', mayHaveRun });
  });

  it('has a stop by name decided again for the runs that it did not stop, and for no others', () => {
    const refused = { kind: 'parked', reason: 'FORBIDDEN' } as const;
    const runVerdicts = { 'run-1': { kind: 'applied' }, 'run-2': refused } as const;

    const item = itemOf(resolveRepeat({ ...command, runVerdicts }, decision));

    expect(item.runVerdicts).toEqual({ 'run-1': { kind: 'applied' } });
  });

  it('may be said again until a worker has begun: the message may not have been sent', () => {
    const once = { ...itemOf(resolveRepeat(upload, decision)), version: 5, writer: 'w5' };

    expect(resolveRepeat(once, decision)).toMatchObject({ ok: true, item: { state: 'READY' } });
    expect(resolveRepeat({ ...once, state: 'SENDING' }, decision)).toMatchObject({ ok: false });
  });

  it('refuses a message that was cut', () => {
    const cut = { ...upload, parked: { ...work, isMessageCut: true } };

    expect(resolveRepeat(cut, decision)).toMatchObject({
      ok: false,
      problem: expect.stringContaining('cannot be sent again'),
    });
  });

  it('refuses a row that keeps no message', () => {
    const { parked: _parked, ...bare } = upload;

    expect(resolveRepeat(bare, decision)).toMatchObject({ ok: false });
  });
});

describe('resolveDismiss', () => {
  it.each([upload, command, plan, message])('keeps the outcome of a $kind and asks nobody again', (row) => {
    const item = itemOf<object>(resolveDismiss<UploadItem | CommandRow | PlanItem | MessageItem>(row, decision));

    expect(item).toMatchObject({ outcome: { kind: 'parked' }, resolutions: [{ decision: 'dismiss' }] });
    // A command is in its history from here on, where it was parked.
    const ended = row.kind === 'command' ? ['ENDED', row.openSince] : [undefined, undefined];
    expect([Reflect.get(item, 'openState'), Reflect.get(item, 'openSince')]).toEqual(ended);
  });
});

describe('a parked row that nobody has decided about', () => {
  it.each([
    ['applied', resolveApplied(upload, { ...decision, datasetId: 'd-1' }), 400],
    ['repeat', resolveRepeat<UploadItem | MessageItem>(upload, decision), 400],
    ['repeat', resolveRepeat<UploadItem | MessageItem>(message, decision), 90],
    ['dismiss', resolveDismiss<UploadItem | MessageItem>(message, decision), 90],
  ])('may expire only after somebody has: %s', (_verb, resolved, days) => {
    const item = itemOf<{ readonly expiresAt?: number }>(resolved);

    expect(item.expiresAt).toBe(decision.at.getTime() / 1000 + days * 86_400);
  });
});

describe('a row that is not parked any more', () => {
  it('says who decided what and when', () => {
    const gone = { ...itemOf(resolveDismiss(upload, decision)), version: 5, writer: 'w5' };

    expect(resolveRepeat(gone, decision)).toMatchObject({
      ok: false,
      problem: 'it is not parked any more: ann decided "dismiss" at 2026-11-20T12:00:00.000Z (looked it up)',
    });
  });

  it('keeps every decision that was taken', () => {
    const resolutions = [{ decision: 'repeat', by: 'bob', reason: 'first', at }] as const;

    expect(itemOf(resolveDismiss({ ...upload, resolutions }, decision)).resolutions).toHaveLength(2);
  });
});

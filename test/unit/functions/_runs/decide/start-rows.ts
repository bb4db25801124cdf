/** Rows 1 to 11 of the table in docs/reference/ledger.md: what is given, and what is decided. */
import type { CommandEvent } from '#functions/_runs/decide/state.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { newRunRow, type RunRow, withUsed } from '#shared/ledger/rows/run-row.ts';
import { campaignId, smokeId, smokeIds } from '../../update-campaign-runs/harness/update-bench.ts';
import { anEntry, campaignReads, type Given } from './moments.ts';

export const waitsFor = (...words: readonly [string, string]) => [...words, 'wait'];
export const other = anEntry({ startId: 'other', campaignRunId: smokeIds[2], state: 'running', unanswered: 0 });
const frozen = {
  pk: 'switch#stage',
  kind: 'switch',
  scope: 'stage',
  name: 'stage',
  isOn: true,
  by: 'ann',
  reason: 'x',
  at: '2026-11-20T21:00:00Z',
} as const;
export const named = {
  campaignRunId: smokeId,
  target: 'chat-bot',
  facts: { due: '2026-11-20T22:00:00.000Z', endsAt: '2026-11-20T22:30:00.000Z', plansStop: true, campaign: 'chat-bot' },
};
export const idRow = {
  pk: ledgerKeys.runId(smokeId),
  kind: 'run-id',
  campaignRunId: smokeId,
  run: 'smoke',
  startId: 'start',
} as const;
const usedUp: Partial<RunRow> = smokeIds.reduce(withUsed, newRunRow('smoke'));
const readable = { campaignId, confirm: { within: 'PT30M' } };
export const stop = { id: 'stop', action: 'stop', issuedAt: '2026-11-20T22:05:00Z' } as const;
export const running = anEntry({ state: 'running', unanswered: 0 });
/** One case of the table. */
export type Row = readonly [row: number, what: string, given: Given, expected: readonly string[], event?: CommandEvent];

/** What a start is decided to. */
export const startRows: readonly Row[] = [
  [
    1,
    'its entry is gone, and its row has the refusal of a guard',
    { own: { ...named, refusedBy: { reason: 'FROZEN', detail: 'x' } } },
    ['–', '–', 'skipped FROZEN'],
  ],
  [1, 'its entry is gone, and nothing says why', { own: named, others: [idRow] }, ['–', '–', 'skipped UNCONFIRMED']],
  [2, 'the stage is frozen', { switches: [frozen] }, ['–', '–', 'skipped FROZEN']],
  [
    2,
    'it is too late, and a later stop is recorded',
    { minute: 61, run: { latest: { id: 'stop', issuedAt: '2026-11-20T22:00:30Z' } } },
    ['–', '–', 'skipped MISSED_WINDOW'],
  ],
  [3, 'skip: a run is running', { entries: [other] }, ['–', '–', 'skipped OVERLAP']],
  [4, 'skip: a run is being ended', { entries: [{ ...other, state: 'stopping' }] }, waitsFor('–', '–')],
  [
    4,
    'stop-previous: a run is running',
    { config: { overlap: 'stop-previous' }, entries: [{ ...other, issuedAt: '2026-11-20T21:00:00Z' }] },
    waitsFor('stopping 0', 'end of other'),
  ],
  [
    4,
    'stop-previous: a run is being ended already',
    {
      config: { overlap: 'stop-previous' },
      entries: [{ ...other, issuedAt: '2026-11-20T21:00:00Z', state: 'stopping' }],
    },
    waitsFor('–', '–'),
  ],
  [5, 'no id is free', { run: usedUp }, ['–', '–', 'parked NO_RUN_LEFT']],
  [6, 'nothing is against it', {}, ['starting 1', 'PATCH start', 'next']],
  [
    7,
    'its campaign can be read',
    { own: named, entries: [anEntry({ campaignId })], config: readable },
    ['–', 'GET campaign', 'next'],
  ],
  [
    8,
    'a freeze came',
    { own: named, entries: [anEntry()], switches: [frozen] },
    waitsFor('stopping 1', 'end of start'),
  ],
  [
    8,
    'its run would be over before it begins',
    { own: named, entries: [anEntry()], minute: 29 },
    waitsFor('stopping 1', 'end of start'),
  ],
  [
    8,
    'a later start of its name was deferred',
    { own: named, entries: [anEntry()], run: { latest: { id: 'z', issuedAt: '2026-11-20T22:00:30Z' } } },
    waitsFor('stopping 1', 'end of start'),
  ],
  [9, 'a repeat is safe', { own: named, entries: [anEntry()] }, ['starting 2', 'PATCH start', 'next']],
  [
    9,
    'a repeat is not safe',
    { own: named, entries: [anEntry()], config: { kind: { starts: 'word' } } },
    waitsFor('–', '–'),
  ],
  [
    9,
    'its campaign does not show it',
    { own: named, entries: [anEntry({ campaignId })], config: readable },
    ['starting 2', 'PATCH start', 'next'],
    campaignReads({}),
  ],
  [10, 'its run is being ended', { own: named, entries: [anEntry({ state: 'stopping' })] }, waitsFor('–', '–')],
  [11, 'its run may still begin', { own: named, entries: [anEntry({ state: 'running' })] }, waitsFor('–', '–')],
  [
    11,
    'it cannot be read',
    { minute: 3, own: named, entries: [anEntry({ state: 'running' })] },
    ['–', '–', 'skipped UNCONFIRMED'],
  ],
  [
    11,
    'its end was refused',
    {
      minute: 3,
      own: { ...named, refusedBy: { reason: 'FROZEN', detail: 'x' } },
      entries: [anEntry({ state: 'running' })],
    },
    ['–', '–', 'skipped FROZEN'],
  ],
  [
    11,
    'its campaign may still show it',
    { own: named, entries: [anEntry({ state: 'running', campaignId })], config: readable },
    waitsFor('–', '–'),
    campaignReads({}),
  ],
  [
    11,
    'its campaign did not show it in time',
    { minute: 31, own: named, entries: [anEntry({ state: 'running', campaignId })], config: readable },
    ['–', '–', 'skipped UNCONFIRMED'],
    campaignReads({}),
  ],
];

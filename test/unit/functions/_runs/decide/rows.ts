/** Cases of each row of the table in docs/reference/ledger.md: what is given, and what is decided. */
import type { CommandEvent } from '#functions/_runs/decide/state.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { newRunRow, withUsed } from '#shared/ledger/rows/run-row.ts';
import type { InFlight } from '#shared/ledger/rows/target-row.ts';
import { campaignId, smokeId, smokeIds } from '../../update-campaign-runs/harness/update-bench.ts';
import { anEntry, answered, campaignReads, type Given, refusal } from './moments.ts';

/** Another run of the campaign. */
const other = anEntry({ startId: 'other', campaignRunId: smokeIds[2], state: 'running', unanswered: 0 });
const earlier = { ...other, issuedAt: '2026-11-20T21:00:00Z' };
const later = { ...other, issuedAt: '2026-11-20T22:00:30Z' };
const stopPrevious = { overlap: 'stop-previous' } as const;
const gapped = { ...stopPrevious, campaignId, minimumGap: 'PT1H' };
const usedUp = smokeIds.reduce(withUsed, newRunRow('smoke'));

const stage = { pk: 'switch#stage', kind: 'switch', scope: 'stage', name: 'stage', isOn: true } as const;
const frozen: Given = { switches: [{ ...stage, by: 'ann', reason: 'x', at: '2026-11-20T21:00:00Z' }] };

/** The row of a start that has its id. */
export const named = {
  campaignRunId: smokeId,
  target: 'chat-bot',
  facts: { due: '2026-11-20T22:00:00.000Z', endsAt: '2026-11-20T22:30:00.000Z', plansStop: true, campaign: 'chat-bot' },
};
const refusedBy = { ...named, refusedBy: { reason: 'FROZEN', detail: 'x' } } as const;
export const idRow = {
  pk: ledgerKeys.runId(smokeId),
  kind: 'run-id',
  campaignRunId: smokeId,
  run: 'smoke',
  startId: 'start',
} as const;

/** A start that has an entry: in doubt, unless the fields say otherwise. */
export const begun = (fields: Partial<InFlight> = {}, more: Given = {}): Given => ({
  own: named,
  entries: [anEntry(fields)],
  ...more,
});
/** The same of a campaign that can be read. */
const readable = (fields: Partial<InFlight> = {}, more: Given = {}) =>
  begun({ campaignId, ...fields }, { config: { campaignId, confirm: { within: 'PT30M' } }, ...more });
const isRunning = { state: 'running' } as const;
const laterOrder: Given = { run: { latest: { id: 'stop', issuedAt: '2026-11-20T22:00:30Z' } } };

export const stop = { id: 'stop', action: 'stop', issuedAt: '2026-11-20T22:05:00Z' } as const;
const byUuid = { ...stop, run: undefined, campaignRunId: smokeId };
export const running = anEntry({ state: 'running', unanswered: 0 });
const stopping = { ...running, state: 'stopping' } as const;
const ordered = { [smokeId]: { how: 'ordered', at: stop.issuedAt } } as const;
const both: Given = {
  own: { stops: { ...ordered, [other.campaignRunId]: ordered[smokeId] } },
  entries: [stopping, { ...other, state: 'stopping' }],
};

/** One case: the entry of the run, what is sent, and how it ends. */
type Row = readonly [row: number, what: string, given: Given, expected: string, event?: CommandEvent];

/** All cases. */
export const rows: readonly Row[] = [
  [1, 'its entry is gone, and its row has the refusal of a guard', { own: refusedBy }, '–, –, skipped FROZEN'],
  [1, 'its entry is gone, and nothing says why', { own: named, others: [idRow] }, '–, –, skipped UNCONFIRMED'],
  [2, 'the stage is frozen', frozen, '–, –, skipped FROZEN'],
  [2, 'it is too late, and a later stop is recorded', { minute: 61, ...laterOrder }, '–, –, skipped MISSED_WINDOW'],
  [3, 'skip: a run is running', { entries: [other] }, '–, –, skipped OVERLAP'],
  [3, 'stop-previous: its start is later', { config: stopPrevious, entries: [later] }, '–, –, skipped OVERLAP'],
  [4, 'skip: a run is being ended', { entries: [{ ...other, state: 'stopping' }] }, '–, –, wait'],
  [4, 'skip: a start has no answer', { entries: [{ ...other, state: 'starting', unanswered: 1 }] }, '–, –, wait'],
  [
    4,
    'stop-previous: a run is running',
    { config: stopPrevious, entries: [earlier] },
    'stopping 0, end of other, wait',
  ],
  [
    4,
    'stop-previous: a run is being ended already',
    { config: stopPrevious, entries: [{ ...earlier, state: 'stopping' }] },
    '–, –, wait',
  ],
  [4, 'stop-previous: its gap is to be judged first', { config: gapped, entries: [earlier] }, '–, GET campaign, next'],
  [5, 'no id is free', { run: usedUp }, '–, –, parked NO_RUN_LEFT'],
  [
    5,
    'stop-previous: no id is free',
    { config: stopPrevious, entries: [earlier], run: usedUp },
    '–, –, parked NO_RUN_LEFT',
  ],
  [6, 'nothing is against it', {}, 'starting 1, PATCH start, next'],
  [7, 'its campaign can be read', readable(), '–, GET campaign, next'],
  [8, 'a freeze came', begun({}, frozen), 'stopping 1, end of start, wait'],
  [8, 'its run would be over before it begins', begun({}, { minute: 29 }), 'stopping 1, end of start, wait'],
  [8, 'a later start of its name was deferred', begun({}, laterOrder), 'stopping 1, end of start, wait'],
  [9, 'a repeat is safe', begun(), 'starting 2, PATCH start, next'],
  [9, 'a repeat is not safe', begun({}, { config: { kind: { starts: 'word' } } }), '–, –, wait'],
  [9, 'its campaign does not show it', readable(), 'starting 2, PATCH start, next', campaignReads({})],
  [10, 'its run is being ended', begun({ state: 'stopping' }), '–, –, wait'],
  [11, 'its run may still begin', begun(isRunning), '–, –, wait'],
  [11, 'it cannot be read', begun(isRunning, { minute: 3 }), '–, –, skipped UNCONFIRMED'],
  [11, 'its end was refused', begun(isRunning, { minute: 3, own: refusedBy }), '–, –, skipped FROZEN'],
  [11, 'its campaign may still show it', readable(isRunning), '–, –, wait', campaignReads({})],
  [
    11,
    'its campaign did not show it in time',
    readable(isRunning, { minute: 31 }),
    '–, –, skipped UNCONFIRMED',
    campaignReads({}),
  ],
  [12, 'a 2xx', begun(), 'running 0, –, applied', answered({ next: 'applied' })],
  [
    13,
    'alreadyInState.start of its only request',
    begun(),
    'removed, –, parked VALIDATION',
    answered(refusal({ isAlready: true })),
  ],
  [
    13,
    'refused for good, and another request is unanswered',
    begun({ unanswered: 2 }),
    'starting 1, –, wait',
    answered(refusal()),
  ],
  [14, 'no answer', begun(), '–, –, wait', answered(refusal({ applied: 'unknown', next: 'later' }))],
  [
    14,
    'a 2xx to a start whose run is being ended',
    begun({ state: 'stopping' }),
    'stopping 0, –, wait',
    answered({ next: 'applied' }),
  ],
  [15, 'a run of its name', { command: stop, entries: [running] }, 'stopping 0, PATCH stop, next'],
  [16, 'a uuid without an entry', { command: byUuid }, '–, PATCH stop, next'],
  [
    17,
    'a uuid with a later start',
    { command: { ...byUuid, issuedAt: '2026-11-20T21:00:00Z' }, entries: [running] },
    '–, –, superseded',
  ],
  [
    18,
    'a 2xx, and another run is left',
    { command: stop, ...both },
    'removed, PATCH stop, next',
    answered({ next: 'applied' }),
  ],
  [
    19,
    'refused for good',
    { command: stop, own: { stops: ordered }, entries: [stopping] },
    'running 0, –, parked VALIDATION',
    answered(refusal()),
  ],
];

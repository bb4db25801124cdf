/** Rows 12 to 19 of the table in docs/reference/ledger.md: answers and stops. */
import { smokeId } from '../../update-campaign-runs/harness/update-bench.ts';
import { anEntry, answered, refusal } from './moments.ts';
import { named, other, type Row, running, stop, waitsFor } from './start-rows.ts';

/** What an answer to a start, a stop and an answer to a stop are decided to. */
export const answerRows: readonly Row[] = [
  [12, 'a 2xx', { own: named, entries: [anEntry()] }, ['running 0', '–', 'applied'], answered({ next: 'applied' })],
  [
    13,
    'alreadyInState.start of its only request',
    { own: named, entries: [anEntry()] },
    ['removed', '–', 'parked VALIDATION'],
    answered(refusal({ isAlready: true })),
  ],
  [
    13,
    'refused for good, and another request is unanswered',
    { own: named, entries: [anEntry({ unanswered: 2 })] },
    waitsFor('starting 1', '–'),
    answered(refusal()),
  ],
  [
    14,
    'no answer',
    { own: named, entries: [anEntry()] },
    waitsFor('–', '–'),
    answered(refusal({ applied: 'unknown', next: 'later' })),
  ],
  [
    14,
    'a 2xx to a start whose run is being ended',
    { own: named, entries: [anEntry({ state: 'stopping' })] },
    waitsFor('stopping 0', '–'),
    answered({ next: 'applied' }),
  ],
  [15, 'a run of its name', { command: stop, entries: [running] }, ['stopping 0', 'PATCH stop', 'next']],
  [
    16,
    'a uuid without an entry',
    { command: { ...stop, run: undefined, campaignRunId: smokeId } },
    ['–', 'PATCH stop', 'next'],
  ],
  [
    17,
    'a uuid with a later start',
    {
      command: { ...stop, run: undefined, campaignRunId: smokeId, issuedAt: '2026-11-20T21:00:00Z' },
      entries: [running],
    },
    ['–', '–', 'superseded'],
  ],
  [
    18,
    'a 2xx, and another run is left',
    {
      command: stop,
      own: { stops: { [smokeId]: 'ordered', [other.campaignRunId]: 'ordered' } },
      entries: [
        { ...running, state: 'stopping' },
        { ...other, state: 'stopping' },
      ],
    },
    ['removed', 'PATCH stop', 'next'],
    answered({ next: 'applied' }),
  ],
  [
    19,
    'refused for good',
    { command: stop, own: { stops: { [smokeId]: 'ordered' } }, entries: [{ ...running, state: 'stopping' }] },
    ['running 0', '–', 'parked VALIDATION'],
    answered(refusal()),
  ],
];

/** Rows 12 to 19 of the table in docs/reference/ledger.md: answers and stops. */
import { smokeId } from '../../update-campaign-runs/harness/update-bench.ts';
import { anEntry, answered, refusal } from './moments.ts';
import { named, other, type Row, running, stop, waitsFor } from './start-rows.ts';

/** What an answer to a start, a stop and an answer to a stop are decided to. */
export const answerRows: readonly Row[] = [
  [12, 'a 2xx', { own: named, entries: [anEntry()] }, ['running 0', '–', 'applied'], answered({ next: 'applied' })],
  [
    12,
    'alreadyInState.start while another request is unanswered',
    { own: named, entries: [anEntry({ unanswered: 2 })] },
    ['running 1', '–', 'applied'],
    answered(refusal({ isAlready: true })),
  ],
  [
    13,
    'alreadyInState.start of its only request',
    { own: named, entries: [anEntry()] },
    ['removed', '–', 'parked VALIDATION'],
    answered(refusal({ isAlready: true })),
  ],
  [
    13,
    'proven not applied for now',
    { own: named, entries: [anEntry()] },
    waitsFor('removed', '–'),
    answered(refusal({ next: 'later', reason: undefined })),
  ],
  [
    13,
    'refused for good',
    { own: named, entries: [anEntry()] },
    ['removed', '–', 'parked VALIDATION'],
    answered(refusal()),
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
    'the run is not going, and another request is unanswered',
    { own: named, entries: [anEntry({ unanswered: 2 })] },
    waitsFor('running 1', '–'),
    answered(refusal({ isNotGoing: true })),
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
    15,
    'a run of its name, at a closed gate',
    { command: stop, entries: [running], gateWaitMs: 5000 },
    waitsFor('stopping 0', '–'),
  ],
  [
    15,
    'a start by a word that may still land',
    { command: stop, minute: 5, entries: [anEntry({ until: '2026-11-20T22:04:00Z' })] },
    waitsFor('stopping 1', '–'),
  ],
  [
    15,
    'the end of one start',
    {
      command: { ...stop, run: undefined, campaignRunId: smokeId, startId: 'start', issuedAt: '2026-11-20T21:00:00Z' },
      entries: [running],
    },
    ['stopping 0', 'PATCH stop', 'next'],
  ],
  [
    16,
    'a uuid without an entry',
    { command: { ...stop, run: undefined, campaignRunId: smokeId } },
    ['–', 'PATCH stop', 'next'],
  ],
  [17, 'nothing of its name is in flight', { command: stop }, ['–', '–', 'skipped NOTHING_TO_STOP']],
  [
    17,
    'a run of its name has a later start',
    { command: { ...stop, issuedAt: '2026-11-20T21:00:00Z' }, entries: [running] },
    ['running 0', '–', 'skipped NOTHING_TO_STOP'],
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
    17,
    'the planned stop of a start that is not in flight',
    { command: { ...stop, run: undefined, campaignRunId: smokeId, startId: 'start' } },
    ['–', '–', 'superseded'],
  ],
  [
    18,
    'a 2xx',
    { command: stop, own: { stops: { [smokeId]: 'ordered' } }, entries: [{ ...running, state: 'stopping' }] },
    ['removed', '–', 'applied'],
    answered({ next: 'applied' }),
  ],
  [
    18,
    'the run is not going',
    { command: stop, own: { stops: { [smokeId]: 'ordered' } }, entries: [{ ...running, state: 'stopping' }] },
    ['removed', '–', 'skipped ALREADY_ENDED'],
    answered(refusal({ isNotGoing: true })),
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
  [
    19,
    'refused for now',
    { command: stop, own: { stops: { [smokeId]: 'ordered' } }, entries: [{ ...running, state: 'stopping' }] },
    waitsFor('–', '–'),
    answered(refusal({ next: 'later' })),
  ],
];

/**
 * The judge of the chaos run, which is that of the model, must see every promise that is broken: a
 * tool that is always content proves nothing.
 */
import { expect, test } from 'vitest';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { RecordedOutcome } from '#shared/ledger/rows/row-base.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { type ChaosRun, chaosRuns } from '../../chaos/events/automation-document.ts';
import type { PlannedCommand } from '../../chaos/events/command-events.ts';
import type { Evidence, Transition } from '../../chaos/judge/evidence.ts';
import { judgeRun } from '../../chaos/judge/judge-run.ts';

const runs = chaosRuns(32);
const at = '2026-11-21T12:01:00.000Z';
const late = '2026-11-21T12:05:00.000Z';
const because = { reason: 'POST_OUTCOME_UNKNOWN', detail: 'the connection was reset' } as const;
const kept = {
  message: '{}',
  queue: 'uploads',
  attempts: 1,
  firstSeen: at,
  lastSeen: at,
  requestId: 'r',
  lookFor: 'names',
} as const;

/** The runs that commands are about: one lets starts overlap, the other does not. */
const allowing = runOf('allow');
const skipping = runOf('skip');

function runOf(overlap: ChaosRun['overlap']): ChaosRun {
  const found = runs.find((run) => run.overlap === overlap);
  if (found === undefined) throw new Error(`no run has ${overlap}`);
  return found;
}

/** Each broken promise, without the key of what broke it. */
const said = (changes: Partial<Evidence>) =>
  judgeRun(evidenceOf(changes)).broken.map(({ says }) =>
    says.replace(/^(?:I19: upload#1#a|.* \(version [^)]*\)): /, ''),
  );

const applied = outcome('applied');
const registered = { outcome: applied, datasetId: 'one' };
const same = { outcome: outcome('skipped', { reason: 'DUPLICATE_CONTENT' }) };
const parked = (more: Partial<RecordedOutcome> = {}, message: UploadRow['parked'] = kept) =>
  ({ state: 'PARKED', outcome: outcome('parked', { ...because, ...more }), parked: message }) as const;

test.each<[string, readonly (Partial<UploadRow> | undefined)[], readonly string[], readonly string[]]>([
  ['is one dataset, and says so in the ledger', [registered], ['one'], []],
  ['was registered twice', [registered], ['one', 'two'], ['I2: 2 datasets were made with 0 repeats ordered']],
  ['is parked with a reason, what came back and its message', [parked()], [], []],
  ['is parked without a reason', [parked({ reason: undefined })], [], ['"" is no reason of the vocabulary']],
  ['is parked without what came back', [parked({ detail: '' })], [], ['POST_OUTCOME_UNKNOWN without a detail']],
  [
    'is parked without its message',
    [parked({}, { ...kept, message: '' })],
    [],
    ['POST_OUTCOME_UNKNOWN without message'],
  ],
  ['has no row', [undefined], [], ['I1: no row in the ledger']],
  ['never ended', [{ state: 'SENDING' }], [], ['I1: it ended as SENDING, without an outcome']],
  ['is applied in the ledger alone', [registered], [], ['the ledger says dataset one, the gateway made none']],
  ['is skipped as a duplicate of nothing', [same], [], ['skipped as a duplicate of nothing']],
  ['is ignored though a rule takes it', [{ outcome: outcome('ignored') }], [], ['ignored though a rule takes it']],
  ['was sent twice as the very same file', [registered, same], ['one'], []],
])('an upload that %s', (_what, rows, ids, broken) => {
  const datasets = ids.map((id) => dataset('a', id));

  expect(said({ uploads: rows.map((row) => upload('a', row)), datasets })).toEqual(broken);
});

test('the ends of events are counted, and whether what is parked was applied', () => {
  const uploads = [upload('a', parked()), upload('b', registered), upload('c', undefined)];

  const { counts, parkedButApplied } = judgeRun(evidenceOf({ uploads, datasets: [dataset('a')] }));

  expect([Object.fromEntries(counts), parkedButApplied]).toEqual([{ parked: 1, applied: 1, lost: 1 }, 1]);
});

const start = (ended?: RecordedOutcome, more?: Parameters<typeof command>[3]) => command(0, 'start', ended, more);
const next = (more?: Partial<CommandRow>) => command(1, 'start', applied, more);
const stop = (ended = applied) => command(1, 'stop', ended);
const missed = (when = '2026-11-22T00:01:00Z') => outcome('skipped', { reason: 'MISSED_WINDOW', at: when });
const overlap = outcome('skipped', { reason: 'OVERLAP' });
const refused = outcome('parked', { reason: 'VALIDATION', detail: 'refused' });
const [firstId = '', otherId = ''] = skipping.campaignRunIds;
const begun = changedRun([starts()]);
const other = (when?: string) => ({ ...changedRun([starts(when)]), id: otherId });

test.each<[string, Evidence['commands'], Evidence['runs'], readonly string[]]>([
  ['is applied and then outranked', [start(applied), stop()], [changedRun([starts(), stops()])], []],
  ['sent a request twice', [start(applied)], [changedRun([starts(), starts()])], []],
  ['began a second run', [start(applied)], [begun, other()], [`I2: ${otherId} began, by these starts: none`]],
  [
    'took the id of another',
    [start(applied), next()],
    [begun],
    ['I4: start#1 is applied, and no run began', `I2: ${firstId} began, by these starts: start#0, start#1`],
  ],
  ['is applied in the ledger alone', [start(applied)], [], ['I4: start#0 is applied, and no run began']],
  ['is superseded by nothing', [start(outcome('superseded'))], [], ['I4: start#0 is superseded by nothing']],
  ['never ended', [start()], [], ['I1: start#0 has no outcome']],
  [
    'is skipped although its run began',
    [start(missed())],
    [begun],
    ['I4: start#0 began, and its outcome is skipped MISSED_WINDOW'],
  ],
  ['says that it may have run', [start(missed(), { mayHaveRun: { from: at, until: at } })], [begun], []],
  ['is skipped for an overlap', [start(overlap)], [], []],
  [
    'may overlap, and is skipped for that',
    [start(overlap, { run: allowing })],
    [],
    ['start#0 is skipped OVERLAP, and may overlap'],
  ],
  ['missed its window', [start(missed())], [], []],
  [
    'missed its window within its validity',
    [start(missed(at))],
    [],
    ['start#0 is skipped MISSED_WINDOW within its validity'],
  ],
  [
    'goes on after a later stop was done',
    [start(applied), stop()],
    [changedRun([starts(), stops(late)])],
    [
      'I5: the run of start#0 went on after stop#1 ended applied',
      `I4: stop#1 says that ${firstId} is stopped, the gateway never saw it`,
    ],
  ],
  ['may go on, since its stop was parked', [start(applied), stop(refused)], [begun], []],
  [
    'begins beside another run of a campaign that allows one',
    [start(applied), next({ campaignRunId: otherId })],
    [begun, other(late)],
    ['I11: the runs of start#0 and start#1 overlap'],
  ],
])('a command that %s', (_what, commands, changed, broken) => {
  expect(said({ commands, runs: changed })).toEqual(broken);
});

test('a message that stays in a dead-letter queue breaks the promise', () => {
  expect(said({ deadLetters: ['{}'] })).toEqual(['I1: a message in a dead-letter queue was not parked']);
});

/** Evidence of a run in which nothing happened; a test says what did. */
function evidenceOf(changes: Partial<Evidence>): Evidence {
  return {
    plan: { runs, uploads: [], commands: [], order: [] },
    startedAt: new Date('2026-11-21T12:00:00Z'),
    uploads: [],
    commands: [],
    datasets: [],
    runs: [],
    deadLetters: [],
    messagesLeft: 0,
    movedMs: 0,
    kills: 0,
    requests: { 'POST dataset': 0, 'PATCH run': 0, GET: 0 },
    requestsStruck: 0,
    copiesDelivered: 0,
    wallMs: 1000,
    ...changes,
  };
}

/** An outcome as a ledger row carries it. */
function outcome(kind: RecordedOutcome['kind'], more: Partial<RecordedOutcome> = {}): RecordedOutcome {
  return { kind, at, ...more };
}

/** An upload that should become a dataset, with its row. */
function upload(tag: string, row: Partial<UploadRow> | undefined): Evidence['uploads'][number] {
  const key = `datasets/checked/${tag}.csv`;
  const whole: UploadRow = {
    pk: `upload#1#${tag}`,
    kind: 'upload',
    state: 'APPLIED',
    bucket: 'bucket',
    key,
    eventTime: at,
    attempts: 1,
    crashes: 0,
    ...row,
  };
  return {
    event: { kind: 'upload', tag, key, body: 'prompt,label\n', metadata: {}, right: 'dataset' },
    versionId: `version-of-${tag}`,
    ledgerKey: whole.pk,
    ...(row === undefined ? {} : { row: whole }),
  };
}

/** A dataset at the gateway. */
function dataset(tag: string, id = `dataset-of-${tag}`): Evidence['datasets'][number] {
  return { id, tag, requestId: 'r', createdAt: at };
}

/** A command about a run, issued at its place, with what its row says. */
function command(
  place: number,
  action: PlannedCommand['action'],
  ended: RecordedOutcome | undefined,
  { run = skipping, ...more }: Partial<CommandRow> & { readonly run?: ChaosRun } = {},
): Evidence['commands'][number] {
  const id = `${action}#${place}`;
  const { name, campaignRunIds } = run;
  const campaignRunId = campaignRunIds[0] ?? '';
  const planned = { id, action, target: { run: name }, run: name, via: 'queue', isStale: false } as const;
  const row: CommandRow = {
    pk: `command#${id}`,
    kind: 'command',
    id,
    campaignRunId,
    ...(action === 'stop' ? { stops: { [campaignRunId]: { how: 'stopped', at } } } : {}),
    command: { version: 1, id, action, run: name, issuedAt: at, origin: { kind: 'operator', name: 'test' } },
    ...(ended === undefined ? {} : { outcome: ended }),
    parked: { message: '{}', queue: 'commands', attempts: 1, firstSeen: at, lastSeen: at },
    ...more,
  };
  return { event: { kind: 'command', place, copies: 1, command: planned }, ledgerKeys: [row.pk], rows: [row] };
}

/** A request that asks for a start then. */
function starts(startAt = '2026-11-21T12:00:30.000Z'): Transition {
  return { at: '2026-11-21T12:00:00.000Z', by: 'api', from: 'scheduled', to: 'scheduled', body: { startAt } };
}

/** A request that stops a run. */
function stops(when = at): Transition {
  return { at: when, by: 'api', from: 'scheduled', to: 'cancelled', body: { status: 'cancelled' } };
}

/** A run as the gateway holds it. */
function changedRun(transitions: readonly Transition[], run = skipping): Evidence['runs'][number] {
  return { id: run.campaignRunIds[0] ?? '', status: 'scheduled', transitions };
}

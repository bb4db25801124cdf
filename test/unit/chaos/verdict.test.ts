/**
 * The judge of the chaos run must see every promise that is broken: a tool that is always content
 * proves nothing.
 */
import { expect, test } from 'vitest';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { RecordedOutcome } from '#shared/ledger/rows/row-base.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { type ChaosRun, chaosRuns } from '../../chaos/events/automation-document.ts';
import type { PlannedCommand } from '../../chaos/events/command-events.ts';
import type { Evidence, Transition } from '../../chaos/judge/evidence.ts';
import { judgeRun } from '../../chaos/judge/report.ts';

const runs = chaosRuns(32);
const at = '2026-11-21T12:01:00.000Z';
const late = '2026-11-21T12:05:00.000Z';
const because = { reason: 'POST_OUTCOME_UNKNOWN', detail: 'the connection was reset' } as const;
const kept = { message: '{}', queue: 'uploads', attempts: 1, firstSeen: '', lastSeen: '' } as const;

/** The runs that commands are about: one lets starts overlap, the other does not. */
const allowing = runOf('allow');
const skipping = runOf('skip');

function runOf(overlap: ChaosRun['overlap']): ChaosRun {
  const found = runs.find((run) => run.overlap === overlap);
  if (found === undefined) throw new Error(`no run has ${overlap}`);
  return found;
}

/** What is counted, and what each broken promise is: `1 lost: no row in the ledger`. */
function said(changes: Partial<Evidence>): string {
  const { counts, broken } = judgeRun(evidenceOf(changes));
  const counted = Object.entries(counts).flatMap(([fate, count]) => (count > 0 ? [`${count} ${fate}`] : []));
  return [counted.join(', '), ...broken.map((one) => one.broken)].join(': ');
}

const applied = outcome('applied');
const registered = { outcome: applied, datasetId: 'one' };
const same = { outcome: outcome('skipped', { reason: 'DUPLICATE_CONTENT' }) };
const parked = (more: Partial<RecordedOutcome> = {}, message: UploadRow['parked'] = kept) =>
  ({ state: 'PARKED', outcome: outcome('parked', { ...because, ...more }), parked: message }) as const;
const unclear = '1 parked without a reason: a person would not know what to do';

test.each<[string, readonly (Partial<UploadRow> | undefined)[], readonly string[], string]>([
  ['is one dataset, and says so in the ledger', [registered], ['one'], '1 applied once'],
  ['was registered twice', [registered], ['one', 'two'], '1 applied twice: 2 datasets at the gateway'],
  ['is parked with a reason, what came back and its message', [parked()], [], '1 parked'],
  ['is parked without a reason', [parked({ reason: undefined })], [], unclear],
  ['is parked without a word of what came back', [parked({ detail: '' })], [], unclear],
  ['is parked without its message', [parked({}, { ...kept, message: '' })], [], unclear],
  ['has no row', [undefined], [], '1 lost: no row in the ledger'],
  ['never ended', [{ state: 'SENDING' }], [], '1 lost: never ended: still SENDING'],
  [
    'is applied in the ledger alone',
    [registered],
    [],
    '1 lost: the ledger says applied, and the gateway has no such dataset',
  ],
  ['is skipped as a duplicate of nothing', [same], [], '1 lost: skipped as a duplicate of nothing'],
  [
    'is ignored though a rule takes it',
    [{ outcome: outcome('ignored') }],
    [],
    '1 lost: ignored though a rule takes it',
  ],
  ['was sent twice as the very same file', [registered, same], ['one'], '1 applied once, 1 skipped'],
])('an upload that %s', (_what, rows, ids, verdict) => {
  const datasets = ids.map((id) => dataset('a', id));

  expect(said({ uploads: rows.map((row) => upload('a', row)), datasets })).toBe(verdict);
});

test('the gateway tells whether what is parked was applied, and the history of what broke is told', () => {
  const datasets = [dataset('a'), dataset('a', 'two')];

  const { broken } = judgeRun(evidenceOf({ uploads: [upload('a', registered)], datasets }));

  expect(judgeRun(evidenceOf({ uploads: [upload('a', parked())], datasets: [dataset('a')] })).parkedButApplied).toBe(1);
  expect(broken[0]?.history).toEqual([expect.objectContaining({ kind: 'upload' }), ...datasets]);
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

test.each<[string, Evidence['commands'], Evidence['runs'], string]>([
  ['is applied and then outranked', [start(applied), stop()], [changedRun([starts(), stops()])], '2 applied once'],
  ['sent a request twice', [start(applied)], [changedRun([starts(), starts()])], '1 applied once'],
  [
    'began a second run',
    [start(applied)],
    [begun, other()],
    `1 applied once: ${otherId} began, and no start took its id`,
  ],
  [
    'took the id of another',
    [start(applied), next()],
    [begun],
    `2 applied once: ${firstId} was taken by start#0, start#1`,
  ],
  [
    'is applied in the ledger alone',
    [start(applied)],
    [],
    '1 lost: the ledger says applied, and the gateway never heard of it',
  ],
  ['is superseded by nothing', [start(outcome('superseded'))], [], '1 lost: superseded, and nothing newer was wished'],
  ['never ended', [start()], [], '1 lost: it never ended'],
  ['is skipped although its run began', [start(missed())], [begun], `1 denied: skipped, and its run ${firstId} began`],
  ['says that it may have run', [start(missed(), { mayHaveRun: { from: at, until: at } })], [begun], '1 skipped'],
  ['is skipped for an overlap', [start(overlap)], [], '1 skipped'],
  ['may overlap, and is skipped for that', [start(overlap, { run: allowing })], [], '1 denied: skipped as OVERLAP'],
  ['missed its window', [start(missed())], [], '1 skipped'],
  ['missed its window within its validity', [start(missed(at))], [], '1 denied: skipped as MISSED_WINDOW'],
  [
    'goes on after a later stop was done',
    [start(applied), stop()],
    [changedRun([starts(), stops(late)])],
    '2 applied once: goes on after the later stop#1 was done',
  ],
  ['may go on, since its stop was parked', [start(applied), stop(refused)], [begun], '1 applied once, 1 parked'],
  [
    'begins beside another run of a campaign that allows one',
    [start(applied), next({ campaignRunId: otherId })],
    [begun, other(late)],
    `2 applied once: began while ${firstId} of the same campaign was running`,
  ],
])('a command that %s', (_what, commands, changed, verdict) => {
  expect(said({ commands, runs: changed })).toBe(verdict);
});

test('a message that stays in a dead-letter queue breaks the promise', () => {
  expect(said({ deadLetters: ['{}'] })).toBe(': it was not parked');
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

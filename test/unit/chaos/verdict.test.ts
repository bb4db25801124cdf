/**
 * The judge of the chaos run must see every promise that is broken: a tool that is always content
 * proves nothing.
 */
import { describe, expect, test } from 'vitest';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { RecordedOutcome } from '#shared/ledger/rows/row-base.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { type ChaosRun, chaosRuns } from '../../chaos/events/automation-document.ts';
import type { PlannedCommand } from '../../chaos/events/command-events.ts';
import type { Evidence, Transition } from '../../chaos/judge/evidence.ts';
import { judgeRun } from '../../chaos/judge/report.ts';

const because = { reason: 'POST_OUTCOME_UNKNOWN', detail: 'the connection was reset' } as const;
const kept = { message: '{}', queue: 'uploads', attempts: 1, firstSeen: '', lastSeen: '' } as const;

describe('an upload', () => {
  test('that is one dataset, and says so in the ledger, keeps the promise', () => {
    const row = { outcome: outcome('applied'), datasetId: 'dataset-of-a' };

    const { counts, broken } = judgeRun(evidenceOf({ uploads: [upload('a', row)], datasets: [dataset('a')] }));

    expect(counts).toMatchObject({ 'applied once': 1, lost: 0 });
    expect(broken).toEqual([]);
  });

  test('that was registered twice breaks it, whatever the ledger says, and its history is told', () => {
    const row = { outcome: outcome('applied'), datasetId: 'one' };
    const datasets = [dataset('a', 'one'), dataset('a', 'two')];

    const { counts, broken } = judgeRun(evidenceOf({ uploads: [upload('a', row)], datasets }));

    expect(counts['applied twice']).toBe(1);
    expect(broken[0]?.history).toEqual([expect.objectContaining({ kind: 'upload' }), ...datasets]);
  });

  test('parked with a reason, what came back and its message keeps it; the gateway tells whether it was applied', () => {
    const row = { state: 'PARKED', outcome: outcome('parked', because), parked: kept } as const;
    const uploads = [upload('a', row), upload('b', row)];

    const { counts, parkedButApplied, broken } = judgeRun(evidenceOf({ uploads, datasets: [dataset('a')] }));

    expect([counts.parked, parkedButApplied, broken]).toEqual([2, 1, []]);
  });

  test.each([
    ['without a reason', { outcome: outcome('parked', { detail: 'x' }), parked: kept }],
    ['without a word of what came back', { outcome: outcome('parked', { ...because, detail: '' }), parked: kept }],
    ['without its message', { outcome: outcome('parked', because) }],
  ])('parked %s breaks it', (_how, row) => {
    const { counts, broken } = judgeRun(evidenceOf({ uploads: [upload('a', { state: 'PARKED', ...row })] }));

    expect(counts['parked without a reason']).toBe(1);
    expect(broken).toHaveLength(1);
  });

  test.each([
    ['has no row', undefined],
    ['never ended', { state: 'SENDING' as const }],
    ['is applied in the ledger alone', { outcome: outcome('applied'), datasetId: 'x' }],
    ['is skipped as a duplicate of nothing', { outcome: outcome('skipped', { reason: 'DUPLICATE_CONTENT' }) }],
    ['is ignored though a rule takes it', { outcome: outcome('ignored') }],
  ])('that %s is lost', (_how, row) => {
    const { counts, broken } = judgeRun(evidenceOf({ uploads: [upload('a', row)] }));

    expect(counts.lost).toBe(1);
    expect(broken).toHaveLength(1);
  });

  test('sent twice as the very same file is one dataset and one skipped', () => {
    const first = upload('a', { outcome: outcome('applied'), datasetId: 'dataset-of-a' });
    const second = upload('a', { outcome: outcome('skipped', { reason: 'DUPLICATE_CONTENT' }) });

    const { counts, broken } = judgeRun(evidenceOf({ uploads: [first, second], datasets: [dataset('a')] }));

    expect(counts).toMatchObject({ 'applied once': 1, skipped: 1 });
    expect(broken).toEqual([]);
  });
});

function missedAt(at: string) {
  const missed = outcome('skipped', { reason: 'MISSED_WINDOW', at });
  return judgeRun(evidenceOf({ commands: [command(0, 'start', missed)] })).counts;
}

describe('a command', () => {
  const stopped = [starts(), stops()];

  test('applied and then outranked keeps the promise', () => {
    const commands = [command(0, 'start', outcome('applied')), command(1, 'stop', outcome('applied'))];

    const verdict = judgeRun(evidenceOf({ commands, runs: [changedRun(stopped)] }));

    expect(verdict).toMatchObject({ counts: { 'applied once': 2 }, wrongRuns: 0, broken: [] });
  });

  test('whose request was repeated began one run', () => {
    const commands = [command(0, 'start', outcome('applied'))];

    expect(judgeRun(evidenceOf({ commands, runs: [changedRun([starts(), starts()])] })).broken).toEqual([]);
  });

  test('that began a second run breaks it: no start took that id', () => {
    const commands = [command(0, 'start', outcome('applied'))];
    const other = { ...changedRun([starts()]), id: skipping.campaignRunIds[1] ?? '' };

    const { broken } = judgeRun(evidenceOf({ commands, runs: [changedRun([starts()]), other] }));

    expect(broken[0]?.broken).toContain('no start took its id');
  });

  test('that takes an id which another start took breaks it', () => {
    const commands = [command(0, 'start', outcome('applied')), command(1, 'start', outcome('applied'))];

    const { broken } = judgeRun(evidenceOf({ commands, runs: [changedRun([starts()])] }));

    expect(broken[0]?.broken).toContain('was taken by start#0, start#1');
  });

  test.each([
    ['applied in the ledger alone', outcome('applied')],
    ['superseded by nothing', outcome('superseded')],
    ['never ended', undefined],
  ])('%s is lost', (_how, ended) => {
    const { counts } = judgeRun(evidenceOf({ commands: [command(0, 'start', ended)] }));

    expect(counts.lost).toBe(1);
  });

  test('that is skipped although its run began breaks it, unless it says that it may have run', () => {
    const missed = outcome('skipped', { reason: 'MISSED_WINDOW', at: '2026-11-22T00:01:00Z' });
    const silent = command(0, 'start', missed);
    const open = command(0, 'start', missed, { mayHaveRun: { from: at, until: at } });
    const runs = [changedRun([starts()])];

    expect(judgeRun(evidenceOf({ commands: [silent], runs })).counts.denied).toBe(1);
    expect(judgeRun(evidenceOf({ commands: [open], runs })).counts.skipped).toBe(1);
  });

  test('is skipped for an overlap only if its campaign says so', () => {
    const overlap = outcome('skipped', { reason: 'OVERLAP' });
    const rightly = evidenceOf({ commands: [command(0, 'start', overlap)] });
    const wrongly = evidenceOf({ commands: [command(0, 'start', overlap, { run: allowing })] });

    expect(judgeRun(rightly).counts.skipped).toBe(1);
    expect(judgeRun(wrongly).counts.denied).toBe(1);
  });

  test('misses its window only after its validity has ended', () => {
    expect(missedAt('2026-11-22T00:01:00Z').skipped).toBe(1);
    expect(missedAt('2026-11-21T23:00:00Z').denied).toBe(1);
  });

  test('whose run goes on after a later stop was done breaks the promise', () => {
    const commands = [command(0, 'start', outcome('applied')), command(1, 'stop', outcome('applied'))];
    const late = [starts(), stops('2026-11-21T12:05:00.000Z')];

    expect(judgeRun(evidenceOf({ commands, runs: [changedRun(stopped)] })).wrongRuns).toBe(0);
    const { wrongRuns, broken } = judgeRun(evidenceOf({ commands, runs: [changedRun(late)] }));

    expect(wrongRuns).toBe(1);
    expect(broken[0]?.broken).toContain('after the later stop#1');
  });

  test('a later stop that was parked leaves open whether the run goes on', () => {
    const refused = outcome('parked', { reason: 'VALIDATION', detail: 'refused' });
    const commands = [command(0, 'start', outcome('applied')), command(1, 'stop', refused)];

    expect(judgeRun(evidenceOf({ commands, runs: [changedRun([starts()])] })).wrongRuns).toBe(0);
  });

  test('that begins beside another run of a campaign that allows one breaks the promise', () => {
    const second = { campaignRunId: skipping.campaignRunIds[1] };
    const commands = [command(0, 'start', outcome('applied')), command(1, 'start', outcome('applied'), second)];
    const later = changedRun([starts('2026-11-21T12:05:00.000Z')]);
    const runs = [changedRun([starts()]), { ...later, id: second.campaignRunId ?? '' }];

    expect(judgeRun(evidenceOf({ commands, runs })).broken[0]?.broken).toContain('of the same campaign was running');
  });
});

test('a message that stays in a dead-letter queue breaks the promise', () => {
  expect(judgeRun(evidenceOf({ deadLetters: ['{"versionId":"version-of-a"}'] })).broken).toHaveLength(1);
});

const runs = chaosRuns(32);

/** The runs that commands are about: one lets starts overlap, the other does not. */
export const allowing = runOf('allow');
export const skipping = runOf('skip');

function runOf(overlap: ChaosRun['overlap']): ChaosRun {
  const found = runs.find((run) => run.overlap === overlap);
  if (found === undefined) throw new Error(`no run has ${overlap}`);
  return found;
}

/** Evidence of a run in which nothing happened; a test says what did. */
export function evidenceOf(changes: Partial<Evidence>): Evidence {
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

const at = '2026-11-21T12:01:00.000Z';

/** An outcome as a ledger row carries it. */
export function outcome(kind: RecordedOutcome['kind'], more: Partial<RecordedOutcome> = {}): RecordedOutcome {
  return { kind, at, ...more };
}

/** An upload that should become a dataset, with its row. */
export function upload(tag: string, row: Partial<UploadRow> | undefined): Evidence['uploads'][number] {
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
export function dataset(tag: string, id = `dataset-of-${tag}`): Evidence['datasets'][number] {
  return { id, tag, requestId: 'r', createdAt: at };
}

/** A command about a run, issued at its place, with what its row says. */
export function command(
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
    ...(action === 'stop' ? { stops: { [campaignRunId]: 'stopped' } } : {}),
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
export function changedRun(transitions: readonly Transition[], run = skipping): Evidence['runs'][number] {
  return { id: run.campaignRunIds[0] ?? '', status: 'scheduled', transitions };
}

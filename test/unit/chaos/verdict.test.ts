/**
 * The judge of the chaos run must see every promise that is broken: a tool that is always content
 * proves nothing.
 */
import { describe, expect, test } from 'vitest';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { RecordedOutcome } from '#shared/ledger/rows/ledger-row.ts';
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
  const stoppedAfterStart = [change('pending', 'running', { name: 'start#0' }), change('running', 'stopped')];

  test('applied and then outranked keeps the promise, and the run stands where its newest command wants it', () => {
    const commands = [command(0, 'start', outcome('applied')), command(1, 'stop', outcome('applied'))];

    const verdict = judgeRun(evidenceOf({ commands, runs: [changedRun('stopped', stoppedAfterStart)] }));

    expect(verdict).toMatchObject({ counts: { 'applied once': 2 }, wrongRuns: 0, broken: [] });
  });

  test('whose start took effect twice breaks it; a repeat while the run goes on does not', () => {
    const repeat = [
      change('pending', 'running', { name: 'start#0' }),
      change('running', 'running', { name: 'start#0' }),
    ];
    const again = [...stoppedAfterStart, change('stopped', 'running', { name: 'start#0' })];
    const commands = [command(0, 'start', outcome('applied'))];

    expect(judgeRun(evidenceOf({ commands, runs: [changedRun('running', repeat)] })).broken).toEqual([]);
    const twice = judgeRun(evidenceOf({ commands, runs: [changedRun('running', again)] }));
    expect(twice.counts['applied twice']).toBe(1);
  });

  test.each([
    ['applied in the ledger alone', outcome('applied')],
    ['superseded by nothing', outcome('superseded')],
    ['never ended', undefined],
  ])('%s is lost', (_how, ended) => {
    const { counts } = judgeRun(evidenceOf({ commands: [command(0, 'start', ended)] }));

    expect(counts.lost).toBe(1);
  });

  test('is skipped for an overlap only if its campaign says so', () => {
    const overlap = outcome('skipped', { reason: 'OVERLAP' });
    const rightly = evidenceOf({ commands: [command(0, 'start', overlap)] });
    const wrongly = evidenceOf({ commands: [command(0, 'start', overlap, allowing)] });

    expect(judgeRun(rightly).counts.skipped).toBe(1);
    expect(judgeRun(wrongly).counts.denied).toBe(1);
  });

  test('misses its window only after its validity has ended', () => {
    expect(missedAt('2026-11-22T00:01:00Z').skipped).toBe(1);
    expect(missedAt('2026-11-21T23:00:00Z').denied).toBe(1);
  });

  test('a run that does not stand where its newest applied command wants it breaks the promise', () => {
    const commands = [command(0, 'start', outcome('applied')), command(1, 'stop', outcome('applied'))];
    const runs = [changedRun('running', [...stoppedAfterStart, change('stopped', 'running')])];

    const { wrongRuns, broken } = judgeRun(evidenceOf({ commands, runs }));

    expect(wrongRuns).toBe(1);
    expect(broken[0]?.broken).toContain('its newest intent is stop#1');
  });

  test('a newer parked command leaves open where the run stands', () => {
    const unknown = outcome('parked', { reason: 'START_OUTCOME_UNKNOWN', detail: 'reset' });
    const commands = [command(0, 'stop', outcome('applied')), command(1, 'start', unknown)];
    const runs = [
      changedRun('running', [change('pending', 'stopped'), change('stopped', 'running', { name: 'start#1' })]),
    ];

    expect(judgeRun(evidenceOf({ commands, runs }))).toMatchObject({ wrongRuns: 0, parkedButApplied: 1 });
  });

  test('an older start that takes effect after a newer stop breaks it, even if the run is stopped once more', () => {
    const late = change('stopped', 'running', { name: 'start#0', at: '2026-11-21T12:05:00.000Z' });
    const commands = [command(0, 'start', outcome('applied')), command(1, 'stop', outcome('applied'))];
    const runs = [changedRun('stopped', [change('pending', 'stopped'), late, change('running', 'stopped')])];

    expect(judgeRun(evidenceOf({ commands, runs })).broken[0]?.broken).toContain('after the newer stop#1');
  });
});

test('a message that stays in a dead-letter queue breaks the promise of Autopilot, and is the fate of a baseline', () => {
  const deadLetters = ['{"versionId":"version-of-a"}'];

  expect(judgeRun(evidenceOf({ deadLetters })).broken).toHaveLength(1);
  const baseline = judgeRun(evidenceOf({ worker: 'naive', deadLetters, uploads: [upload('a', undefined)] }));
  expect([baseline.counts['dead letter'], baseline.broken]).toEqual([1, []]);
});

test('a baseline is judged by effects alone, and may make two datasets of the same file sent twice', () => {
  const uploads = [upload('a', undefined), upload('a', undefined), upload('b', undefined)];
  const datasets = [dataset('a', '1'), dataset('a', '2'), dataset('b', '3'), dataset('b', '4')];

  const { counts } = judgeRun(evidenceOf({ worker: 'powertools', uploads, datasets }));

  expect(counts).toMatchObject({ 'applied once': 2, 'applied twice': 1 });
});

const runs = chaosRuns(32);

/**
 * The runs that commands are about: one with a list of ids that lets starts overlap, and one that
 * is started again and again.
 */
export const allowing = runOf('list', 'allow');
export const skipping = runOf('repeat', 'skip');

function runOf(pool: ChaosRun['pool'], overlap: ChaosRun['overlap']): ChaosRun {
  const found = runs.find((run) => run.pool === pool && run.overlap === overlap);
  if (found === undefined) throw new Error(`no run has ${pool} and ${overlap}`);
  return found;
}

/** Evidence of a run in which nothing happened; a test says what did. */
export function evidenceOf(changes: Partial<Evidence>): Evidence {
  return {
    worker: 'autopilot',
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
  run = skipping,
): Evidence['commands'][number] {
  const id = `${action}#${place}`;
  const { name, campaignRunIds } = run;
  const planned = { id, action, target: { run: name }, run: name, via: 'queue', isStale: false } as const;
  const row: CommandRow = {
    pk: `command#${id}`,
    kind: 'command',
    id,
    campaignRunId: campaignRunIds[0],
    command: { version: 1, id, action, run: name, issuedAt: at, origin: { kind: 'operator', name: 'test' } },
    ...(ended === undefined ? {} : { outcome: ended }),
    parked: { message: '{}', queue: 'commands', attempts: 1, firstSeen: at, lastSeen: at },
  };
  return { event: { kind: 'command', place, copies: 1, command: planned }, ledgerKeys: [row.pk], rows: [row] };
}

/** A change of a run by a worker: a start carries its command's id as the name. */
export function change(
  from: string,
  to: string,
  more: { readonly name?: string; readonly at?: string } = {},
): Transition {
  const { name, at: when = at } = more;
  return { at: when, by: 'api', from, to, body: { status: to, ...(name === undefined ? {} : { name }) } };
}

/** A run as the gateway holds it. */
export function changedRun(
  status: string,
  transitions: readonly Transition[],
  run = skipping,
): Evidence['runs'][number] {
  return { id: run.campaignRunIds[0] ?? '', status, transitions };
}

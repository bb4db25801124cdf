import type { RecordedOutcome } from '#shared/ledger/rows/ledger-row.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { type ChaosRun, chaosRuns } from '../../chaos/events/automation-document.ts';
import type { PlannedCommand } from '../../chaos/events/command-events.ts';
import type { Evidence, Transition } from '../../chaos/judge/evidence.ts';

const runs = chaosRuns(32);

/** The runs that commands are about: one with a list of ids that lets starts overlap, and one that is started again and again. */
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
  return { id, fileId: tag, requestId: 'r', createdAt: at };
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

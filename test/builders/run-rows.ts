/** Rows of the ledger as complete records: a test states only what it is about. */
import { type CommandRow, endedRow, newCommandRow } from '#shared/ledger/rows/command-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { RunEnd, RunEndsRow } from '#shared/ledger/results/run-ends-row.ts';
import { type IdRow, newRunRow, type RunRow } from '#shared/ledger/rows/run-row.ts';
import { type InFlight, newTargetRow, type TargetRow, withRuns } from '#shared/ledger/rows/target-row.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';

/** The run of these rows. */
const aRunId = '019ba000-0000-7000-8000-000000000301';

/**
 * A run of `nightly` that was started at ten in the evening, is to be stopped at six and is running;
 * fields over the defaults.
 */
export function inFlight(fields: Partial<InFlight> = {}): InFlight {
  const due = fields.due ?? '2026-11-20T22:00:00.000Z';
  return {
    campaignRunId: aRunId,
    run: 'nightly',
    campaign: 'chat-bot',
    startId: 'start-1',
    issuedAt: due,
    due,
    sentAt: due,
    endsAt: '2026-11-21T06:00:00.000Z',
    plansStop: true,
    state: 'running',
    unanswered: 0,
    ...fields,
  };
}

/** The same, of a campaign that can be read. */
export function aRunInFlight(fields: Partial<InFlight> = {}): InFlight {
  return inFlight({ campaignId: '019ba000-0000-7000-8000-000000000201', confirmWithin: 'PT30M', ...fields });
}

/** The row of the target `chat-bot` with these runs in flight. */
export function targetRow(...entries: readonly InFlight[]): TargetRow {
  return withRuns(newTargetRow('chat-bot'), entries);
}

/** The row of the start of an entry, whose request was answered unless it still waits for that; fields over the defaults. */
export function startOf(entry: InFlight, fields: Partial<CommandRow> = {}): CommandRow {
  const { startId: id, run, campaignRunId, due, sentAt, endsAt, plansStop, campaign, confirmWithin } = entry;
  const isOpen = entry.state === 'starting';
  const request = { id: 'attempt-1', at: sentAt, startAt: due };
  const sent = isOpen ? request : { ...request, answer: { at: sentAt, applied: 'yes' as const } };
  return commandRow(runCommand({ id, run, issuedAt: entry.issuedAt }), {
    campaignRunId,
    target: 'chat-bot',
    startAt: due,
    facts: { due, endsAt, plansStop, campaign, confirmWithin },
    requests: { count: 1, first: sent, last: sent },
    outcome: isOpen ? undefined : { kind: 'applied', at: sentAt },
    ...fields,
  });
}

/** The row of the run `nightly`, of which no id was used; fields over the defaults. */
export function runRow(fields: Partial<Omit<RunRow, 'pk' | 'kind'>> = {}): RunRow {
  return { ...newRunRow(fields.run ?? 'nightly'), ...fields };
}

/** The row of an id that `start-1` of `nightly` used; fields over the defaults. */
export function idRow(fields: Partial<Omit<IdRow, 'pk' | 'kind'>> = {}): IdRow {
  const campaignRunId = fields.campaignRunId ?? aRunId;
  return {
    pk: ledgerKeys.runId(campaignRunId),
    kind: 'run-id',
    campaignRunId,
    run: 'nightly',
    startId: 'start-1',
    issuedAt: '2026-11-20T22:00:00.000Z',
    target: 'chat-bot',
    ...fields,
  };
}

/** A start of `nightly` by its schedule, at ten in the evening; fields over the defaults. */
export function runCommand(fields: Partial<CampaignRunCommand> = {}): CampaignRunCommand {
  return {
    version: 1,
    id: 'start-1',
    action: 'start',
    issuedAt: '2026-11-20T22:00:00.000Z',
    origin: { kind: 'schedule', name: 'weeknights' },
    ...(fields.campaignRunId === undefined ? { run: 'nightly' } : {}),
    ...fields,
  };
}

/** The row of a command that was never tried; fields over the defaults. */
export function commandRow(command: CampaignRunCommand = runCommand(), fields: Partial<CommandRow> = {}): CommandRow {
  return { ...newCommandRow(command, new Date(command.issuedAt)), ...fields };
}

/** The row of a command that ended when it was issued. */
export function endedCommand(command: CampaignRunCommand, end: Parameters<typeof endedRow>[1]): CommandRow {
  const at = new Date(command.issuedAt);
  return endedRow(newCommandRow(command, at), end, at, { body: JSON.stringify(command), receiveCount: 1, sentAt: at });
}

/** The row of an upload that waits for its first try; fields over the defaults. */
export function uploadRow(fields: Partial<UploadRow> = {}): UploadRow {
  const { bucket = 'uploads', key = 'datasets/a.csv', versionId = 'v1' } = fields;
  return {
    pk: ledgerKeys.upload(bucket, key, versionId),
    kind: 'upload',
    state: 'READY',
    bucket,
    key,
    eventTime: '2026-11-20T10:00:00.000Z',
    attempts: 1,
    crashes: 0,
    ...fields,
  };
}

/** Complete runs of `nightly` that took so long, in minutes, a night each, the latest first. */
export function runEndsRow(...minutes: readonly number[]): RunEndsRow {
  const ends = minutes.map((lasted, nights): RunEnd => {
    const startMs = Date.parse('2026-11-19T22:00:00.000Z') - nights * 86_400_000;
    const [startAt, at] = [new Date(startMs).toISOString(), new Date(startMs + lasted * 60_000).toISOString()];
    return { startId: `past-${nights}`, campaignRunId: `run-${nights}`, startAt, at, state: 'complete', score: 87 };
  });
  return { pk: ledgerKeys.runEnds('nightly'), kind: 'run-ends', run: 'nightly', ends, complete: ends.slice(0, 5) };
}

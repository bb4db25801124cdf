import type { AwaitedConfirmation, CampaignReading, ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import { type Ledger, rowAt, type Stored } from '#shared/ledger/ledger.ts';
import { readBack } from '#shared/ledger/read-back.ts';
import { type CommandRow, endedWithoutMessage } from '#shared/ledger/rows/command-row.ts';
import type { GuardRow } from '#shared/ledger/rows/guard-row.ts';
import { expiryOf, ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { afterLease, identityOf, type RunRow, type SentStart, startOf, stateOf } from '#shared/ledger/rows/run-row.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { apply } from '../_runs/apply.ts';
import { began } from '../_runs/decide/resume-start.ts';
import type { WatchedCampaign } from '#shared/config/resolve/resolved-automation.ts';
import type { ReadCampaign, WatchDeps } from './watched-campaign.ts';
import { publishOutcome } from '../_runs/outcomes.ts';

type ConfirmDeps = Pick<WatchDeps, 'ledger' | 'bus' | 'reports' | 'config' | 'now'>;

/**
 * What a reading of its campaign says about a start: the sign is there, it may still come, or it is
 * missing after its time. A sign that proves that a start without an answer began settles that
 * start.
 * @returns whether it is missing
 */
export async function confirmStart(start: AwaitedStart, read: ReadCampaign, deps: ConfirmDeps): Promise<boolean> {
  const sign = signOf(start.awaited, start.start.reading, read.reading);
  const found = sign === undefined ? 'unproven' : await settleStart(start, read, deps);
  if (sign !== undefined && found === 'done') await noteConfirmed(start, read, sign, deps);
  if (found !== 'unproven') return false;
  if (start.isMissing) return true;
  if (Date.parse(read.at) < Date.parse(start.awaited.until)) return false;
  await reportMissing(start, read, deps);
  return true;
}

async function noteConfirmed(
  start: AwaitedStart,
  { at }: ReadCampaign,
  reads: number | string,
  { ledger, reports }: ConfirmDeps,
): Promise<void> {
  const { row, awaited, known, isMissing } = start;
  const { by, before, commandId, campaignId } = awaited;
  const confirmed = { ...confirmationOf(start, at), confirmed: { at, reads } };
  const since = isMissing ? { missingSince: known?.missingSince } : {};
  if ((await ledger.write<ConfirmationRow>(known, { ...confirmed, ...since })) === undefined) return;
  const change = `${by} of campaign ${campaignId} was ${before ?? 'not shown'} and is ${reads}`;
  reports.log.info(
    logEvents.startConfirmed,
    `the start of ${row.campaignRunId} is confirmed${isMissing ? ' after all' : ''}: ${change}`,
    { campaignRunId: row.campaignRunId, commandId, campaignId },
  );
}

/** The event first: a tick that dies after it sends it once more, under the same id. */
async function reportMissing(
  start: AwaitedStart,
  { at, reading }: ReadCampaign,
  { ledger, bus, reports }: ConfirmDeps,
): Promise<void> {
  const { row, awaited, known } = start;
  const { campaignRunId, run } = row;
  const { commandId, campaignId, by, before, until } = awaited;
  const detail = `${saidOf(start)}, and ${unseenOf(start)}`;
  const facts = { campaignRunId, run, commandId, campaignId };
  await bus.publish(eventTypes.campaignStartUnconfirmed, {
    eventId: `unconfirmed:${commandId}:${campaignRunId}@${until}`,
    ...facts,
    by,
    before,
    reads: reading[by],
    until,
    at,
    detail,
  });
  const written = await ledger.write<ConfirmationRow>(known, { ...confirmationOf(start, at), missingSince: at });
  if (written === undefined) return;
  reports.count(metricNames.startsUnconfirmed, 1);
  reports.log.warn(logEvents.startUnconfirmed, detail, facts);
}

/** What is known of a start beside its sign. */
function saidOf({ row }: AwaitedStart): string {
  const name = `${row.run ?? 'run'} (${row.campaignRunId})`;
  const isAccepted = row.state === 'running' || ('before' in row && row.before.state === 'running');
  return isAccepted ? `the gateway accepted the start of ${name}` : `the start of ${name} was sent and never answered`;
}

function unseenOf({ start, awaited: { by, until, campaignId } }: AwaitedStart): string {
  if (start.reading === undefined)
    return `campaign ${campaignId} could not be read before it, so ${by} can show nothing`;
  return `by ${until} ${by} of campaign ${campaignId} did not show it`;
}

function confirmationOf({ row, awaited }: AwaitedStart, at: string): ConfirmationRow {
  const { campaignRunId } = row;
  const { commandId } = awaited;
  return {
    pk: ledgerKeys.confirmation({ campaignRunId, commandId }),
    kind: 'confirmation',
    campaignRunId,
    awaited,
    expiresAt: expiryOf('confirmation', new Date(at)),
  };
}

/** A start in flight whose sign has not been seen. */
export interface AwaitedStart {
  readonly row: RunRow;
  readonly start: SentStart;
  readonly awaited: AwaitedConfirmation;
  /** The row of its confirmation; of an earlier wait if a person had the start repeated. */
  readonly known: Stored<ConfirmationRow> | undefined;
  /** It was reported as missing; it is looked for only when its campaign is read anyway. */
  readonly isMissing: boolean;
}

/** The starts in flight whose sign has not been seen. A run that is stopped is waited for no more, one whose PATCH is in the air not yet. */
export async function readAwaitedStarts(
  rows: readonly RunRow[],
  now: Date,
  ledger: Pick<Ledger, 'read'>,
): Promise<readonly AwaitedStart[]> {
  const found: AwaitedStart[] = [];
  for (const row of rows) {
    const state = afterLease(stateOf(row), now);
    const start = startOf(state);
    const awaited = start && awaitedOf(start);
    if (start === undefined || awaited === undefined || state.state === 'starting') continue;
    const { campaignRunId } = row;
    const known = await ledger.read<ConfirmationRow>(
      ledgerKeys.confirmation({ campaignRunId, commandId: start.startId }),
    );
    const isOfThisWait = known?.awaited.until === awaited.until;
    if (isOfThisWait && known.confirmed !== undefined) continue;
    found.push({ row, start, awaited, known, isMissing: isOfThisWait && known.missingSince !== undefined });
  }
  return found;
}

function awaitedOf({ startId, campaignId, confirm, reading }: SentStart): AwaitedConfirmation | undefined {
  if (confirm === undefined || campaignId === undefined) return undefined;
  const { by, until } = confirm;
  return { commandId: startId, campaignId, by, before: reading?.[by], until };
}

/** What the campaign shows if it shows the sign; without a reading before the start nothing is one. Pure. */
export function signOf(
  { by }: Pick<AwaitedConfirmation, 'by'>,
  before: CampaignReading | undefined,
  after: CampaignReading,
): number | string | undefined {
  if (before === undefined) return undefined;
  if (by === 'lastRunAt') return after.lastRunAt === before.lastRunAt ? undefined : after.lastRunAt;
  const { runCount } = after;
  return runCount !== undefined && runCount <= (before.runCount ?? -1) ? undefined : runCount;
}

type SettleDeps = Pick<WatchDeps, 'ledger' | 'bus' | 'config' | 'now'>;

/** The rows of a start in doubt. */
interface RowsOfStart {
  readonly run?: Stored<RunRow>;
  readonly command?: Stored<CommandRow>;
  readonly guard?: Stored<GuardRow>;
}

/**
 * A start without an answer whose campaign proves that it began is applied, also if it is parked,
 * and its run is running. A reading that proves nothing changes nothing.
 * @returns `'done'` if the start is applied; `'unproven'` if it stays in doubt, since another start
 *   may have moved the campaign. `'row-changed'` if its rows changed concurrently: the next tick
 *   looks again
 */
export async function settleStart(
  about: AwaitedStart,
  read: ReadCampaign,
  deps: SettleDeps,
): Promise<'done' | 'unproven' | 'row-changed'> {
  const { start, awaited } = about;
  const rows = await readRows(about, deps);
  const { run, command } = rows;
  if (run === undefined || command === undefined) return 'done';
  const state = afterLease(stateOf(run), deps.now());
  if (state.state !== 'start-unknown' || state.start.startId !== start.startId) return 'done';
  const others = { guard: rows.guard, target: configuredOf(about, deps)?.target };
  const isInTime = Date.parse(read.at) <= Date.parse(awaited.until);
  const found = isInTime ? readBack(state, { ...read.reading, at: read.at }, others) : 'cannot-tell';
  if (found !== 'began') return 'unproven';

  const { changes, end } = began({ ...identityOf(run), ...state }, rows, campaignName(about, deps));
  const ended = endedWithoutMessage(command, end, deps.now());
  // The event first: a tick that dies after it sends it once more, under the same id.
  await publishOutcome(ended, deps);
  const written = await apply([...changes, { before: command, after: ended }], deps);
  return written === 'row-changed' ? written : 'done';
}

async function readRows({ row, start }: AwaitedStart, { ledger }: SettleDeps): Promise<RowsOfStart> {
  const keys = { command: ledgerKeys.command(start.startId), guard: ledgerKeys.guard(start.guardName) };
  const rows = await ledger.readMany([row.pk, keys.command, keys.guard]);
  return {
    run: rowAt<RunRow>(rows, row.pk),
    command: rowAt<CommandRow>(rows, keys.command),
    guard: rowAt<GuardRow>(rows, keys.guard),
  };
}

/** Several campaigns of the configuration may share one id; then no name is given. */
function campaignName(about: AwaitedStart, deps: SettleDeps): string | undefined {
  const names = configuredOf(about, deps)?.names ?? [];
  return names.length === 1 ? names[0] : undefined;
}

function configuredOf({ awaited }: AwaitedStart, { config }: SettleDeps): WatchedCampaign | undefined {
  return config.campaigns.find(({ campaignId }) => campaignId === awaited.campaignId);
}

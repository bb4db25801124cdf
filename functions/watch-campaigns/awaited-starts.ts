import type { CampaignReading } from '#shared/ledger/campaign-reading.ts';
import type { AwaitedConfirmation, ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { type Ledger, rowAt, type Stored } from '#shared/ledger/ledger.ts';
import { readBack } from '#shared/ledger/read-back.ts';
import { type CommandRow, endedWithoutMessage } from '#shared/ledger/rows/command-row.ts';
import type { GuardRow } from '#shared/ledger/rows/guard-row.ts';
import { afterLease, type RunRow, type SentStart, startOf, stateOf } from '#shared/ledger/rows/run-row.ts';
import { apply } from '../_runs/apply/apply.ts';
import { publishOutcome } from '../_runs/apply/record-outcome.ts';
import { began } from '../_runs/decide/resume-start.ts';
import type { WatchDeps } from './deps.ts';
import type { CampaignRead } from './read-campaign.ts';

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
 * A start without an answer whose campaign proves that it began is applied, also if it is parked, and its run is running. A reading that proves
 * nothing changes nothing.
 * @returns `'row-changed'` if its rows changed concurrently: the next tick looks again
 */
export async function settleStart(
  about: AwaitedStart,
  read: CampaignRead,
  deps: SettleDeps,
): Promise<'done' | 'row-changed'> {
  const { start, awaited } = about;
  if (Date.parse(read.at) > Date.parse(awaited.until)) return 'done';
  const rows = await readRows(about, deps);
  const { run, command } = rows;
  if (run === undefined || command === undefined) return 'done';
  const state = afterLease(stateOf(run), deps.now());
  if (state.state !== 'start-unknown' || state.start.startId !== start.startId) return 'done';
  if (readBack(state, { ...read.reading, at: read.at }, rows.guard) !== 'began') return 'done';

  const { changes, end } = began({ row: run, unknown: state }, rows, campaignName(about, deps));
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

/** Several campaigns of the configuration may share one id; then no name is told. */
function campaignName({ awaited }: AwaitedStart, { config }: SettleDeps): string | undefined {
  const names = config.campaigns.find(({ campaignId }) => campaignId === awaited.campaignId)?.names ?? [];
  return names.length === 1 ? names[0] : undefined;
}

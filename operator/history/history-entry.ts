import type { Resolution } from '#shared/ledger/rows/message-row.ts';
import { isObserved } from '#shared/ledger/rows/row-keys.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import type { CommandRow, RecordedVerdict } from '#shared/ledger/rows/command-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { OutcomeKind } from '#shared/vocabulary/outcomes.ts';
import type { ReasonCode } from '#shared/vocabulary/reason-codes.ts';
import { type HistoryRange, readHistory, runIdOf } from './history.ts';
import type { OperatorDeps } from '../operator-deps.ts';
import { handleOf } from '#shared/ledger/parked-handles.ts';

/** One command as `history` tells it. */
export interface HistoryEntry {
  /** When it ended; of one that is put off, until when. */
  readonly at: string;
  readonly id: string;
  readonly action: CampaignRunCommand['action'];
  /** The configured run, if it was about one. */
  readonly run?: string;
  readonly campaignRunId?: string;
  /** What became of it. */
  readonly outcome: OutcomeKind | 'deferred';
  readonly reason?: ReasonCode;
  readonly detail?: string;
  readonly askedBy: CampaignRunCommand['origin'];
  readonly askedAt: string;
  readonly askedBecause?: string;
  /** Guards that said no, whether it counted or an operator had overridden them. */
  readonly refusals: readonly RecordedVerdict[];
  /** A request of this start left and was not proven to have failed: its run may have been running in this interval. */
  readonly mayHaveRun?: CommandRow['mayHaveRun'];
  /** Milliseconds from the command to the effect, where they are more than a command takes. */
  readonly lateMs?: number;
  /** Nothing was sent: the stage only observes. */
  readonly isObserved: boolean;
  /** It still waits for a person, under this handle. */
  readonly parkedId?: string;
  readonly resolutions?: readonly Resolution[];
}

/** A command is handled in seconds, a due stop by a tick a minute: more than this is late. */
export const lateAfterMs = 2 * 60_000;

/**
 * Tells one command.
 * @param run - the configured run that it was about; a command that names only an id does not know
 */
export function historyEntry(row: Stored<CommandRow>, run = row.command.run): HistoryEntry {
  const { command, outcome, resolutions } = row;
  const { action, origin, issuedAt, reason } = command;
  return {
    at: row.openSince ?? outcome?.at ?? '',
    id: row.id,
    action,
    run,
    campaignRunId: runIdOf(row),
    outcome: outcome?.kind ?? 'deferred',
    reason: outcome?.reason,
    detail: detailOf(row),
    askedBy: origin,
    askedAt: issuedAt,
    askedBecause: reason,
    refusals: (row.verdicts ?? []).filter(({ verdict }) => verdict !== 'apply'),
    mayHaveRun: row.mayHaveRun,
    lateMs: lateBy(row),
    isObserved: row.isObserved === true || isObserved(row),
    parkedId: row.openState === 'PARKED' ? handleOf(row.pk) : undefined,
    resolutions,
  };
}

function detailOf({ outcome, deferred }: CommandRow): string | undefined {
  return outcome?.detail ?? (deferred && `put off by the blackout ${deferred.blackout}`);
}

/** One that a person let wait, or a blackout put off, is not late. */
function lateBy({ command, outcome, deferred, resolutions }: CommandRow): number | undefined {
  if (outcome?.kind !== 'applied' || deferred !== undefined || resolutions !== undefined) return undefined;
  const lateMs = Date.parse(outcome.at) - Date.parse(command.issuedAt);
  return lateMs >= lateAfterMs ? lateMs : undefined;
}

/** Reads a page of the history; one more than it holds tells whether there are older ones. */
export async function historyPage(
  range: HistoryRange,
  limit: number,
  { stage }: Pick<OperatorDeps, 'stage'>,
): Promise<{ readonly entries: readonly HistoryEntry[]; readonly isMore: boolean }> {
  const entries: HistoryEntry[] = [];
  for await (const { row, run: name } of readHistory(await stage.ledger(), range)) {
    if (entries.length === limit) return { entries, isMore: true };
    entries.push(historyEntry(row, name));
  }
  return { entries, isMore: false };
}

import type { RunInWindow } from '#shared/ledger/rows/project-watch-row.ts';
import { startOf } from '#shared/ledger/rows/run-row.ts';
import { readOpenRuns } from '#shared/ledger/open-rows.ts';
import { maxAheadMs } from '#shared/messages/campaign-run-command.ts';
import type { ProjectDeps } from './deps.ts';

/** The gateway's clock and ours differ by this at most, the same trust that messages get: what it dates earlier came before the start for sure. */
const clockMarginMs = maxAheadMs;

/** A project changed between two looks. */
export interface Drift {
  /** Every word by which a campaign may name the project. */
  readonly names: ReadonlySet<string>;
  readonly from: string;
  readonly to: string;
  /** Whether the project was then as it is now, in all that changed: then it had changed before. `false` also where nobody can tell. */
  readonly hadChangedAt: (instant: string) => Promise<boolean>;
}

/**
 * The runs in flight that this change is part of, so that their results cannot be compared with those of other runs. A run that began between
 * the two looks is one of them unless the gateway shows that the change came first.
 */
export async function runsInWindow(drift: Drift, deps: ProjectDeps): Promise<readonly RunInWindow[]> {
  const affected: RunInWindow[] = [];
  for (const row of await readOpenRuns(deps.ledger)) {
    const { campaignRunId, run } = row;
    const start = startOf(row);
    if (run === undefined || start === undefined || !drift.names.has(deps.projectOfRun[run] ?? '')) continue;
    const { effectAt: startedAt, until, plannedStop } = start;
    // A planned stop has to be applied, whatever the time.
    const isOver = plannedStop === undefined && isBefore(until, drift.from);
    if (!isBefore(startedAt, drift.to) || isOver) continue;
    if (isBefore(drift.from, startedAt) && (await drift.hadChangedAt(wellBefore(startedAt)))) continue;
    affected.push({ campaignRunId, run, startedAt });
  }
  return affected;
}

function wellBefore(instant: string): string {
  return new Date(Date.parse(instant) - clockMarginMs).toISOString();
}

function isBefore(one: string, other: string): boolean {
  return Date.parse(one) < Date.parse(other);
}

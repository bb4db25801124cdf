/** What a reading of a run means for its entry. Pure. */
import type { ResolvedGateway } from '#shared/config/resolve/resolved-automation.ts';
import { hasEnded, type RunReading } from '#shared/ledger/rows/run-reading.ts';
import type { InFlight } from '#shared/ledger/rows/target-row.ts';

/** Whether a run has ended for good. At a gateway that starts by a word a request that is under way may begin it again. */
export function isOver(
  { status }: Pick<RunReading, 'status'>,
  { unanswered }: Pick<InFlight, 'unanswered'>,
  gateway: Pick<ResolvedGateway, 'status'>,
): boolean {
  return hasEnded(status) && (unanswered === 0 || gateway.status.start === undefined);
}

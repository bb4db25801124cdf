import type { GateRow } from '#shared/ledger/rows/gate-row.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import type { Log } from '../_handler/log.ts';
import type { Metrics } from '../_handler/metrics.ts';

/** Where the gate says what happens at it. */
export interface GateReports {
  readonly log: Log;
  readonly count: Metrics['count'];
}

/** One line and one count for each thing that a write of the row made happen. */
export function reportGateChange(reports: GateReports, before: GateRow | undefined, after: GateRow): void {
  if (before?.closed !== undefined && after.closed === undefined) reportOpened(reports, before, after);
  reportClosed(reports, before, after);
  reportPaused(reports, before, after);
}

function reportOpened({ log, count }: GateReports, { since }: GateRow, { failedProbes }: GateRow): void {
  count(metricNames.gateOpened, 1);
  const sentence =
    failedProbes === undefined
      ? 'a probe was answered: calls go on'
      : 'a probe was refused, so the gateway is there: calls go on';
  log.info(logEvents.gateOpened, sentence, { closedSince: since });
}

/** Closed anew, or for longer: a probe that begins is neither. */
function reportClosed({ log, count }: GateReports, before: GateRow | undefined, after: GateRow): void {
  const { reason, since, closed } = after;
  if (closed === undefined || closed.probeOwner !== undefined || closed.probeAt === before?.closed?.probeAt) return;
  count(metricNames.gateClosed, 1);
  const { probeAt, failedProbes } = closed;
  log.error(logEvents.gateClosed, `nobody calls the gateway: ${reason ?? ''}`, { since, probeAt, failedProbes });
}

function reportPaused({ log, count }: GateReports, before: GateRow | undefined, after: GateRow): void {
  const { reason, pausedUntil } = after;
  if (pausedUntil === undefined || pausedUntil === before?.pausedUntil) return;
  count(metricNames.gatePaused, 1);
  log.warn(logEvents.gatePaused, `nobody calls the gateway for a while: ${reason ?? ''}`, { pausedUntil });
}

/** A call or a probe failed for its token. */
export function reportAuthRefused({ log, count }: GateReports, why: string, about?: string): void {
  count(metricNames.authRefused, 1);
  log.error(logEvents.authRefused, `the token of the gateway: ${why}`, { about });
}

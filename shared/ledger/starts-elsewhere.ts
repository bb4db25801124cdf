import type { Ledger } from './ledger.ts';
import type { LedgerRowBase } from './rows/ledger-row.ts';
import { ledgerKeys } from './rows/row-keys.ts';

/**
 * Starts of a campaign that a person or another tool made at the gateway, as watch-campaigns
 * reported them. Instants are RFC 3339 in UTC.
 */
export interface StartsElsewhere {
  readonly campaignId: string;
  /** The campaign as the configuration calls it. */
  readonly campaigns: readonly string[];
  readonly starts: number;
  /** The look before. */
  readonly from: string;
  /** The look that showed them. */
  readonly to: string;
  /** The newest run as the gateway names it. */
  readonly lastRun?: string;
}

/**
 * The last reports: one row, for `autopilot status` and the console. The events and the log are the
 * whole record.
 */
export interface StartsElsewhereRow extends LedgerRowBase {
  readonly kind: 'starts-elsewhere';
  /** The newest first. */
  readonly reports: readonly StartsElsewhere[];
}

/** A person looks at the last days, and the row stays below one KB for usual names. */
const mostReports = 5;

const longestName = 100;

/** Several campaigns of one tick write at the same time. */
const mostTries = 4;

/**
 * Puts a report on top of the list. A tick that died after this makes the same report again, which
 * takes the place of the first. A report that loses every try is missing here; the event and the
 * log have it.
 */
export async function rememberStartsElsewhere(ledger: Ledger, report: StartsElsewhere): Promise<void> {
  const kept = { ...report, lastRun: report.lastRun?.slice(0, longestName) };
  for (let tried = 0; tried < mostTries; tried += 1) {
    const before = await ledger.read<StartsElsewhereRow>(ledgerKeys.startsElsewhere());
    const others = (before?.reports ?? []).filter(
      ({ campaignId, from }) => campaignId !== report.campaignId || from !== report.from,
    );
    const reports = [kept, ...others].slice(0, mostReports);
    const after: StartsElsewhereRow = { pk: ledgerKeys.startsElsewhere(), kind: 'starts-elsewhere', reports };
    if ((await ledger.write(before, after)) !== undefined) return;
  }
}

/** The last reports, newest first. */
export async function readStartsElsewhere(ledger: Pick<Ledger, 'read'>): Promise<readonly StartsElsewhere[]> {
  return (await ledger.read<StartsElsewhereRow>(ledgerKeys.startsElsewhere()))?.reports ?? [];
}

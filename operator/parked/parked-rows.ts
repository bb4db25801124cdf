import type { FindingRow } from '#shared/ledger/results/finding-row.ts';
import type { ParkableRow } from '#shared/ledger/ledger-row.ts';
import type { Resolution } from '#shared/ledger/rows/message-row.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { openRows } from '#shared/ledger/open-rows.ts';
import { uniqueHandle } from '../handles.ts';
import { type CampaignRunCommand, commandTitle } from '#shared/messages/campaign-run-command.ts';
import { runIdOf } from '../run-state/run-rows.ts';
import { nextStepOf } from '#shared/uploads/locked-field.ts';
import { isParkReason, type ParkReason, parkReasonFacts, runbookOf } from '#shared/vocabulary/reason-codes.ts';

/** A newer version of the key of a parked row: one that is at the gateway, else the newest. */
export interface NewerVersion {
  readonly at: string;
  /** What became of it: `applied 0197f3a0-…`. */
  readonly ended: string;
  /** It did what the older one should have done, and the older one did nothing: that may be dismissed. */
  readonly takesItsPlace: boolean;
}

/** A row that waits for a person, as `parked list` tells it. */
export interface ParkedEntry {
  /** Short handle for the command line. */
  readonly id: string;
  readonly kind: ParkableRow['kind'];
  /** Nothing was sent to the gateway: the stage only observed. */
  readonly isObserved?: true;
  /** A command's id, an object's key, a message's queue and id. */
  readonly subject: string;
  /** Of a command: what it was to do, and to which run. */
  readonly action?: CampaignRunCommand['action'];
  readonly run?: string;
  readonly campaignRunId?: string;
  readonly reason: string;
  readonly detail?: string;
  readonly since: string;
  readonly nextStep?: string;
  /** What to look for at the gateway. */
  readonly lookFor?: string;
  readonly resolutions?: readonly Resolution[];
  /** A newer version of the same key, if it was looked for. */
  readonly newer?: NewerVersion;
}

/** The rows that are parked for one reason. */
export interface ParkedGroup {
  readonly reason: string;
  readonly count: number;
  readonly oldest: string;
  readonly newest: string;
  readonly nextStep?: string;
  readonly runbook?: readonly string[];
}

/** A decision and who took it: `repeat as weeknights@2026-11-20T22:00:00Z~2 by ann`. */
export function decisionWords({ decision, datasetId, as, by }: Resolution): string {
  return `${decision}${datasetId === undefined ? '' : ` ${datasetId}`}${as === undefined ? '' : ` as ${as}`} by ${by}`;
}

/** Every row that is parked now, oldest first: all pages of the index. */
export async function listParked(ledger: Ledger): Promise<readonly Stored<ParkableRow>[]> {
  return (await listWaiting(ledger)).parked;
}

/** What needs attention: parked rows and findings, each oldest first. They stand in one index. */
export async function listWaiting(ledger: Ledger): Promise<{
  readonly parked: readonly Stored<ParkableRow>[];
  readonly findings: readonly Stored<FindingRow>[];
}> {
  const parked: Stored<ParkableRow>[] = [];
  const findings: Stored<FindingRow>[] = [];
  for await (const row of openRows(ledger, 'PARKED')) {
    if (isParkable(row)) parked.push(row);
    if (row.kind === 'finding') findings.push(row);
  }
  return { parked, findings };
}

/** Whether a row is of a kind that can be parked. */
export function isParkable(row: Stored): row is Stored<ParkableRow> {
  return ['command', 'upload', 'message'].includes(row.kind);
}

/** What a row is about: `upload datasets/a.csv`, `start nightly`; a message says so itself. */
export function titleOf({
  kind,
  subject,
  action = 'start',
  run,
  campaignRunId,
  isObserved: isOnly,
}: Omit<ParkedEntry, 'reason' | 'since'>): string {
  const ofWork = kind === 'upload' ? `upload ${subject}` : subject;
  const title = kind === 'command' ? commandTitle({ action, run, campaignRunId }) : ofWork;
  return isOnly === true ? `observed ${title}` : title;
}

/** What a row is about, in a person's words. */
export function subjectOf(row: ParkableRow): string {
  switch (row.kind) {
    case 'command':
      return row.id;
    case 'upload':
      return row.key;
    case 'message':
      return row.pk.replace('message#', 'message ').replace('#', ' ');
  }
}

/** Tells rows as a list does; handles are as long as telling them apart needs. */
export function entriesOf(rows: readonly Stored<ParkableRow>[]): readonly ParkedEntry[] {
  const pks = rows.map((row) => row.pk);
  return rows.map((row) => entryOf(row, uniqueHandle(row.pk, pks)));
}

/** Tells one row under its handle. */
export function entryOf(row: Stored<ParkableRow>, id: string): ParkedEntry {
  const { reason = 'UNKNOWN', detail } = row.outcome ?? {};
  return {
    id,
    kind: row.kind,
    isObserved: row.isObserved,
    subject: subjectOf(row),
    ...(row.kind === 'command'
      ? { action: row.command.action, run: row.command.run, campaignRunId: runIdOf(row) }
      : {}),
    reason,
    detail,
    since: row.openSince ?? row.outcome?.at ?? '',
    nextStep: nextStepOf(row.outcome),
    lookFor: row.parked?.lookFor,
    resolutions: row.resolutions,
  };
}

/** Entries by their reason, the largest group first. */
export function groupsOf(entries: readonly ParkedEntry[]): readonly ParkedGroup[] {
  const groups = [...Map.groupBy(entries, ({ reason }) => reason)].map(([reason, members]) => {
    const [nextStep, ...others] = new Set(members.map((member) => member.nextStep));
    const instants = members.map(({ since }) => since).toSorted();
    return {
      reason,
      count: members.length,
      oldest: instants[0] ?? '',
      newest: instants.at(-1) ?? '',
      ...(isParkReason(reason)
        ? { nextStep: others.length === 0 ? nextStep : parkReasonFacts(reason).nextStep, runbook: runbookOf(reason) }
        : {}),
    };
  });
  return groups.toSorted((a, b) => b.count - a.count || a.reason.localeCompare(b.reason));
}

/** Which parked rows a command is about; all of them by default. */
export interface ParkedFilter {
  readonly reasons: readonly ParkReason[];
  /** Parked at this instant or later. */
  readonly since?: Date;
  /** Parked before this instant. */
  readonly before?: Date;
  /** Whether `before` was given as an instant: then nothing that is parked from now on can be among the rows. */
  readonly isClosed: boolean;
  /** Those alone whose work a newer version of their key has done. */
  readonly isSuperseded?: boolean;
}

/** The code that a person means, in any case and with hyphens or spaces; undefined if it is none. */
export function reasonIn(text: string): ParkReason | undefined {
  const code = text.trim().toUpperCase().replaceAll(/[- ]/g, '_');
  return isParkReason(code) ? code : undefined;
}

/** Whether anything is selected at all. */
export function selects({ reasons, since, before, isSuperseded }: ParkedFilter): boolean {
  return isSuperseded === true || reasons.length > 0 || since !== undefined || before !== undefined;
}

/** Whether a row is one of those. */
export function isSelected(row: ParkableRow, filter: ParkedFilter): boolean {
  const { reasons, since, before } = filter;
  const at = Date.parse(row.openSince ?? row.outcome?.at ?? '');
  return (
    (reasons.length === 0 || reasons.some((reason) => reason === row.outcome?.reason)) &&
    (since === undefined || at >= since.getTime()) &&
    (before === undefined || at < before.getTime())
  );
}

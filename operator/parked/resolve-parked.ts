import { cappedDetail } from '#shared/ledger/rows/detail.ts';
import type { ParkableRow } from '#shared/ledger/ledger-row.ts';
import type { Resolution } from '#shared/ledger/rows/message-row.ts';
import { expiryOf } from '#shared/ledger/rows/row-keys.ts';
import { isParkReason, parkReasonFacts } from '#shared/vocabulary/reason-codes.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import { commandIds, repeatOf } from '#shared/messages/command-ids.ts';

/** Who decided, why and when; all of it stays in the row. */
export interface OperatorDecision {
  readonly by: string;
  readonly reason: string;
  readonly at: Date;
}

/**
 * A row with a person's decision in it, to be written by `ledger.write(row, resolved.row)`; or the
 * sentence that says why it cannot be.
 */
export type Resolved<Row extends ParkableRow> =
  | { readonly ok: true; readonly row: Row }
  | { readonly ok: false; readonly problem: string };

/**
 * It was done after all: the upload is applied. Send `parked.message` to its queue for the
 * follow-ups (event, `thenStart`).
 */
export function resolveApplied<Row extends ParkableRow>(
  row: Stored<Row>,
  decision: OperatorDecision & { readonly datasetId: string },
): Resolved<Row> {
  const notParked = problemUnlessParked(row);
  if (notParked !== undefined) return notParked;
  const datasetId = decision.datasetId.trim();
  if (row.kind !== 'upload') return problem('is no upload: only an upload has a dataset id that can be recorded');
  if (datasetId === '') return problem('needs the id of the dataset at the gateway');
  if (/\s/.test(datasetId)) return problem('needs one id, without spaces');
  if (!mayExistAtGateway(row)) {
    return problem('was never sent, so no dataset can have come of it: --repeat it, or --dismiss it');
  }
  const detail = cappedDetail(`dataset ${datasetId}, found at the gateway by ${decision.by}`);
  const outcome = { kind: 'applied', detail, at: decision.at.toISOString() };
  const { openState: _openState, openSince: _openSince, ...rest } = decided(row, { decision: 'applied', ...decision });
  return { ok: true, row: { ...rest, state: 'APPLIED', datasetId, outcome } as Row };
}

/** Parked after something was sent that may have made a dataset. */
function mayExistAtGateway({ outcome }: ParkableRow): boolean {
  const reason = outcome?.reason;
  if (reason === undefined || !isParkReason(reason)) return false;
  return parkReasonFacts(reason).decisions.includes('applied');
}

/**
 * Do it again, once. A parked command stays as it ended: its repeat is a new command, which the row
 * names. Write it first, then send what `repeatMessage` gives. The same decision may be taken again
 * until a worker has begun.
 */
export function resolveRepeat<Row extends ParkableRow>(row: Stored<Row>, decision: OperatorDecision): Resolved<Row> {
  const notParked = problemUnlessParked(row);
  if (notParked !== undefined && !waitsForItsRepeat(row)) return notParked;
  if (row.parked === undefined) return problem('keeps no message that could be sent again');
  if (row.kind === 'command') {
    const as = commandIds.repeat(row.id);
    const repeated = { ...decided(row, { decision: 'repeat', ...decision, as }), openState: 'ENDED' } as const;
    return { ok: true, row: repeated as ParkableRow as Row };
  }
  const repeated = decided(row, { decision: 'repeat', ...decision });
  const { openState: _openState, openSince: _openSince, outcome: _outcome, ...rest } = repeated;
  return { ok: true, row: { ...rest, ...openAgain(row, decision.at.toISOString()) } as Row };
}

/** The message that a decision sends: the kept one, or of a command its repeat. */
export function repeatMessage(row: ParkableRow): string | undefined {
  const repeat = row.kind === 'command' ? repeatOf(row) : undefined;
  return repeat === undefined ? row.parked?.message : JSON.stringify(repeat);
}

/**
 * What an approved row waits as. Without a notBefore, since the clock of the person's machine may
 * be wrong.
 */
function openAgain(row: ParkableRow, openSince: string): object {
  if (row.kind !== 'upload') return {};
  return { state: 'READY', crashes: 0, refusals: undefined, openState: 'IN_FLIGHT', openSince };
}

/** Nothing more is to be done about it. Its outcome stays `parked`, with the decision beside it. */
export function resolveDismiss<Row extends ParkableRow>(row: Stored<Row>, decision: OperatorDecision): Resolved<Row> {
  const notParked = problemUnlessParked(row);
  if (notParked !== undefined) return notParked;
  const { openState: _openState, openSince, ...rest } = decided(row, { decision: 'dismiss', ...decision });
  // It joins the history of commands, at the instant at which it was parked.
  const ended = row.kind === 'command' ? { openState: 'ENDED', openSince } : {};
  return { ok: true, row: { ...rest, ...ended } as Row };
}

function problemUnlessParked(row: Stored<ParkableRow>): { ok: false; problem: string } | undefined {
  if (row.openState === 'PARKED' && row.outcome?.kind === 'parked') return undefined;
  const last = row.resolutions?.at(-1);
  if (last !== undefined) {
    return problem(`is not parked any more: ${last.by} decided "${last.decision}" at ${last.at} (${last.reason})`);
  }
  return problem('is not parked');
}

/** Approved, and no worker has begun. */
function waitsForItsRepeat(row: Stored<ParkableRow>): boolean {
  if (row.kind === 'command' || row.resolutions?.at(-1)?.decision !== 'repeat' || row.outcome !== undefined)
    return false;
  return row.kind !== 'upload' || row.state === 'READY';
}

function problem(sentence: string): { ok: false; problem: string } {
  return { ok: false, problem: `it ${sentence}` };
}

/** The row with the decision appended, and with the expiry that a parked row does not have. */
function decided<Row extends ParkableRow>(
  row: Stored<Row>,
  decision: OperatorDecision & Pick<Resolution, 'decision' | 'datasetId' | 'as'>,
): ParkableRow {
  const { version: _version, writer: _writer, ...rest } = row;
  const { decision: verb, by, reason, at, datasetId, as } = decision;
  const resolution = { decision: verb, by, reason, at: at.toISOString(), datasetId: datasetId?.trim(), as };
  const resolutions: readonly Resolution[] = [...(row.resolutions ?? []), resolution];
  return { ...(rest as ParkableRow), resolutions, expiresAt: expiryOf(row.kind, at) };
}

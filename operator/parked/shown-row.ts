import type { Stored } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { ParkableRow } from '#shared/ledger/ledger-row.ts';
import type { ParkedWork } from '#shared/ledger/rows/message-row.ts';
import { nextStepOf } from '#shared/uploads/locked-field.ts';
import { isParkReason, parkReasonFacts } from '#shared/vocabulary/reason-codes.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { newerVersion } from './newer-version.ts';
import { type Advice, adviceFor } from './parked-advice.ts';
import { decisionWords, entryOf, type NewerVersion, type ParkedEntry } from './parked-rows.ts';

/** One row as `show` tells it. */
export interface ShownRow extends ParkedEntry {
  readonly isParked: boolean;
  /** Commands to paste; none if no person is needed any more. */
  readonly advice: readonly Advice[];
  readonly row: Stored<ParkableRow>;
}

/** Gathers what is known about a row. */
export async function shownRow(
  row: Stored<ParkableRow>,
  handle: string,
  deps: Pick<OperatorDeps, 'stage' | 'progress'>,
): Promise<ShownRow> {
  const isParked = row.openState === 'PARKED';
  const newer = await newerVersion(row, deps);
  return {
    ...entryOf(row, handle),
    isParked,
    advice: isParked ? adviceFor(row, { handle, isReplaced: newer?.takesItsPlace === true }) : [],
    newer,
    row,
  };
}

/** How an instant is written for those who read it. */
type At = (instant: string) => string;

/** A label and what it tells; an empty text tells nothing. */
type Fact = readonly [string, string];

/** What a person needs to know about a row: what came, what is known and what is not, the next step, the evidence, earlier decisions. Pure. */
export function rowFacts(
  row: Stored<ParkableRow>,
  seen: { readonly isParked: boolean; readonly newer?: NewerVersion },
  at: At,
): readonly Fact[] {
  return [...knownFacts(row, at), ...evidenceFacts(row, at), ...wayOn(row, seen, at)];
}

function knownFacts(row: Stored<ParkableRow>, at: At): readonly Fact[] {
  const facts = reasonFacts(row);
  return [
    ['what came', whatCame(row, at)],
    ['known', facts?.meaning ?? ''],
    ['', row.outcome?.detail ?? ''],
    ['not known', facts === undefined ? '' : (facts.notKnown ?? 'nothing: it had no effect at the gateway')],
  ];
}

function reasonFacts({ outcome }: ParkableRow) {
  const reason = outcome?.reason;
  return reason !== undefined && isParkReason(reason) ? parkReasonFacts(reason) : undefined;
}

function nextStepIn(row: ParkableRow, newer: NewerVersion | undefined): string {
  if (newer?.takesItsPlace === true) return 'the newer version took its place: resolve --dismiss this one';
  return nextStepOf(row.outcome) ?? '';
}

function wayOn(
  row: Stored<ParkableRow>,
  { isParked, newer }: { readonly isParked: boolean; readonly newer?: NewerVersion },
  at: At,
): readonly Fact[] {
  return [
    ['newer', newer === undefined ? '' : `a newer version of this key came at ${at(newer.at)}: ${newer.ended}`],
    ['next', isParked ? nextStepIn(row, newer) : 'nothing to do'],
  ];
}

function whatCame(row: ParkableRow, at: At): string {
  switch (row.kind) {
    case 'upload':
      return `s3://${row.bucket}/${row.key}, version ${row.versionId ?? 'unknown'}, uploaded ${at(row.eventTime)}`;
    case 'message':
      return `a message of the queue ${row.parked?.queue ?? 'that is not known'}, kept below`;
    case 'command':
      return commandWords(row, at);
  }
}

function commandWords({ command, campaignRunId }: CommandRow, at: At): string {
  const { action, run, origin, issuedAt, reason } = command;
  const uuid = campaignRunId === run ? undefined : campaignRunId;
  const about = [run, uuid].filter((part) => part !== undefined).join(', run ');
  const because = reason === undefined ? '' : `: ${reason}`;
  return `${action} ${about === '' ? (command.campaignRunId ?? '') : about}, requested by ${origin.kind} ${origin.name} at ${at(issuedAt)}${because}`;
}

function evidenceFacts(row: Stored<ParkableRow>, at: At): readonly Fact[] {
  const { parked } = row;
  const attempts = parked === undefined ? '' : `${parked.attempts} attempt${parked.attempts === 1 ? '' : 's'}`;
  return [
    ['look for', parked?.lookFor === undefined ? '' : `"${parked.lookFor}" at the gateway`],
    ['seen', parked === undefined ? '' : `${at(parked.firstSeen)} to ${at(parked.lastSeen)}; ${attempts}`],
    ['evidence', evidenceOf(parked)],
    ['answer', parked?.answer === undefined ? '' : answerInWords(parked.answer)],
    ['key', row.pk],
    ...(row.resolutions ?? []).map((made): Fact => [
      'decided',
      `${decisionWords(made)} at ${at(made.at)}: ${made.reason}`,
    ]),
  ];
}

function answerInWords({ text, contentType, contentEncoding }: NonNullable<ParkedWork['answer']>): string {
  const headers = [contentType ?? 'no content type', ...(contentEncoding === undefined ? [] : [contentEncoding])];
  return `(${headers.join(', ')}) ${text === '' ? 'no body' : text}`;
}

function evidenceOf(parked: ParkableRow['parked']): string {
  if (parked === undefined) return '';
  const { httpStatus, errorCode, causeCode, requestSent, requestId, speaker } = parked;
  return [
    httpStatus === undefined ? '' : `HTTP ${httpStatus}`,
    speaker === undefined ? '' : 'not answered by the gateway',
    errorCode ?? '',
    causeCode ?? '',
    requestSent === undefined ? '' : requestSent ? 'the request was sent' : 'the request was not sent',
    requestId === undefined ? '' : `x-request-id ${requestId}`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

import type { ParkableRow } from '#shared/ledger/ledger-row.ts';
import { isParkReason, parkReasons } from '#shared/vocabulary/reason-codes.ts';

/** I19: what a parked row lacks for a person who decides, one sentence each. */
export function unreasoned({ outcome, parked }: ParkableRow): readonly string[] {
  const reason = outcome?.reason ?? '';
  if (!isParkReason(reason)) return [`"${reason}" is no reason of the vocabulary`];
  if (parked === undefined) return ['keeps nothing'];
  const wasSent = reason === 'POST_OUTCOME_UNKNOWN' || reason === 'APPLIED_ID_UNKNOWN';
  const needed: Readonly<Record<string, unknown>> = {
    message: parked.message,
    'a detail': outcome?.detail,
    'a next step': parkReasons[reason].nextStep,
    attempts: parked.attempts,
    'first seen': Date.parse(parked.firstSeen),
    'last seen': Date.parse(parked.lastSeen),
    ...(reason === 'START_OUTCOME_UNKNOWN' ? { 'whether it was sent': parked.requestSent } : {}),
    ...(wasSent ? { 'a request id': parked.requestId, 'what to look for': parked.lookFor } : {}),
  };
  return Object.entries(needed)
    .filter(([, value]) => value === undefined || value === '' || value === 0 || Number.isNaN(value))
    .map(([name]) => `${reason} without ${name}`);
}

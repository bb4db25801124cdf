/**
 * An upload that sets a field which its rule locks: parked CHECK_FAILED, though the file need not
 * be corrected.
 */
import { isParkReason, parkReasonFacts, type ReasonCode } from '../vocabulary/reason-codes.ts';

/** The places that may set a field of a dataset, as the detail names them. */
const places = { metadata: 'the metadata of the object', sidecar: 'its sidecar' } as const;

/** A field that the upload sets and may not set. */
export interface LockedField {
  readonly place: keyof typeof places;
  /** As the interface of the gateway names it. */
  readonly field: string;
}

/** The parts of an outcome that say what a person does next. */
interface Ended {
  readonly reason?: ReasonCode;
  readonly locked?: LockedField;
}

/** Says which field it is, and which rule locks it. */
export function lockedFieldDetail({ place, field }: LockedField, prefix: string): string {
  return `${places[place]} sets ${field}, which the rule for ${prefix} locks`;
}

/** What a person does next about a parked outcome; undefined for another one. Pure. */
export function nextStepOf(outcome: Ended | undefined): string | undefined {
  if (outcome?.reason === undefined || !isParkReason(outcome.reason)) return undefined;
  const { reason, locked } = outcome;
  return locked === undefined ? parkReasonFacts(reason).nextStep : stepWithout(locked);
}

function stepWithout({ place, field }: LockedField): string {
  const option = `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const step =
    place === 'sidecar'
      ? `upload its sidecar without ${field} and then the file again, each`
      : `upload the file again without ${field} in its metadata (${option}),`;
  return `${step} under the same key, then resolve --dismiss --superseded; an upload that is not wanted: resolve --dismiss`;
}

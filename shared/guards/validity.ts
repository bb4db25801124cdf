import { type CampaignRunCommand, defaultValidFor } from '../messages/campaign-run-command.ts';
import { durationMs } from '../schedule/duration.ts';

/** What the validity of a start is judged by. */
export interface ValidityQuestion {
  readonly command: Pick<CampaignRunCommand, 'issuedAt' | 'validFor'>;
  /** The end of the blackout that put it off: its validity counts from there. */
  readonly deferredUntil?: string;
}

/** From when to when a start may be made. Pure. */
export function validityOf({ command, deferredUntil }: ValidityQuestion): {
  readonly from: Date;
  readonly until: Date;
  readonly validFor: string;
} {
  const validFor = command.validFor ?? defaultValidFor;
  const fromMs = Math.max(Date.parse(command.issuedAt), deferredUntil === undefined ? 0 : Date.parse(deferredUntil));
  return { from: new Date(fromMs), until: new Date(fromMs + (durationMs(validFor) ?? 0)), validFor };
}

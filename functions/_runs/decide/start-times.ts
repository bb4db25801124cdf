import { hash } from 'node:crypto';
import type { UpdateCampaignRunInput } from '#shared/gateway-client/index.ts';
import type { SentStart } from '#shared/ledger/rows/run-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import type { RunPolicy, RunsConfig } from './state.ts';

/** Instants of a start, and the request that it sends. Pure. */

/** The instants of a start. */
export type StartTimes = Pick<SentStart, 'effectAt' | 'startAt' | 'until' | 'plannedStop'>;

/** When a start is due, in milliseconds: when it was issued, and its delay after that. */
export function dueMs({ issuedAt, startDelay }: Pick<CampaignRunCommand, 'issuedAt' | 'startDelay'>): number {
  return Date.parse(issuedAt) + (durationMs(startDelay ?? '') ?? 0);
}

/** When a start goes into effect, and what follows from that. A delay that has passed is left out: the gateway then starts the run at once. */
export function startTimes(
  { issuedAt, startDelay }: Pick<CampaignRunCommand, 'issuedAt' | 'startDelay'>,
  { stopAfter, inFlightFor }: Pick<RunPolicy, 'inFlightFor' | 'stopAfter'>,
  now: Date,
  { gateway }: Pick<RunsConfig, 'gateway'>,
): StartTimes {
  const delayedTo = dueMs({ issuedAt, startDelay });
  const isDelayed = startDelay !== undefined && delayedTo > now.getTime();
  const effectMs = isDelayed ? delayedTo : now.getTime();
  const after = (duration: string) => new Date(effectMs + (durationMs(duration) ?? 0)).toISOString();
  const effectAt = new Date(effectMs).toISOString();
  return {
    effectAt,
    startAt: isDelayed ? effectAt : undefined,
    until: after(inFlightFor),
    plannedStop: stopAfter === undefined ? undefined : { at: after(stopAfter), word: gateway.status.stop },
  };
}

/** The PATCH of a start. */
export function startInput(
  start: { readonly command: CampaignRunCommand; readonly policy: RunPolicy; readonly campaignRunId: string },
  sent: Pick<SentStart, 'effectAt' | 'startAt' | 'approvals'>,
  { gateway, timezone }: Pick<RunsConfig, 'gateway' | 'timezone'>,
): UpdateCampaignRunInput {
  const { command, policy, campaignRunId } = start;
  // `2026-11-20`, the date on the wall of that zone.
  const date = new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' });
  const template = policy.run?.nameTemplate;
  return {
    campaignRunId,
    status: gateway.status.start,
    startAt: sent.startAt,
    name: command.name ?? template?.replaceAll('{date}', date.format(new Date(sent.effectAt))),
    preserve: command.preserve,
    idempotencyKey: idempotencyKeyOf(command.id, sent.approvals),
  };
}

/**
 * The same for every try of one start, and another for a person's repeat (docs/adr/0028-a-key-for-what-must-not-happen-twice.md). A digest, since a
 * header has its limits and an id may be anything printable.
 */
function idempotencyKeyOf(commandId: string, approvals: number): string {
  return hash('sha256', approvals === 0 ? commandId : `${commandId}#${approvals}`);
}

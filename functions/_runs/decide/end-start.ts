/** How a start ends whose request was sent: it is applied, or it was never answered and a person is needed. Pure. */
import type { CommandEnd } from '#shared/ledger/rows/command-row.ts';
import type { SentStart, StartUnknown } from '#shared/ledger/rows/run-row.ts';
import { applied, parked } from './decision.ts';
import type { Moment } from './state.ts';

/** A start that was sent, and the id of its run. */
interface StartOfRun {
  readonly campaignRunId: string;
  readonly start: SentStart;
}

/** An applied start. For its event it keeps when the run starts and when its stop is due; until `until` it counts as in flight. */
export function startApplied(
  { campaignRunId, start }: StartOfRun,
  {
    detail,
    campaign,
    requestId,
  }: Pick<CommandEnd, 'requestId'> & { readonly detail?: string; readonly campaign?: string },
): CommandEnd {
  const { effectAt, startAt, plannedStop, until } = start;
  const when = startAt === undefined ? '' : ` for ${startAt}`;
  const due = plannedStop === undefined ? '' : `, its stop is due ${plannedStop.at}`;
  return applied(campaignRunId, detail ?? `run ${campaignRunId} started${when}${due}`, {
    facts: { effectAt, stopDueAt: plannedStop?.at, campaign },
    inFlightUntil: until,
    requestId,
  });
}

/** The campaign of the run that a start names; absent if the run is unconfigured. */
export function campaignOf({ start }: Moment): string | undefined {
  return typeof start === 'object' ? start.campaign : undefined;
}

/** A start whose request was never answered, and nothing can tell whether it began: a person is needed. */
export function startNeverAnswered(
  campaignRunId: string | undefined,
  { start, requestId, httpStatus }: Pick<StartUnknown, 'start' | 'requestId' | 'httpStatus'>,
  detail: string,
  mayHaveRun = intervalOf(start),
): CommandEnd {
  const evidence = { requestSent: true, requestId, httpStatus };
  return parked('START_OUTCOME_UNKNOWN', detail, { campaignRunId, evidence, mayHaveRun });
}

/** When the run of an unproven start may have been running. */
export function intervalOf({ firstSentAt, startAt, plannedStop, until }: SentStart): {
  readonly from: string;
  readonly until: string;
} {
  return { from: startAt ?? firstSentAt, until: plannedStop?.at ?? until };
}

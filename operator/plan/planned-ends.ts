import { type ResolvedBlackout, blackoutWindows } from '#shared/schedule/blackouts.ts';
import type { Previewed } from '#shared/messages/questions.ts';

/** What a calendar draws of a plan beside its commands: how long each run goes on, and when starts are held back. Pure. */

/** How the run of a planned start ends: a scheduled stop may come before the stop that it plans. */
export interface PlannedEnd {
  readonly endsAt: string;
  readonly endsBy: PlannedEndBy;
}

/** `itself`: nothing stops it, and the stage counts it as over from then on. */
export type PlannedEndBy =
  | { readonly kind: 'planned-stop' }
  | { readonly kind: 'stop' | 'start'; readonly commandId: string; readonly askedBy: Previewed['origin'] }
  | { readonly kind: 'itself' };

/**
 * The commands of a plan, each applied start with the end of its run.
 * @param until - the plan knows nothing of what comes later: a run that goes on until then has no end here
 */
export function withEnds(commands: readonly Previewed[], until: Date): readonly (Previewed & Partial<PlannedEnd>)[] {
  return commands.map((command, index) => ({ ...command, ...endOf(command, commands.slice(index + 1), until) }));
}

function endOf(start: Previewed, later: readonly Previewed[], until: Date): PlannedEnd | undefined {
  const { action, outcome, campaignRunId, inFlightUntil, stopDueAt } = start;
  if (action !== 'start' || outcome !== 'applied' || campaignRunId === undefined) return undefined;
  const ending = later.find(
    (one) => one.outcome === 'applied' && (one.campaignRunId === campaignRunId || one.ends?.includes(campaignRunId)),
  );
  // A run with a planned stop goes on until it is stopped.
  const overMs = stopDueAt === undefined ? Date.parse(inFlightUntil ?? '') : Number.NaN;
  const isOver = overMs <= Math.min(until.getTime(), Date.parse(ending?.at ?? until.toISOString()));
  if (isOver && inFlightUntil !== undefined) return { endsAt: inFlightUntil, endsBy: { kind: 'itself' } };
  return ending && { endsAt: ending.at, endsBy: endedBy(start, ending) };
}

/** A planned stop is shown under the id of the start that plans it. */
function endedBy(start: Previewed, { id, action, origin }: Previewed): PlannedEndBy {
  return id === start.id ? { kind: 'planned-stop' } : { kind: action, commandId: id, askedBy: origin };
}

/** A blackout, once for each time that it covers. */
export interface PlannedBlackout extends Pick<ResolvedBlackout, 'name' | 'starts' | 'campaigns'> {
  readonly from: string;
  /** The first instant that it does not cover any more. */
  readonly until: string;
}

/** The blackouts that cover a part of a range, by their beginning. */
export function plannedBlackouts(
  blackouts: readonly ResolvedBlackout[],
  range: { readonly from: Date; readonly until: Date },
): readonly PlannedBlackout[] {
  return blackouts
    .flatMap((blackout) => {
      const { name, starts, campaigns } = blackout;
      return blackoutWindows(blackout, range).map(({ from, until }) => ({
        name,
        starts,
        campaigns,
        from: from.toISOString(),
        until: until.toISOString(),
      }));
    })
    .toSorted((a, b) => a.from.localeCompare(b.from));
}

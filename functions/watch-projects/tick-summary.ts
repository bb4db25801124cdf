import type { ProjectChangeSet } from '#shared/ledger/rows/project-watch-row.ts';
import type { TickAnswer } from '#shared/messages/tick-answer.ts';
import type { EndpointsEnd } from './look-at-endpoints.ts';
import type { LookEnd } from './look-at-project.ts';
import { countOf, describeChangeSet } from '#shared/changes/words.ts';

/** The differences themselves; the event has them all. */
const maxDifferenceLength = 300;

/** What a tick came to: `2 changes (scanners.ID.version: 2026-01 → 2026-02; …), start of nightly sent, 3 deprecated endpoints in use`. */
export function tickSummary(
  watch: string,
  look: LookEnd,
  endpoints: EndpointsEnd,
  leftover: ProjectChangeSet | undefined,
): TickAnswer {
  if (look.kind === 'paused') return notLooked(watch, 'the gateway asked for a pause; a later tick looks', leftover);
  const sets = [leftover, look.kind === 'compared' ? look.closed : undefined].filter((set) => set !== undefined);
  const found =
    sets.length > 0
      ? sets.map(describe)
      : [look.kind === 'baseline' ? 'nothing to compare with yet' : 'nothing changed'];
  const inUse = endpoints.kind === 'read' ? [`${endpoints.count} deprecated endpoints in use`] : [];
  const summary = [...(look.kind === 'baseline' ? ['first look'] : []), ...found, ...inUse].join(', ');
  return { summary, watch, isBaseline: look.kind === 'baseline', ...factsOf(sets) };
}

/** The answer of a tick that found another one at work on its watch. */
export function underWaySummary(watch: string): TickAnswer {
  return { summary: `another look at ${watch} is under way; this one has nothing to do`, watch };
}

/** The answer of a tick that did not get to look. */
export function notLooked(watch: string, why: string, leftover: ProjectChangeSet | undefined): TickAnswer {
  const sets = leftover === undefined ? [] : [leftover];
  const summary = [why, ...sets.map((set) => `from before: ${describe(set)}`)].join('; ');
  return { summary, watch, isUnfinished: true, ...factsOf(sets) };
}

function factsOf(sets: readonly ProjectChangeSet[]) {
  return {
    changes: sets.reduce((sum, set) => sum + countOf(set), 0),
    starts: [...new Set(sets.flatMap(({ starts }) => starts))],
    notComparable: [...new Set(sets.flatMap((set) => set.notComparable.map(({ campaignRunId }) => campaignRunId)))],
  };
}

function describe(set: ProjectChangeSet): string {
  const { starts, notComparable } = set;
  const count = countOf(set);
  return [
    `${count} ${count === 1 ? 'change' : 'changes'} (${describeChangeSet(set, maxDifferenceLength)})`,
    starts.length === 0 ? 'no rule starts a run for that' : `start of ${starts.join(', ')} sent`,
    ...(notComparable.length === 0 ? [] : [`not comparable: ${notComparable.map(({ run }) => run).join(', ')}`]),
  ].join(', ');
}

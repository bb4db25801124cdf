import type { ChangeSet } from '../../shared/ledger/items.ts';
import type { TickAnswer } from '../../shared/messages/tick-answer.ts';
import { countOf, describeCounts } from './change-set.ts';

/** What one complete look at a listing came to. */
export interface Look {
  readonly packages: number;
  readonly pages: number;
  readonly isBaseline: boolean;
  /** The change set that this look closed. */
  readonly closed: ChangeSet | undefined;
}

/** A poll's answer: `288 packages, 1 changed: start of smoke sent`. */
export function pollAnswer(watch: string, look: Look, leftover: ChangeSet | undefined): TickAnswer {
  const { packages, pages, isBaseline } = look;
  const sets = [leftover, look.closed].filter((set) => set !== undefined);
  const starts = [...new Set(sets.flatMap((set) => set.starts))];
  const changes = sets.reduce((sum, set) => sum + countOf(set), 0);
  const summary = [`${packages} packages`, ...(isBaseline ? ['first look'] : []), changesIn(sets, starts, isBaseline)];
  return { summary: summary.join(', '), watch, packages, pages, changes, isBaseline, starts };
}

/** The answer of a poll that found another one at work on its watch. */
export function underWayAnswer(watch: string): TickAnswer {
  return { summary: `another poll of ${watch} is under way; this one has nothing to do`, watch };
}

/** The answer of a poll that found the gate closed. */
export function gateAnswer(watch: string, leftover: ChangeSet | undefined): TickAnswer {
  return unfinished(watch, 0, ['nobody calls the gateway at the moment', 'a later poll looks'], leftover);
}

/** The answer of a poll whose walk was cut off. */
export function cutAnswer(
  watch: string,
  { pages, why }: { readonly pages: number; readonly why: string },
  leftover: ChangeSet | undefined,
): TickAnswer {
  return unfinished(
    watch,
    pages,
    [`cut off after page ${pages}: ${why}`, 'the next poll goes on from there'],
    leftover,
  );
}

function unfinished(
  watch: string,
  pages: number,
  sentences: readonly string[],
  leftover: ChangeSet | undefined,
): TickAnswer {
  const starts = leftover?.starts ?? [];
  const earlier = leftover === undefined ? [] : [`from before: ${changesIn([leftover], starts, false)}`];
  const changes = leftover === undefined ? 0 : countOf(leftover);
  return { summary: [...sentences, ...earlier].join('; '), watch, pages, changes, isUnfinished: true, starts };
}

function changesIn(sets: readonly ChangeSet[], starts: readonly string[], isBaseline: boolean): string {
  if (sets.length === 0) return isBaseline ? 'nothing to compare with yet' : 'nothing changed';
  const sent = starts.length === 0 ? 'no rule starts a run for that' : `start of ${starts.join(', ')} sent`;
  return `${sets.map(describeCounts).join(', ')}: ${sent}`;
}

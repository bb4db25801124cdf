import type { ChangeSet } from '#shared/ledger/rows/watch-row.ts';
import type { TickAnswer } from '#shared/messages/tick-answer.ts';
import { type ChangeCounts, countOf, describeCounts, describeSetCounts } from './change-set.ts';

/** What one complete look at a listing came to. */
export interface Look {
  readonly packages: number;
  readonly pages: number;
  readonly isBaseline: boolean;
  /** What this look found. */
  readonly counts: ChangeCounts;
  /** The change set that this look closed. */
  readonly closed: ChangeSet | undefined;
}

/** A change set that is open when a poll ends: since when, and until when it waits for more. Instants. */
export interface Waiting {
  readonly since: string;
  readonly until: string;
}

/** What a poll finds in the head row beside its own look. */
export interface Pending {
  /** A change set that it closed before it looked. */
  readonly leftover: ChangeSet | undefined;
  readonly waiting: Waiting | undefined;
}

/** A poll's answer: `288 packages, 1 changed: start of smoke sent`. */
export function pollAnswer(watch: string, look: Look, { leftover, waiting }: Pending): TickAnswer {
  const { packages, pages, isBaseline, closed } = look;
  const sets = [leftover, closed].filter((set) => set !== undefined);
  const starts = startsOf(sets);
  const changes = sets.reduce((sum, set) => sum + countOf(set), 0);
  const news = [
    ...(sets.length > 0 ? [sentFor(sets)] : []),
    ...(waiting === undefined
      ? []
      : [`${describeCounts(look.counts) || 'nothing more changed'}: ${waitingWords(waiting)}`]),
  ];
  if (news.length === 0) news.push(isBaseline ? 'nothing to compare with yet' : 'nothing changed');
  const summary = [`${packages} packages`, ...(isBaseline ? ['first look'] : []), news.join('; ')].join(', ');
  return { summary, watch, packages, pages, changes, isBaseline, starts, ...waitingField(waiting) };
}

/** The answer of a poll that found another one at work on its watch. */
export function underWayAnswer(watch: string): TickAnswer {
  return { summary: `another poll of ${watch} is under way; this one has nothing to do`, watch };
}

/** The answer of a poll that found the gate closed. */
export function gateAnswer(watch: string, pending: Pending): TickAnswer {
  return unfinished(watch, 0, ['nobody calls the gateway at the moment', 'a later poll looks'], pending);
}

/** The answer of a poll whose walk was cut off. */
export function cutAnswer(
  watch: string,
  { pages, why }: { readonly pages: number; readonly why: string },
  pending: Pending,
): TickAnswer {
  return unfinished(watch, pages, [`cut off after page ${pages}: ${why}`, 'the next poll goes on from there'], pending);
}

function unfinished(
  watch: string,
  pages: number,
  sentences: readonly string[],
  { leftover, waiting }: Pending,
): TickAnswer {
  const sets = leftover === undefined ? [] : [leftover];
  const summary = [
    ...sentences,
    ...(leftover === undefined ? [] : [`from before: ${sentFor(sets)}`]),
    ...(waiting === undefined ? [] : [waitingWords(waiting)]),
  ].join('; ');
  const changes = leftover === undefined ? 0 : countOf(leftover);
  return { summary, watch, pages, changes, isUnfinished: true, starts: startsOf(sets), ...waitingField(waiting) };
}

function sentFor(sets: readonly ChangeSet[]): string {
  const starts = startsOf(sets);
  const sent = starts.length === 0 ? 'no rule starts a run for that' : `start of ${starts.join(', ')} sent`;
  return `${sets.map(describeSetCounts).join(', ')}: ${sent}`;
}

function startsOf(sets: readonly ChangeSet[]): readonly string[] {
  return [...new Set(sets.flatMap((set) => set.starts))];
}

function waitingWords({ since, until }: Waiting): string {
  return `the change set of ${since} waits until ${until} for more`;
}

function waitingField(waiting: Waiting | undefined): { readonly waitsUntil?: string } {
  return waiting === undefined ? {} : { waitsUntil: waiting.until };
}

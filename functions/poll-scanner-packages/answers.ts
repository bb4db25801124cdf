import { countOf } from '#shared/changes/words.ts';
import type { PackageChangeSet } from '#shared/ledger/rows/watch-row.ts';
import type { TickAnswer } from '#shared/messages/questions.ts';
import { type ChangeCounts, describeCounts, describeSetCounts } from './change-set.ts';

/** What one complete look at a listing came to. */
export interface Look {
  readonly packages: number;
  readonly pages: number;
  readonly isBaseline: boolean;
  /** What this look found. */
  readonly counts: ChangeCounts;
  /** The change set that this look closed. */
  readonly closed: PackageChangeSet | undefined;
}

/** What a poll finds in the head row beside its own look. */
export interface Pending {
  /** A change set that was sent before the look. */
  readonly leftover: PackageChangeSet | undefined;
  /** A change set that is open when the poll ends: since when, and until when it waits for more. */
  readonly waiting: { readonly since: string; readonly until: string } | undefined;
}

/** A poll's answer: `288 packages, 1 changed: start of smoke sent`. */
export function pollAnswer(watch: string, look: Look, { leftover, waiting }: Pending): TickAnswer {
  const { packages, pages, isBaseline, closed } = look;
  const sets = [leftover, closed].filter((set) => set !== undefined);
  const news = [
    ...(sets.length > 0 ? [sentFor(sets)] : []),
    ...(waiting === undefined
      ? []
      : [`${describeCounts(look.counts) || 'nothing more changed'}: ${waitingWords(waiting)}`]),
  ];
  if (news.length === 0) news.push(isBaseline ? 'nothing to compare with yet' : 'nothing changed');
  const summary = [`${packages} packages`, ...(isBaseline ? ['first look'] : []), news.join('; ')].join(', ');
  return { summary, watch, packages, pages, isBaseline, ...factsOf(sets, waiting) };
}

/** The answer of a poll that did not see the last page. */
export function unfinishedAnswer(
  watch: string,
  { pages, why }: { readonly pages: number; readonly why: string },
  { leftover, waiting }: Pending,
): TickAnswer {
  const sets = leftover === undefined ? [] : [leftover];
  const summary = [
    ...(pages === 0
      ? [why, 'a later poll looks']
      : [`cut off after page ${pages}: ${why}`, 'the next poll begins at the first page']),
    ...(leftover === undefined ? [] : [`from before: ${sentFor(sets)}`]),
    ...(waiting === undefined ? [] : [waitingWords(waiting)]),
  ].join('; ');
  return { summary, watch, pages, isUnfinished: true, ...factsOf(sets, waiting) };
}

function factsOf(sets: readonly PackageChangeSet[], waiting: Pending['waiting']) {
  const changes = sets.reduce((sum, set) => sum + countOf(set), 0);
  return { changes, starts: startsOf(sets), waitsUntil: waiting?.until };
}

function sentFor(sets: readonly PackageChangeSet[]): string {
  const starts = startsOf(sets);
  const sent = starts.length === 0 ? 'no rule starts a run for that' : `start of ${starts.join(', ')} sent`;
  return `${sets.map(describeSetCounts).join(', ')}: ${sent}`;
}

function startsOf(sets: readonly PackageChangeSet[]): readonly string[] {
  return [...new Set(sets.flatMap((set) => set.starts))];
}

function waitingWords({ since, until }: NonNullable<Pending['waiting']>): string {
  return `the change set of ${since} waits until ${until} for more`;
}

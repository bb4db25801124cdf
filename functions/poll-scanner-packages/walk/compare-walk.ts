import type { PackageChangeRuleDocument } from '#shared/config/automation.ts';
import type { ChangeSet, FoundInChunk, SeenPackage, WatchChunkRow } from '#shared/ledger/rows/watch-row.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { LeaseLostError } from '../../_watch/leased-row.ts';
import { addFound, type ChangeCounts, countKinds } from '../change-set.ts';
import { asKnownWhereSame, comparePackages, type Comparison, type FoundChange } from '../compare-packages.ts';
import type { CompleteWalk } from './walk-packages.ts';
import { seenInGroup } from './walk-rows.ts';
import { byChunk, type Chunk, chunkGroups, readGroup, rowOf, type WatchHead } from '../poll-state.ts';
import { isLike } from '#shared/changes/words.ts';

/** A complete walk, and what it is compared with. A chunk at a time: memory does not grow with the listing. */
export interface WalkComparison {
  readonly walk: CompleteWalk;
  readonly watch: string;
  readonly ledger: Ledger;
  /** What changes are noted for; absent for a baseline, which knows of none. */
  readonly report?: { readonly set: Pick<ChangeSet, 'id'>; readonly rules: readonly PackageChangeRuleDocument[] };
}

/** What a walk comes to, before anything is written. */
export interface Survey {
  readonly known: number;
  readonly seen: number;
  /** Known packages that were not seen. */
  readonly gone: number;
  readonly counts: ChangeCounts;
  /** Groups with a row that is to be written. */
  readonly groups: readonly number[];
}

interface ComparedChunk {
  readonly chunk: Chunk;
  readonly after: WatchChunkRow | undefined;
  readonly known: number;
  readonly seen: number;
  readonly comparison: Comparison;
}

/**
 * Compares all of a walk with all that is known.
 * @throws AppError WATCH_TOO_LARGE
 */
export async function surveyWalk(work: WalkComparison, head: WatchHead): Promise<Survey> {
  let survey: Survey = { known: 0, seen: 0, gone: 0, counts: countKinds([]), groups: [] };
  for (const group of chunkGroups) {
    await head.renewLease();
    let differs = false;
    for await (const compared of compareGroup(group, work)) {
      survey = addToSurvey(survey, compared);
      differs ||= compared.after !== undefined;
    }
    if (differs) survey = { ...survey, groups: [...survey.groups, group] };
  }
  return survey;
}

/**
 * Writes the rows of these groups that differ: the fingerprints, and in the same write what they make known.
 * @returns how many packages the walk saw in these groups
 * @throws LeaseLostError when one of the rows was written by another poll since it was read
 */
export async function writeGroups(groups: readonly number[], work: WalkComparison, head: WatchHead): Promise<number> {
  let packages = 0;
  for (const group of groups) {
    await head.renewLease();
    for await (const { chunk, after, seen } of compareGroup(group, work)) {
      packages += seen;
      if (after === undefined) continue;
      // The row was read a moment ago, so its version says nothing of a poll that came while this one stood still before that.
      await head.renewLease();
      if ((await work.ledger.write(chunk.row, after)) === undefined) throw new LeaseLostError('a row of fingerprints');
    }
  }
  return packages;
}

async function* compareGroup(group: number, work: WalkComparison): AsyncGenerator<ComparedChunk, void, undefined> {
  const { walk, watch, ledger } = work;
  const seen = byChunk(await seenInGroup(walk, group, { ledger, watch }), watch);
  for await (const chunk of readGroup(ledger, watch, group)) {
    yield compareChunk(chunk, seen.get(chunk.pk) ?? new Map(), work.report);
  }
}

function compareChunk(
  chunk: Chunk,
  seen: ReadonlyMap<string, SeenPackage>,
  report: WalkComparison['report'],
): ComparedChunk {
  const known = new Map(Object.entries(chunk.row?.packages ?? {}));
  const inChunk = asKnownWhereSame(known, seen);
  const comparison = report === undefined ? { changes: [], next: inChunk, gone: 0 } : comparePackages(known, inChunk);
  const after = rowOf(chunk, comparison.next, foundAfter(chunk.row?.found, comparison.changes, report));
  return { chunk, after, known: known.size, seen: inChunk.size, comparison };
}

/** What the row of a chunk has to say for the set. */
function foundAfter(
  before: FoundInChunk | undefined,
  found: readonly FoundChange[],
  report: WalkComparison['report'],
): FoundInChunk | undefined {
  if (report === undefined) return undefined;
  const changes = found.map(({ kind, packageId, name, fields }) => ({ kind, packageId, name, fields }));
  return addFound(before, {
    changeSet: report.set.id,
    changes,
    more: 0,
    starts: startsForPackages(found, report.rules),
  });
}

function addToSurvey(survey: Survey, { known, seen, comparison }: ComparedChunk): Survey {
  const { changed, added, removed } = countKinds(comparison.changes);
  return {
    ...survey,
    known: survey.known + known,
    seen: survey.seen + seen,
    gone: survey.gone + comparison.gone,
    counts: {
      changed: survey.counts.changed + changed,
      added: survey.counts.added + added,
      removed: survey.counts.removed + removed,
    },
  };
}

/** The runs that the rules name for these changes: each once, in the order of the rules. */
export function startsForPackages(
  changes: readonly FoundChange[],
  rules: readonly PackageChangeRuleDocument[],
): readonly string[] {
  const matching = rules.filter((rule) => changes.some((change) => isMatch(change, rule.match)));
  return [...new Set(matching.map((rule) => rule.start))];
}

/** Every pattern that the rule gives must match. */
function isMatch(change: FoundChange, match: PackageChangeRuleDocument['match']): boolean {
  return (
    (match.kind === undefined || match.kind === change.kind) &&
    isLike(change.name, match.name) &&
    isLike(change.packageId, match.id) &&
    isLike(change.direction, match.direction) &&
    isLike(change.source, match.source) &&
    (match.field === undefined || isFieldMatch(change, match.field))
  );
}

/** The field is one that changed, so it never matches an added or a removed package. `availableUpdate` says more: that an update waits now. */
function isFieldMatch(change: FoundChange, pattern: string): boolean {
  const asksForUpdate = pattern.toLowerCase() === 'availableupdate';
  if (asksForUpdate && change.doesUpdateWait !== true) return false;
  return change.fields.some((field) => isLike(field, pattern));
}

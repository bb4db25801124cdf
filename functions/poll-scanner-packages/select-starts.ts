import type { ResolvedChangeRule } from '#shared/config/resolve/resolved-automation.ts';
import { isLike } from '#shared/changes/words.ts';
import type { FoundChange } from './compare-packages.ts';

/** The runs that the rules name for these changes: each once, in the order of the rules. */
export function selectStarts(changes: readonly FoundChange[], rules: readonly ResolvedChangeRule[]): readonly string[] {
  const matching = rules.filter((rule) => changes.some((change) => isMatch(change, rule.match)));
  return [...new Set(matching.map((rule) => rule.start))];
}

/** Every pattern that the rule gives must match. */
function isMatch(change: FoundChange, match: ResolvedChangeRule['match']): boolean {
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

import type { ResolvedChangeRule } from '../../shared/config/resolved-automation.ts';
import { isLike } from '../../shared/changes/pattern.ts';
import type { FoundChange } from './compare-packages.ts';

/** The runs that the rules name for these changes: each once, in the order of the rules. */
export function selectStarts(changes: readonly FoundChange[], rules: readonly ResolvedChangeRule[]): readonly string[] {
  const matching = rules.filter((rule) => changes.some((change) => isMatch(change, rule.match)));
  return [...new Set(matching.map((rule) => rule.start))];
}

/** Every pattern that the rule gives must match. A `field` is one that changed, so it never matches an added or a removed package. */
function isMatch(change: FoundChange, match: ResolvedChangeRule['match']): boolean {
  return (
    (match.kind === undefined || match.kind === change.kind) &&
    isLike(change.name, match.name) &&
    isLike(change.packageId, match.id) &&
    isLike(change.direction, match.direction) &&
    isLike(change.source, match.source) &&
    (match.field === undefined || change.fields.some((field) => isLike(field, match.field)))
  );
}

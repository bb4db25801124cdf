import { isLike } from '#shared/changes/words.ts';
import type { ResolvedProjectChangeRule } from '#shared/config/resolve/resolved-automation.ts';
import type { Difference } from '#shared/changes/compare-configs.ts';

/** The runs that the rules name for these differences: each once, in the order of the rules. */
export function selectStarts(
  differences: readonly Difference[],
  rules: readonly ResolvedProjectChangeRule[],
): readonly string[] {
  const matching = rules.filter(({ match }) =>
    differences.some(
      ({ kind, field }) => isLike(field, match.field) && (match.kind === undefined || match.kind === kind),
    ),
  );
  return [...new Set(matching.map(({ start }) => start))];
}

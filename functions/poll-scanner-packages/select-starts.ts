import type { ResolvedChangeRule } from '../../shared/config/resolved-automation.ts';
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

/** Whether a text matches a pattern in which `*` stands for anything, in any case of letters; no pattern matches everything. */
function isLike(text: string | undefined, pattern: string | undefined): boolean {
  if (pattern === undefined) return true;
  if (text === undefined) return false;
  // Without a regular expression: a pattern of many stars would make one run for minutes.
  const [first = '', ...rest] = pattern.toLowerCase().split('*');
  const last = rest.pop();
  const subject = text.toLowerCase();
  if (last === undefined) return subject === first;
  if (!subject.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const found = subject.indexOf(part, from);
    if (found === -1) return false;
    from = found + part.length;
  }
  return subject.length - last.length >= from && subject.endsWith(last);
}

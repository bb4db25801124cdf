/** IAM's wildcards: `*` for any text, `?` for one character; everything else stands for itself. */

/** Whether a text matches a pattern. Linear in practice: a star only ever backtracks to the last one. */
export function matchesGlob(pattern: string, text: string): boolean {
  let at = 0;
  let position = 0;
  let lastStar = -1;
  let resume = 0;
  while (position < text.length) {
    if (pattern[at] === '*') {
      lastStar = at++;
      resume = position;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === text[position])) {
      at++;
      position++;
    } else if (lastStar >= 0) {
      at = lastStar + 1;
      position = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}

/** Whether an ARN matches a pattern, part by part: a star in one part does not swallow the colon to the next. */
export function matchesArn(pattern: string, arn: string): boolean {
  if (pattern === '*') return true;
  const patterns = arnParts(pattern);
  const parts = arnParts(arn);
  return patterns.length === parts.length && patterns.every((part, index) => matchesGlob(part, parts[index] ?? ''));
}

function arnParts(arn: string): string[] {
  const parts = arn.split(':');
  return parts.length <= 6 ? parts : [...parts.slice(0, 5), parts.slice(5).join(':')];
}

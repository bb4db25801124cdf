/**
 * Whether a text matches a pattern of a rule, in which `*` stands for anything, in any case of letters; no pattern matches everything.
 * @example isLike('scanners.019ba000.version', 'scanners.*.version') // true
 */
export function isLike(text: string | undefined, pattern: string | undefined): boolean {
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

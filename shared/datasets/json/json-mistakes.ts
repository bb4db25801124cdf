/** What people write for JSON that is none. */

interface Mistake {
  readonly says: string;
  /** Looked for outside of texts. */
  readonly pattern: RegExp;
}

const mistakes: readonly Mistake[] = [
  { says: 'a code fence of Markdown is no JSON: delete it', pattern: /```/ },
  { says: 'JSON has no comments: delete them', pattern: /\/\/|\/\*|(?:^|\n)[ \t]{0,20}#/ },
  {
    says: 'single quotes, True, False and None are no JSON, as Python prints them: write it with json.dumps',
    pattern: /'|\b(?:True|False|None)\b/,
  },
  { says: 'NaN and Infinity are no JSON: write null', pattern: /\b(?:NaN|Infinity)\b/ },
  { says: 'typographic quotes are no quotes of JSON: write "', pattern: /[\u201C\u201D]/ },
  { says: 'the comma after the last item is no JSON: delete it', pattern: /,\s{0,1000}[\]}]/ },
  { says: 'the names of JSON stand in double quotes', pattern: /[{,]\s{0,100}[A-Za-z_]\w{0,60}\s{0,10}:/ },
  { says: 'a comma stands behind the value: delete it, or write one array of all', pattern: /,\s*$/ },
];

/** Says what is wrong with a text that is no JSON, if it is a usual mistake, and where in the text it stands. Pure. */
export function jsonMistake(text: string): { readonly says: string; readonly at: number } | undefined {
  const outside = withoutTexts(text);
  for (const { says, pattern } of mistakes) {
    const at = outside.search(pattern);
    if (at >= 0) return { says, at };
  }
  return undefined;
}

/** The same text with blank texts, each as long as it was. A text ends with its line. */
function withoutTexts(text: string): string {
  return text.replaceAll(/"(?:[^"\\\n]+|\\[^])*"?/g, blank);
}

function blank(text: string): string {
  return text.replaceAll(/[^"]+/g, ({ length }) => ' '.repeat(length));
}

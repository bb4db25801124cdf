/** The little XML that S3 and the Query protocol need. */

/** Escapes text for an element; control characters that XML 1.0 can't hold become references. */
function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\r', '&#13;');
}

/** One element with text. */
export function element(name: string, text: string | number | boolean | undefined): string {
  return text === undefined ? '' : `<${name}>${escapeXml(String(text))}</${name}>`;
}

/** One element with elements inside. */
export function container(name: string, content: string | readonly string[], xmlns?: string): string {
  const inner = typeof content === 'string' ? content : content.join('');
  return `<${name}${xmlns === undefined ? '' : ` xmlns="${xmlns}"`}>${inner}</${name}>`;
}

/** The contents of every element of that name, still escaped; enough for requests without nesting of one name. */
export function elementsIn(xml: string, name: string): string[] {
  const pattern = new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, 'g');
  return [...xml.matchAll(pattern)].map((match) => match[1] ?? '');
}

/** The text of the first element of that name. */
export function textIn(xml: string, name: string): string | undefined {
  return elementsIn(xml, name)[0]
    ?.replaceAll('&quot;', '"')
    .replaceAll('&#34;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .trim();
}

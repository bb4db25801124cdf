/** The places of values in a JSON text: none of them is made, however many there are. */

const [quote, backslash] = [0x22, 0x5c];
const structure = new Set(Array.from('[]{},', (sign) => sign.charCodeAt(0)));

/** The place of the next bracket, brace or comma that is not part of a text; -1: there is none. */
export function nextSign(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = textEnd(text, at);
    else if (structure.has(code)) return at;
  }
  return -1;
}

/** The quote that ends a text. */
function textEnd(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1;
  return at;
}

const steps: Readonly<Record<string, number>> = { '[': 1, '{': 1, ']': -1, '}': -1 };

/** How far a sign leads into lists and objects; a comma leads nowhere. */
export function stepAt(text: string, at: number): number {
  return steps[text[at] ?? ''] ?? 0;
}

/** The place behind the value that begins with a bracket or a brace; -1: it is never closed. */
export function valueEnd(text: string, from: number): number {
  let depth = 0;
  for (let at = nextSign(text, from); at >= 0; at = nextSign(text, at + 1)) {
    depth += stepAt(text, at);
    if (depth === 0) return at + 1;
  }
  return -1;
}

/** A list in a JSON object. */
export interface FoundList {
  /** The keys that lead to it. */
  readonly path: readonly string[];
  /** Its place in the text. */
  readonly at: number;
  readonly of: 'objects' | 'texts' | 'others';
}

/** More lists, or deeper ones, are in no wrapper of a table. */
const [mostLists, mostDepth] = [1_000, 8];

/** The lists in an object, in their order, but for lists in lists. */
export function listsIn(text: string, from: number): readonly FoundList[] {
  const lists: FoundList[] = [];
  const path: string[] = [];
  let member = from + 1;
  for (let at = nextSign(text, from + 1); at >= 0 && lists.length < mostLists; at = nextSign(text, at)) {
    const sign = text[at];
    const key = sign === '[' || sign === '{' ? keyOf(text.slice(member, at)) : '';
    if (sign === '[') {
      lists.push({ path: [...path, key], at, of: kindAt(text, at + 1) });
      const end = valueEnd(text, at);
      if (end < 0) break;
      at = end - 1;
    } else if (sign === '{') {
      if (path.length >= mostDepth) break;
      path.push(key);
    } else if (sign === '}' && path.pop() === undefined) break;
    at += 1;
    member = at;
  }
  return lists;
}

function keyOf(before: string): string {
  const found = /^\s*(?<key>"[^\n]{0,500}")\s*:\s*$/.exec(before.slice(0, 1_000))?.groups?.['key'];
  try {
    return found === undefined ? '' : String(JSON.parse(found));
  } catch {
    return '';
  }
}

function kindAt(text: string, from: number): FoundList['of'] {
  const first = text.slice(from, from + 1_000).trimStart()[0];
  return first === '{' ? 'objects' : first === '"' ? 'texts' : 'others';
}

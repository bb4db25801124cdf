import { hash } from 'node:crypto';

/** Chance of two values with one hash: 2⁻⁴⁸. Longer hashes only make the rows larger. */
const hashLength = 12;

/** Most fields of most packages say what others say too (`false`, a direction, a source). These texts are hashed once. */
const mostRemembered = 4096;
const longestRemembered = 128;
const remembered = new Map<string, string>();

/** What the ledger keeps of a value that it compares again later; the value itself it does not keep. */
export function shortHash(value: unknown): string {
  const text = canonicalJson(value);
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const short = hash('sha256', text).slice(0, hashLength);
  if (text.length <= longestRemembered) {
    if (remembered.size >= mostRemembered) remembered.clear();
    remembered.set(text, short);
  }
  return short;
}

/** One text for one value: keys sorted, and lists too, since what is listed (ids, tags, capabilities) are sets and their order is no news. */
function canonicalJson(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
    return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).toSorted().join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`);
  return `{${fields.toSorted().join(',')}}`;
}

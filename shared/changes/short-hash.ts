import { createHash } from 'node:crypto';

/** Chance of two values with one hash: 2⁻⁴⁸. Longer hashes only make the rows larger. */
const hashLength = 12;

/** What the ledger keeps of a value that it compares again later; the value itself it does not keep. */
export function shortHash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, hashLength);
}

/** One text for one value: keys sorted, and lists too, since what is listed (ids, tags, capabilities) are sets and their order is no news. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).toSorted().join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`);
  return `{${fields.toSorted().join(',')}}`;
}

/** What a query parameter may be given as. */
export type QueryValue = string | number | boolean | readonly string[] | undefined;

/** The query with its question mark, or nothing. Lists repeat their name; undefined is left out. */
export function queryString(parameters: Readonly<Record<string, QueryValue>>): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    const values = Array.isArray(value) ? value : [value];
    for (const one of values)
      pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(String(one).toWellFormed())}`);
  }
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

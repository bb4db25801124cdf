/** Where uploads are looked for. */
export interface WatchedPrefix {
  readonly prefix: string;
  /**
   * Uploads before this instant are not looked for, RFC 3339. @default when the prefix was first
   * seen
   */
  readonly since?: string;
}

/**
 * For each watched prefix, since when uploads below it are looked for: an instant of the
 * configuration, or its first deployment.
 */
export type SinceByPrefix = Readonly<Record<string, string>>;

/**
 * A prefix without `since` in the configuration keeps the instant at which it was first seen, or a
 * wider one. A prefix that the configuration no longer names is forgotten.
 */
export function sinceByPrefix(watched: readonly WatchedPrefix[], seen: SinceByPrefix, now: Date): SinceByPrefix {
  return Object.fromEntries(
    watched.map(({ prefix, since }) => [prefix, since ?? sinceOf(seen, prefix) ?? now.toISOString()]),
  );
}

/** The prefixes to list: those that lie below no other one, in order. */
export function rootsOf(scope: SinceByPrefix): readonly string[] {
  const prefixes = Object.keys(scope).toSorted();
  return prefixes.filter((prefix) => !prefixes.some((other) => other !== prefix && prefix.startsWith(other)));
}

/**
 * Since when uploads of this key are looked for, by the longest prefix that it has; nothing: it is
 * not watched.
 */
export function sinceOf(scope: SinceByPrefix, key: string): string | undefined {
  const [longest] = Object.keys(scope)
    .filter((prefix) => key.startsWith(prefix))
    .toSorted((a, b) => b.length - a.length);
  return longest === undefined ? undefined : scope[longest];
}

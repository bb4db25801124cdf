/** Instants as the gateway reads them: RFC 3339 with an offset. A local time names no instant and is refused. */

const pattern =
  /^(?<date>\d{4}-\d{2}-\d{2})T(?<time>[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/u;

/** The instant, or nothing where the text is not one (30 February included). */
export function parseInstant(text: string): Date | undefined {
  const date = pattern.exec(text)?.groups?.['date'];
  if (date === undefined) return undefined;
  const midnight = new Date(`${date}T00:00:00Z`);
  // Some engines roll 30 February over into March instead of refusing it.
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(date)) return undefined;
  const instant = new Date(text);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}

import { UsageError } from './errors.ts';
import type { RunSubject } from './recorded-latest.ts';

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Whether a text is a uuid. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}

/** A run by its configured name, or by its uuid. */
export function runSubject(text: string): RunSubject {
  if (isUuid(text)) return { campaignRunId: text.toLowerCase() };
  // Long, and only what uuids are made of: a slip in a uuid rather than a name.
  if (/^[0-9a-f-]{28,}$/i.test(text))
    throw new UsageError(`"${text}" is not a whole uuid: 8-4-4-4-12 hexadecimal digits`);
  return { run: text };
}

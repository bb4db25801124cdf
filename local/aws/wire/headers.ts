/** Reading HTTP headers. */
import type { IncomingHttpHeaders } from 'node:http';

/** A header's text; the first where there are several. */
export function headerText(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

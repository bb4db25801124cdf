const needsQuotes = /[",\r\n]/;

/** A text as a field of CSV (RFC 4180, 2.5 to 2.7). */
export function csvField(text: string): string {
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

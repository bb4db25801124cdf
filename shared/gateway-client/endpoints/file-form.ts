/**
 * A dataset and its file as one body of multipart/form-data (RFC 7578, encoded as HTML forms are).
 * It is whole in memory: its length is known, and nothing is read or made while it is sent.
 */
import { randomUUID } from 'node:crypto';

/** A body with its type. */
export interface FileForm {
  readonly contentType: string;
  readonly body: Buffer;
}

/** Fields by their names; a list is one part for each of its texts, an absent one is no part. */
type FormFields = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The form of a file.
 * @param newBoundary - tried until one comes that occurs nowhere in fields and file
 * @example fileForm({ name: 'jailbreaks', scannerVersions: ['2026-02'] }, { name: 'a.csv', content: bytes })
 */
export function fileForm(
  fields: FormFields,
  { name, content }: { readonly name: string; readonly content: Uint8Array },
  newBoundary: () => string = () => `gateway-autopilot-${randomUUID()}`,
): FileForm {
  const heads = [...fieldHeads(fields), fileHead(name)];
  for (;;) {
    const boundary = newBoundary();
    const head = heads.map((text) => `--${boundary}\r\n${text}`).join('\r\n');
    const body = Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]);
    // One boundary before each part, and one at the end.
    if (occurrences(body, boundary) === heads.length + 1)
      return { contentType: `multipart/form-data; boundary=${boundary}`, body };
  }
}

function fieldHeads(fields: FormFields): readonly string[] {
  return Object.entries(fields).flatMap(([field, value]) =>
    [value ?? []].flat().map((text) => `Content-Disposition: form-data; name="${field}"\r\n\r\n${text}`),
  );
}

function fileHead(name: string): string {
  // As HTML has it: readers take these three back, and no other character ends a file's name.
  const escaped = name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const type = name.toLowerCase().endsWith('.csv') ? 'text/csv' : 'application/octet-stream';
  return `Content-Disposition: form-data; name="file"; filename="${escaped}"\r\nContent-Type: ${type}\r\n\r\n`;
}

/** Overlapping ones too. */
function occurrences(body: Buffer, boundary: string): number {
  let count = 0;
  for (let at = body.indexOf(boundary); at !== -1; at = body.indexOf(boundary, at + 1)) count += 1;
  return count;
}

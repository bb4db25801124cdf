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

/** The form of a file. Its boundary is random, so neither fields nor file can hold it. */
export function fileForm(
  fields: FormFields,
  { name, content }: { readonly name: string; readonly content: Uint8Array },
): FileForm {
  const boundary = `gateway-autopilot-${randomUUID()}`;
  const head = [...fieldHeads(fields), fileHead(name)].map((text) => `--${boundary}\r\n${text}`).join('\r\n');
  const body = Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { contentType: `multipart/form-data; boundary=${boundary}`, body };
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

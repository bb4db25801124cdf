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

/** A form whose file is on its way. Its body is the only copy of the file. */
export interface OpenForm {
  /** Takes the next bytes of the file. */
  readonly write: (piece: Uint8Array) => void;
  /** The form, once every byte of the file is in it. */
  readonly end: () => FileForm;
}

/** Fields by their names; a list is one part for each of its texts, an absent one is no part. */
export type FormFields = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Begins the form of a file whose size is known.
 * @param newBoundary - tried until one comes that occurs nowhere in fields and file
 * @example
 * const form = openFileForm({ name: 'jailbreaks', scannerVersions: ['2026-02'] }, { name: 'a.csv', sizeBytes: 13 });
 * form.write(bytes);
 * const { contentType, body } = form.end();
 */
export function openFileForm(
  fields: FormFields,
  { name, sizeBytes }: { readonly name: string; readonly sizeBytes: number },
  newBoundary: () => string = () => `gateway-autopilot-${randomUUID()}`,
): OpenForm {
  const heads = [...fieldHeads(fields), fileHead(name)];
  let written = 0;
  let laid = layOut(heads, newBoundary(), Buffer.allocUnsafe(0), sizeBytes);
  return {
    write(piece) {
      laid.file.set(piece, written); // throws if there is no room for it
      written += piece.byteLength;
    },
    end() {
      if (written !== sizeBytes) throw new Error(`the file has ${sizeBytes} bytes, and ${written} of them came`);
      // One boundary before each part, and one at the end.
      while (occurrences(laid.body, laid.boundary) !== heads.length + 1) {
        laid = layOut(heads, newBoundary(), laid.file, sizeBytes);
      }
      return { contentType: `multipart/form-data; boundary=${laid.boundary}`, body: laid.body };
    },
  };
}

/** A body with room for its file, and the part of it that is that room. */
function layOut(heads: readonly string[], boundary: string, content: Buffer, sizeBytes: number) {
  const head = Buffer.from(heads.map((text) => `--${boundary}\r\n${text}`).join('\r\n'));
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const body = Buffer.allocUnsafe(head.length + sizeBytes + tail.length);
  const file = body.subarray(head.length, head.length + sizeBytes);
  head.copy(body);
  content.copy(file);
  tail.copy(body, head.length + sizeBytes);
  return { boundary, body, file };
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

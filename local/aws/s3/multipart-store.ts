/**
 * Uploads in parts that are not complete yet; kept on disk, as they survive a restart on AWS too.
 */
import { createHash, randomBytes } from 'node:crypto';
import { withinTransaction, openDatabase, textColumn } from '../storage/open-database.ts';

/** An upload that was begun. */
export interface MultipartUpload {
  readonly bucket: string;
  readonly key: string;
  /** The object's headers, as given at the beginning. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A part as the completing request names it. */
interface NamedPart {
  readonly number: number;
  readonly etag: string;
}

/** A part that was put. */
interface StoredPart extends NamedPart {
  readonly sizeBytes: number;
}

/** Uploads in progress. */
export interface MultipartStore {
  begin(upload: MultipartUpload): string;
  find(uploadId: string): MultipartUpload | undefined;
  /** Stores a part; its ETag. */
  addPart(uploadId: string, number: number, content: Buffer): string;
  /** The parts after a number, in order; at most so many. */
  parts(uploadId: string, after: number, limit: number): readonly StoredPart[];
  /** The whole content and its ETag, or undefined if a named part is not there as named. */
  assemble(uploadId: string, parts: readonly NamedPart[]): { content: Buffer; etag: string } | undefined;
  forget(uploadId: string): void;
  close(): void;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS uploads (id TEXT PRIMARY KEY, bucket TEXT NOT NULL, key TEXT NOT NULL, headers TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS parts (upload TEXT NOT NULL, number INTEGER NOT NULL, etag TEXT NOT NULL,
    content BLOB NOT NULL, PRIMARY KEY (upload, number));
`;

/** Opens the uploads kept in `dataDir`. */
export function openMultipartStore(dataDir: string): MultipartStore {
  const database = openDatabase(dataDir, 'multipart.db', SCHEMA);
  const insert = database.prepare('INSERT INTO uploads (id, bucket, key, headers) VALUES (?, ?, ?, ?)');
  const byId = database.prepare('SELECT * FROM uploads WHERE id = ?');
  const addPart = database.prepare('INSERT OR REPLACE INTO parts (upload, number, etag, content) VALUES (?, ?, ?, ?)');
  const part = database.prepare('SELECT content FROM parts WHERE upload = ? AND number = ? AND etag = ?');
  const partsAfter = database.prepare(
    'SELECT number, etag, length(content) AS size FROM parts WHERE upload = ? AND number > ? ORDER BY number LIMIT ?',
  );
  const dropParts = database.prepare('DELETE FROM parts WHERE upload = ?');
  const drop = database.prepare('DELETE FROM uploads WHERE id = ?');

  return {
    begin({ bucket, key, headers }) {
      const id = randomBytes(24).toString('base64url');
      insert.run(id, bucket, key, JSON.stringify(headers));
      return id;
    },
    find(uploadId) {
      const row = byId.get(uploadId);
      if (row === undefined) return undefined;
      const parsed: unknown = JSON.parse(textColumn(row, 'headers') ?? '{}');
      const entries = Object.entries(typeof parsed === 'object' && parsed !== null ? parsed : {});
      return {
        bucket: textColumn(row, 'bucket') ?? '',
        key: textColumn(row, 'key') ?? '',
        headers: Object.fromEntries(entries.map(([name, value]) => [name, String(value)])),
      };
    },
    addPart(uploadId, number, content) {
      const etag = createHash('md5').update(content).digest('hex');
      addPart.run(uploadId, number, etag, content);
      return etag;
    },
    parts: (uploadId, after, limit) =>
      partsAfter.all(uploadId, after, limit).map((row) => ({
        number: Number(row['number']),
        etag: textColumn(row, 'etag') ?? '',
        sizeBytes: Number(row['size']),
      })),
    assemble(uploadId, parts) {
      const contents: Buffer[] = [];
      for (const { number, etag } of parts) {
        const bytes = part.get(uploadId, number, etag)?.['content'];
        if (!(bytes instanceof Uint8Array)) return undefined;
        contents.push(Buffer.from(bytes));
      }
      const digests = parts.map(({ etag }) => Buffer.from(etag, 'hex'));
      const digest = createHash('md5').update(Buffer.concat(digests)).digest('hex');
      return { content: Buffer.concat(contents), etag: `${digest}-${parts.length}` };
    },
    forget: (uploadId) =>
      withinTransaction(database, () => {
        dropParts.run(uploadId);
        drop.run(uploadId);
      }),
    close: () => database.close(),
  };
}

/**
 * Buckets' objects with every version, over SQLite: one row a version, delete markers included.
 * Versions are ordered by the sequence in which they were written, never by the clock, which may be
 * moved.
 */
import { createHash, randomUUID } from 'node:crypto';
import * as z from 'zod';
import { inTransaction } from '#gateway/store/database.ts';
import { openDatabase } from '../open-database.ts';

const versionRow = z.object({
  bucket: z.string(),
  key: z.string(),
  /** `null` (the text) in a bucket without versions. */
  versionId: z.string(),
  sequence: z.number(),
  isDeleteMarker: z.number().transform(Boolean),
  isLatest: z.number().transform(Boolean),
  size: z.number(),
  etag: z.string(),
  lastModified: z.number(),
  /** `content-type`, `cache-control` and so on, and `x-amz-meta-…`, as they were sent. */
  headers: z.string().transform((text) => z.record(z.string(), z.string()).parse(JSON.parse(text))),
});

/** One version of an object, or a delete marker. */
export type LocalObjectVersion = Readonly<z.output<typeof versionRow>>;

/** A version to be written. */
interface NewVersion extends Pick<LocalObjectVersion, 'bucket' | 'key' | 'headers'> {
  readonly content: Buffer;
  readonly isVersioned: boolean;
  /** @default the digest of the content; that of an upload in parts is another one */
  readonly etag?: string;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS buckets (name TEXT PRIMARY KEY, created_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS versions (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, bucket TEXT NOT NULL, key TEXT NOT NULL, version_id TEXT NOT NULL,
    marker INTEGER NOT NULL, size INTEGER NOT NULL, etag TEXT NOT NULL, modified_at INTEGER NOT NULL,
    headers TEXT NOT NULL, checksums TEXT NOT NULL, content BLOB NOT NULL
  );
  CREATE UNIQUE INDEX IF NOT EXISTS by_version ON versions (bucket, key, version_id);
`;

const COLUMNS = `bucket, key, version_id AS versionId, sequence, marker AS isDeleteMarker, size, etag, modified_at AS lastModified, headers,
  sequence = (SELECT MAX(sequence) FROM versions AS other WHERE other.bucket = versions.bucket AND other.key = versions.key) AS isLatest`;

/** The versions of all buckets. */
export type LocalObjectStore = ReturnType<typeof openObjectStore>;

/** Opens the objects kept in `dataDir`. */
export function openObjectStore(dataDir: string, now: () => number) {
  const database = openDatabase(dataDir, 'objects.db', SCHEMA);
  // Checksums are of no use here: what is signed holds the digest of the body.
  const insert = database.prepare(
    `INSERT INTO versions (bucket, key, version_id, marker, size, etag, modified_at, headers, checksums, content)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, '', ?)`,
  );
  const erase = database.prepare('DELETE FROM versions WHERE bucket = ? AND key = ? AND version_id = ?');
  const latest = database.prepare(
    `SELECT ${COLUMNS} FROM versions WHERE bucket = ? AND key = ? ORDER BY sequence DESC LIMIT 1`,
  );
  const named = database.prepare(`SELECT ${COLUMNS} FROM versions WHERE bucket = ? AND key = ? AND version_id = ?`);
  const content = database.prepare('SELECT content FROM versions WHERE sequence = ?');
  // Bounds and order by bytes, as S3 has them: SQLite compares UTF-8 text bytewise.
  const list = database.prepare(
    `SELECT ${COLUMNS} FROM versions WHERE bucket = ? AND substr(key, 1, length(?2)) = ?2 ORDER BY key, sequence DESC`,
  );
  const addBucket = database.prepare('INSERT OR IGNORE INTO buckets (name, created_at) VALUES (?, ?)');

  const find = (bucket: string, key: string, versionId?: string): LocalObjectVersion | undefined => {
    const row = versionId === undefined ? latest.get(bucket, key) : named.get(bucket, key, versionId);
    return row && versionRow.parse(row);
  };
  const write = (version: NewVersion, versionId: string, isMarker: 0 | 1): LocalObjectVersion => {
    const { bucket, key, headers, content: bytes } = version;
    const { etag = createHash('md5').update(bytes).digest('hex') } = version;
    insert.run(bucket, key, versionId, isMarker, bytes.length, etag, now(), JSON.stringify(headers), bytes);
    return versionRow.parse(named.get(bucket, key, versionId));
  };
  /** Removes a version for good; undefined if it was not there. */
  const removeVersion = (bucket: string, key: string, versionId: string): LocalObjectVersion | undefined => {
    const version = find(bucket, key, versionId);
    erase.run(bucket, key, versionId);
    return version;
  };

  return {
    put: (version: NewVersion): LocalObjectVersion =>
      inTransaction(database, () => {
        if (!version.isVersioned) erase.run(version.bucket, version.key, 'null');
        return write(version, version.isVersioned ? newVersionId() : 'null', 0);
      }),
    /** The current version, or the one named; a delete marker is found like any other. */
    find,
    content(version: LocalObjectVersion): Buffer {
      const bytes = content.get(version.sequence)?.['content'];
      if (!(bytes instanceof Uint8Array)) throw new Error(`the bytes of ${version.bucket}/${version.key} are missing`);
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
    /**
     * Hides the object behind a delete marker (versioned), or removes it; undefined if there was
     * nothing to remove.
     */
    remove(bucket: string, key: string, isVersioned: boolean): LocalObjectVersion | undefined {
      if (!isVersioned) return removeVersion(bucket, key, 'null');
      return write({ bucket, key, headers: {}, content: Buffer.alloc(0), etag: '', isVersioned }, newVersionId(), 1);
    },
    removeVersion,
    /** Every version with the prefix: by key, newest first. */
    list: (bucket: string, prefix: string) => list.all(bucket, prefix).map((row) => versionRow.parse(row)),
    /** Records that a bucket exists; true the first time. */
    createBucket: (bucket: string) => Number(addBucket.run(bucket, now()).changes) > 0,
    close: () => database.close(),
  };
}

/** 32 characters, as S3's version ids have. */
function newVersionId(): string {
  return randomUUID().replaceAll('-', '');
}

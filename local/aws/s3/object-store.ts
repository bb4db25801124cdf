/**
 * Buckets' objects with every version, over SQLite: one row a version, delete markers included.
 * Versions are ordered by the sequence in which they were written, never by the clock, which may be
 * moved.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { withinTransaction, numberColumn, openDatabase, textColumn } from '../storage/open-database.ts';

/** What is kept beside the bytes. */
export interface ObjectDetails {
  /** `content-type`, `cache-control` and so on, and `x-amz-meta-…`, as they were sent. */
  readonly headers: Readonly<Record<string, string>>;
  readonly checksums: Readonly<Record<string, string>>;
}

/** One version of an object, or a delete marker. */
export interface LocalObjectVersion extends ObjectDetails {
  readonly bucket: string;
  readonly key: string;
  readonly versionId: string;
  readonly sequence: number;
  readonly isDeleteMarker: boolean;
  readonly isLatest: boolean;
  readonly size: number;
  readonly etag: string;
  readonly lastModified: number;
}

/** A version to be written. */
interface NewVersion extends ObjectDetails {
  readonly bucket: string;
  readonly key: string;
  readonly content: Buffer;
  readonly isVersioned: boolean;
  /** Overrides the digest of the content, for multipart uploads. */
  readonly etag?: string;
}

/** The versions of all buckets. */
export interface LocalObjectStore {
  put(version: NewVersion): LocalObjectVersion;
  /** The current version, or the one named; a delete marker is found like any other. */
  find(bucket: string, key: string, versionId?: string): LocalObjectVersion | undefined;
  content(version: LocalObjectVersion): Buffer;
  /**
   * Hides the object behind a delete marker (versioned), or removes it; undefined if there was
   * nothing to remove.
   */
  remove(bucket: string, key: string, isVersioned: boolean): LocalObjectVersion | undefined;
  removeVersion(bucket: string, key: string, versionId: string): LocalObjectVersion | undefined;
  /** Every version with the prefix: by key, newest first. */
  list(bucket: string, prefix: string): LocalObjectVersion[];
  /** Records that a bucket exists; true the first time. */
  createBucket(bucket: string): boolean;
  close(): void;
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

const COLUMNS = `sequence, bucket, key, version_id, marker, size, etag, modified_at, headers, checksums,
  sequence = (SELECT MAX(sequence) FROM versions AS other WHERE other.bucket = versions.bucket AND other.key = versions.key) AS latest`;

/**
 * `LastModified` as S3's listings have it: in whole seconds, while events have milliseconds.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html
 */
export function lastModifiedText(milliseconds: number): string {
  return new Date(Math.floor(milliseconds / 1000) * 1000).toISOString();
}

/** Opens the objects kept in `dataDir`. */
export function openObjectStore(dataDir: string, now: () => number): LocalObjectStore {
  const database = openDatabase(dataDir, 'objects.db', SCHEMA);
  const insert = database.prepare(
    `INSERT INTO versions (bucket, key, version_id, marker, size, etag, modified_at, headers, checksums, content)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
    return row === undefined ? undefined : toVersion(row);
  };
  const write = (
    version: Omit<NewVersion, 'isVersioned'>,
    versionId: string,
    isMarker: boolean,
  ): LocalObjectVersion => {
    const { bucket, key } = version;
    const etag = version.etag ?? createHash('md5').update(version.content).digest('hex');
    const details = [JSON.stringify(version.headers), JSON.stringify(version.checksums)] as const;
    insert.run(
      bucket,
      key,
      versionId,
      isMarker ? 1 : 0,
      version.content.length,
      etag,
      now(),
      ...details,
      version.content,
    );
    const written = find(bucket, key, versionId);
    if (written === undefined) throw new Error(`the object ${bucket}/${key} vanished while it was written`);
    return written;
  };
  const removeVersion = (bucket: string, key: string, versionId: string): LocalObjectVersion | undefined => {
    const version = find(bucket, key, versionId);
    erase.run(bucket, key, versionId);
    return version;
  };

  return {
    put: (version) =>
      withinTransaction(database, () => {
        if (!version.isVersioned) erase.run(version.bucket, version.key, 'null');
        return write(version, version.isVersioned ? newVersionId() : 'null', false);
      }),
    find,
    content(version) {
      const bytes = content.get(version.sequence)?.['content'];
      if (!(bytes instanceof Uint8Array)) throw new Error(`the bytes of ${version.bucket}/${version.key} are missing`);
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
    remove: (bucket, key, isVersioned) => {
      if (!isVersioned) return removeVersion(bucket, key, 'null');
      const marker = { bucket, key, headers: {}, checksums: {}, content: Buffer.alloc(0), etag: '' };
      return write(marker, newVersionId(), true);
    },
    removeVersion,
    list: (bucket, prefix) => list.all(bucket, prefix).map(toVersion),
    createBucket: (bucket) => Number(addBucket.run(bucket, now()).changes) > 0,
    close: () => database.close(),
  };
}

function toVersion(row: Readonly<Record<string, unknown>>): LocalObjectVersion {
  return {
    bucket: textColumn(row, 'bucket') ?? '',
    key: textColumn(row, 'key') ?? '',
    versionId: textColumn(row, 'version_id') ?? '',
    sequence: numberColumn(row, 'sequence') ?? 0,
    isDeleteMarker: row['marker'] === 1,
    isLatest: row['latest'] === 1,
    size: numberColumn(row, 'size') ?? 0,
    etag: textColumn(row, 'etag') ?? '',
    lastModified: numberColumn(row, 'modified_at') ?? 0,
    headers: textRecord(row, 'headers'),
    checksums: textRecord(row, 'checksums'),
  };
}

function textRecord(row: Readonly<Record<string, unknown>>, column: string): Record<string, string> {
  const parsed: unknown = JSON.parse(textColumn(row, column) ?? '{}');
  const entries = Object.entries(typeof parsed === 'object' && parsed !== null ? parsed : {});
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

/** 32 characters, as S3's version ids have. */
function newVersionId(): string {
  return `${randomBytes(24).toString('base64url')}${randomUUID()}`.replaceAll(/[^a-zA-Z0-9]/g, '').slice(0, 32);
}

import { reconcile, type ReconcileDeps } from '#functions/reconcile-ledger/reconcile.ts';
import type { WatchedPrefix } from '#functions/reconcile-ledger/watched-prefixes.ts';
import type { ListedVersion } from '#shared/aws/version-listing.ts';
import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import type { ReconcileRow } from '#shared/ledger/rows/reconcile-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import type { TickAnswer } from '#shared/messages/questions.ts';
import type { EventType } from '#shared/vocabulary/resource-names.ts';
import { type ObjectCreated, parseObjectEvents } from '#shared/uploads/object-events.ts';
import { nightly } from './silence-bench.ts';

/** What the reconciler runs on: minutes and hours in milliseconds. */
export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;

/** What Lambda gives a tick. */
const functionMs = 120_000;
const startOfTime = Date.parse('2026-11-20T10:00:00.000Z');

/** A message that was sent, and the object version that its worker reads in it. */
interface Sent {
  readonly body: string;
  readonly object: ObjectCreated;
}

/**
 * Ticks over a ledger in memory, a bucket of versions, a clock that is moved, and a queue that
 * remembers.
 */
export function createReconcileBench(
  watched: readonly WatchedPrefix[] = [{ prefix: 'datasets/' }],
  memory: Ledger = createMemoryLedger(),
) {
  const bucket: ListedVersion[] = [];
  const sent: Sent[] = [];
  const lines: { readonly level: string; readonly event: string; readonly fields: unknown }[] = [];
  const counted: { readonly metric: string; readonly value: number; readonly reason?: string }[] = [];
  const state = {
    nowMs: startOfTime,
    ticks: 0,
    rowReads: 0,
    /** What a page of the listing costs of the 120 s that a tick has. */
    pageMs: 100,
    remainingMs: 0,
    pageSize: 1000,
    isEmpty: true,
    watched,
  };
  const faults: {
    send: (body: string) => Promise<void>;
    list: () => Promise<void>;
    publish: (type: EventType, id: string) => Promise<void>;
  } = {
    send: async () => {},
    list: async () => {},
    publish: async () => {},
  };
  const now = () => new Date(state.nowMs);
  const line = (level: string) => (event: string, _sentence: string, fields?: unknown) =>
    void lines.push({ level, event, fields });

  const ledger: ReconcileDeps['ledger'] = {
    ...memory,
    async read(pk) {
      if (pk.startsWith('upload#')) state.rowReads += 1;
      return memory.read(pk);
    },
    async readMany(pks) {
      state.rowReads += pks.filter((pk) => pk.startsWith('upload#')).length;
      return memory.readMany(pks);
    },
  };
  const known = new Set<string>();

  const versions: ReconcileDeps['versions'] = {
    async list({ prefix, after }) {
      await faults.list();
      state.remainingMs -= state.pageMs;
      const all = inListingOrder(bucket.filter(({ key }) => key.startsWith(prefix)));
      const from = after === undefined ? 0 : 1 + all.findIndex((version) => isAt(version, after));
      const page = all.slice(from, from + state.pageSize);
      const last = page.at(-1);
      const isMore = last !== undefined && from + page.length < all.length;
      return { versions: page, ...(isMore ? { next: { key: last.key, versionId: last.versionId } } : {}) };
    },
  };

  const queue = {
    async send(body: string) {
      await faults.send(body);
      const parsed = parseObjectEvents(body);
      const [object] = parsed.kind === 'records' ? parsed.records : [];
      if (object?.kind !== 'created') throw new Error(`no worker can read ${body}`);
      sent.push({ body, object });
    },
    isEmpty: async () => state.isEmpty,
  };

  return {
    ledger,
    state,
    faults,
    bucket,
    versions,
    sent,
    lines,
    counted,

    /** An object version that was put now; how many minutes ago, or when, may be said. */
    put(key: string, fields: Partial<ListedVersion> = {}): ListedVersion {
      const version = {
        key,
        versionId: `v${bucket.length + 1}`,
        etag: `e${bucket.length + 1}`,
        sizeBytes: 10,
        lastModified: now(),
        ...fields,
      };
      bucket.push(version);
      return version;
    },

    /** One tick. */
    async tick(): Promise<TickAnswer> {
      state.ticks += 1;
      state.remainingMs = functionMs;
      return reconcile({
        bucket: 'uploads',
        versions,
        ledger,
        queue,
        watched: state.watched,
        known,
        silence: {
          config: { mode: 'act', blackouts: [], silentAlso: [], schedules: [nightly] },
          deployed: { find: async () => undefined },
          bus: { publish: async (type, { eventId }) => faults.publish(type, eventId) },
        },
        reports: {
          log: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
          count: (metric, value) => void counted.push({ metric, value }),
          level: (metric, value, reason) => void counted.push({ metric, value, ...(reason ? { reason } : {}) }),
        },
        now,
        remainingMs: () => state.remainingMs,
        attemptId: `tick-${state.ticks}`,
      });
    },

    /** Time goes by. */
    pass(ms: number): void {
      state.nowMs += ms;
    },

    /** The row that a worker wrote of a version. */
    async register({ key, versionId }: ListedVersion, fields: Partial<UploadRow> = {}): Promise<string> {
      const pk = ledgerKeys.upload('uploads', key, versionId);
      const row: UploadRow = {
        pk,
        kind: 'upload',
        state: 'APPLIED',
        bucket: 'uploads',
        key,
        versionId,
        eventTime: now().toISOString(),
        attempts: 1,
        crashes: 0,
        ...fields,
      };
      await write(row);
      return pk;
    },

    write,
    row: () => memory.read<ReconcileRow>(ledgerKeys.reconcile()),
    /** The values of one metric in the order in which they came; of all rows, or of one reason. */
    metric: (name: string, reason?: string) =>
      counted.filter((each) => each.metric === name && each.reason === reason).map(({ value }) => value),
    keysSent: () => sent.map(({ object }) => object.key),
  };

  async function write(item: LedgerRow): Promise<void> {
    if ((await memory.write(await memory.read(item.pk), item)) === undefined) throw new Error('lost the race');
  }
}

/** By key, the newest version of a key first, as S3 lists them. */
function inListingOrder(versions: readonly ListedVersion[]): ListedVersion[] {
  return versions.toSorted(
    (a, b) =>
      Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)) || b.lastModified.getTime() - a.lastModified.getTime(),
  );
}

function isAt(version: ListedVersion, marker: { readonly key: string; readonly versionId?: string }): boolean {
  return version.key === marker.key && version.versionId === marker.versionId;
}

import { reconcile, type ReconcileDeps } from '#functions/reconcile-ledger/reconcile.ts';
import type { WatchedPrefix } from '#functions/reconcile-ledger/watched-prefixes.ts';
import type { ListedVersion } from '#shared/aws/version-listing.ts';
import type { LedgerRow } from '#shared/ledger/ledger-row.ts';
import type { ReconcileRow } from '#shared/ledger/rows/reconcile-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import type { TickAnswer } from '#shared/messages/questions.ts';
import { type ObjectCreated, parseObjectEvents } from '#shared/uploads/object-events.ts';
import { keptOutput } from '../../../builders/ports.ts';
import { uploadRow } from '../../../builders/run-rows.ts';
import { nightly } from './silence-bench.ts';

/** What the reconciler runs on: minutes and hours in milliseconds. */
export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;

/** What Lambda gives a tick. */
const functionMs = 120_000;
const startOfTime = Date.parse('2026-11-20T10:00:00.000Z');

/**
 * Ticks over a ledger in memory, a bucket of versions, a clock that is moved, and a queue that
 * remembers.
 */
export function createReconcileBench(
  watched: readonly WatchedPrefix[] = [{ prefix: 'datasets/' }],
  memory: Ledger = createMemoryLedger(),
) {
  const bucket: ListedVersion[] = [];
  /** Each message that was sent, and the object version that its worker reads in it. */
  const sent: { readonly body: string; readonly object: ObjectCreated }[] = [];
  const { lines, counts, log, count, level, counted } = keptOutput();
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
  const faults = {
    send: async (_body: string): Promise<void> => {},
    publish: async (): Promise<void> => {},
  };
  const now = () => new Date(state.nowMs);

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
    counts,

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

    /** One tick, after some time. */
    async tick(afterMs = 0): Promise<TickAnswer> {
      state.nowMs += afterMs;
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
          way: '',
          bus: { publish: async () => faults.publish() },
        },
        reports: { log, count, level },
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
    async register({ key, versionId }: ListedVersion, fields: Partial<UploadRow> = {}): Promise<void> {
      await write(uploadRow({ state: 'APPLIED', key, versionId, eventTime: now().toISOString(), ...fields }));
    },

    write,
    row: () => memory.read<ReconcileRow>(ledgerKeys.reconcile()),
    /** The values of one metric in the order in which they came; of all rows, or of one reason. */
    metric: counted,
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

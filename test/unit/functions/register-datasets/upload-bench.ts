import { handleUploadMessage } from '#functions/register-datasets/handle-upload-message.ts';
import { createMutex, type UploadDeps } from '#functions/register-datasets/upload.ts';
import { openGate } from '#functions/_gateway/gate.ts';
import { aroundPosts, callTimes } from '#functions/_gateway/gateway-calls.ts';
import type { RecordResult } from '#functions/_handler/queue-record.ts';
import type { OutcomeEvent } from '#shared/aws/outcome-bus.ts';
import type { ObjectHead, ObjectVersion } from '#shared/aws/object-store.ts';
import type { ResolvedDatasetRule } from '#shared/config/resolve/resolved-automation.ts';
import type { CreateDatasetInput } from '#shared/gateway-client/index.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import type { Resolved } from '#operator/parked/resolve-parked.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import { expectDocumented } from '../../../builders/documented-event.ts';
import { keptOutput } from '../../../builders/ports.ts';

/** A file that passes the check. */
export const goodCsv = 'prompt,label\nignore all rules,true\nwhat is the time?,false\n';

/** A rule with everything in it. */
export const piiRule: ResolvedDatasetRule = {
  prefix: 'datasets/pii/',
  fileId: '{stem}',
  name: '{stem}',
  scannerId: 'scanner-1',
  check: 'prompt-label-csv',
  thenStart: 'smoke',
  announce: true,
  locked: [],
};

/** The same, but that it sends the file itself. */
export const fileRule: ResolvedDatasetRule = {
  ...piiRule,
  fileId: undefined,
  file: { maxBytes: 10_000_000 },
  locked: ['fileId'],
};

/** An object version of the bench's bucket. */
export interface BenchObject {
  readonly key: string;
  readonly versionId: string;
  readonly body?: string | Buffer;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly bucket?: string;
  readonly sizeBytes?: number;
}

/** The process of a worker died: nothing that it does afterwards happens. */
export class Killed extends Error {}

const startOfTime = Date.parse('2026-11-20T10:00:00.000Z');
/** What Lambda has left at the start. */
const functionMs = 120_000;

/**
 * The worker over memory: a ledger, an object store, a bus, a queue and a gateway that count what
 * was done.
 */
export function createUploadBench(options: { readonly rules?: readonly ResolvedDatasetRule[] } = {}) {
  const ledger = createMemoryLedger();
  const objects = new Map<string, BenchObject>();
  const events: { readonly type: string; readonly detail: OutcomeEvent }[] = [];
  const commands: string[] = [];
  const posts: CreateDatasetInput[] = [];
  const { lines, log } = keptOutput();
  const reads: string[] = [];
  const state = {
    nowMs: startOfTime,
    attempts: 0,
    effects: 0,
    dieAfter: Infinity,
    isDead: false,
    remainingMs: functionMs,
    /** Objects whose bodies are on their way now, and the most that ever were. */
    open: 0,
    mostOpen: 0,
  };
  const faults: {
    gateway: (input: CreateDatasetInput) => Promise<{ readonly id: string }>;
    write: (item: { readonly kind: string; readonly state?: string }) => Promise<void>;
    read: () => Promise<void>;
    stream: (pieces: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
    token: () => Promise<string>;
    publish: () => Promise<void>;
    pace: () => Promise<void>;
  } = {
    gateway: async () => ({ id: `dataset-${posts.length}` }),
    write: async () => {},
    read: async () => {},
    stream: (pieces) => pieces,
    token: async () => 'token',
    publish: async () => {},
    pace: async () => {},
  };

  /** As S3 does: without a version, the newest put of the key. */
  function find(version: ObjectVersion): BenchObject | undefined {
    if (version.versionId !== undefined) return objects.get(nameOf(version));
    return [...objects.values()].findLast(({ key }) => key === version.key);
  }

  function alive(): void {
    if (state.isDead) throw new Killed('killed');
  }

  function effect(): void {
    state.effects += 1;
    state.isDead ||= state.effects >= state.dieAfter;
    alive();
  }

  const deps: { -readonly [Port in keyof UploadDeps]: UploadDeps[Port] } = {
    ledger: {
      ...ledger,
      read: async (pk) => {
        alive();
        return ledger.read(pk);
      },
      write: async (before, after) => {
        alive();
        await faults.write(after);
        const written = await ledger.write(before, after);
        effect();
        return written;
      },
    },
    objects: {
      head: async (version) => {
        alive();
        reads.push(`HEAD ${version.key}`);
        await faults.read();
        const object = find(version);
        return object && headOf(object);
      },
      open: async (version) => {
        alive();
        reads.push(`GET ${version.key}`);
        await faults.read();
        const object = find(version);
        if (object === undefined) return undefined;
        state.open += 1;
        state.mostOpen = Math.max(state.mostOpen, state.open);
        const pieces = faults.stream(piecesOf(object.body ?? goodCsv));
        return { ...headOf(object), pieces, [Symbol.dispose]: () => void (state.open -= 1) };
      },
    },
    bus: {
      publish: async (type, detail) => {
        expectDocumented(type, detail);
        alive();
        await faults.publish();
        events.push({ type, detail });
        effect();
      },
    },
    commands: {
      send: async (body) => {
        alive();
        commands.push(body);
        effect();
      },
    },
    token: { get: () => faults.token() },
    gate: openGate,
    gatewayWithin: (leftMs) => ({
      callBudgetMs: callTimes(leftMs, aroundPosts).budgetMs,
      gateway: {
        createDataset: async (input) => {
          alive();
          posts.push(input);
          effect();
          return faults.gateway(input);
        },
      },
    }),
    pace: () => faults.pace(),
    checking: createMutex(),
    random: () => 0.5,
    sleep: async (ms) => {
      alive();
      state.remainingMs -= ms;
    },
    bucket: 'uploads',
    config: { mode: 'act', gateway: { postMayRepeatOn: [] }, datasetRules: options.rules ?? [piiRule] },
  };

  return {
    deps,
    ledger,
    objects,
    events,
    commands,
    posts,
    lines,
    reads,
    state,
    faults,

    /** Puts an object and gives the body of its event. */
    put(object: BenchObject): string {
      objects.set(nameOf(object), object);
      return eventOf(object);
    },

    /** Delivers a message to a new attempt of a worker that is alive. */
    async deliver(
      body: string,
      more: { readonly receiveCount?: number; readonly sentAtMs?: number } = {},
    ): Promise<RecordResult> {
      state.attempts += 1;
      state.isDead = false;
      state.remainingMs = functionMs;
      return handleUploadMessage({
        deps,
        record: {
          messageId: 'message-1',
          body,
          receiveCount: more.receiveCount ?? 1,
          sentAt: new Date(more.sentAtMs ?? startOfTime),
          queueArn: 'arn:aws:sqs:eu-west-1:123456789012:uploads',
        },
        context: {
          log,
          now: () => new Date(state.nowMs),
          remainingMs: () => state.remainingMs,
          attemptId: `attempt-${state.attempts}`,
        },
      });
    },

    /** Time goes by. */
    pass(ms: number): void {
      state.nowMs += ms;
    },

    row: rowOf,

    /** A person's decision about an upload, written as the operator's command writes it. */
    async decide(object: BenchObject, decision: (row: Stored<UploadRow>) => Resolved<UploadRow>): Promise<void> {
      const row = await rowOf(object);
      if (row === undefined) throw new Error('no row');
      const resolved = decision(row);
      if (!resolved.ok) throw new Error(resolved.problem);
      if ((await ledger.write(row, resolved.row)) === undefined) throw new Error('lost the race');
    },
  };

  async function rowOf(object: BenchObject): Promise<Stored<UploadRow> | undefined> {
    return ledger.read<UploadRow>(ledgerKeys.upload(object.bucket ?? 'uploads', object.key, object.versionId));
  }
}

export type UploadBench = ReturnType<typeof createUploadBench>;

/** The one form that was posted, read by the platform's own parser. */
export async function posted({ posts }: Pick<UploadBench, 'posts'>) {
  const { form } = posts[0] ?? {};
  if (form === undefined) throw new Error('no form was posted');
  const headers = { 'content-type': form.contentType };
  const read = await new Response(new Uint8Array(form.body), { headers }).formData();
  const file = read.get('file');
  if (!(file instanceof File)) throw new Error('there is no file');
  const fields = [...read.entries()].filter(([name]) => name !== 'file');
  return { fields, file: { name: file.name, text: await file.text() } };
}

/** The event of some objects, as S3 sends it. */
export function eventOf(...created: readonly BenchObject[]): string {
  return JSON.stringify({
    Records: created.map((object) => ({
      eventSource: 'aws:s3',
      eventName: 'ObjectCreated:Put',
      eventTime: '2026-11-20T09:59:58.000Z',
      s3: {
        bucket: { name: object.bucket ?? 'uploads' },
        object: {
          key: encodeURIComponent(object.key).replaceAll('%20', '+'),
          size: sizeOf(object),
          eTag: etagOf(object),
          versionId: object.versionId,
          sequencer: '01',
        },
      },
    })),
  });
}

/** In pieces that cut characters and rows wherever they like. */
async function* piecesOf(body: string | Buffer): AsyncGenerator<Uint8Array> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  for (let from = 0; from < bytes.length; from += 7) yield bytes.subarray(from, from + 7);
}

function headOf(object: BenchObject): ObjectHead {
  const { versionId, metadata = {} } = object;
  return { versionId, sizeBytes: sizeOf(object), etag: `"${etagOf(object)}"`, metadata };
}

function sizeOf(object: BenchObject): number {
  return object.sizeBytes ?? Buffer.byteLength(object.body ?? goodCsv);
}

function etagOf(object: BenchObject): string {
  return `etag-${(object.body ?? goodCsv).length}`;
}

function nameOf(version: Partial<ObjectVersion>): string {
  return `${version.bucket ?? 'uploads'}/${version.key}/${version.versionId ?? ''}`;
}

import type { Log, Metrics } from '#functions/_handler/function-log.ts';
import type { OutcomeEvent } from '#shared/aws/outcome-bus.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { createGatewayModel, type GatewayModel, type GatewayOptions } from './gateway-model.ts';
import { createVirtualQueue, type VirtualQueue } from './virtual-queue.ts';
import { createVirtualTime } from './virtual-time.ts';
import { createSeen, type Interval } from '../../judge/evidence.ts';

/** An object version in the bucket. */
export interface StoredObject {
  readonly key: string;
  readonly versionId: string;
  readonly body: string;
}

/**
 * What of our own side can fail under a worker. `ledger answer`: the write is made, and the worker
 * is told that it failed.
 */
export type Port = 'ledger read' | 'ledger write' | 'ledger answer' | 'bus' | 'objects' | 'secret' | 'queue';

/** Some calls of one port in a row fail. */
interface Trouble {
  readonly port: Port;
  /** Calls that still work before. */
  after: number;
  calls: number;
}

/** What differs from one world to the next. */
interface WorldOptions {
  readonly seed: number;
  readonly gateway: Omit<GatewayOptions, 'commandOf'>;
  /** Deliveries before a message is a dead letter. @default 1000, as in a stage */
  readonly maxReceiveCount?: number;
  /** @default at nine in the evening */
  readonly from?: string;
  /** How long a call of something of our own takes. @default drawn */
  readonly portMs?: number;
}

const atNine = '2026-11-20T21:00:00Z';
/** In every token: nothing that the workers leave behind may hold it (I18). */
export const canary = 'canary-in-the-coal-mine';

/**
 * Everything around the workers: what they read and write, what they say, and what is broken of it.
 */
export function createWorld({ seed, maxReceiveCount = 1000, from = atNine, portMs, ...options }: WorldOptions) {
  const time = createVirtualTime(seed, Date.parse(from));
  const attempts = new Map<string, string>();
  const commandOf = (requestId: string) => attempts.get(requestId) ?? 'unknown';
  const gateway = createGatewayModel(time, { ...options.gateway, commandOf });
  const deadLetters = {
    uploads: createVirtualQueue(time, { name: 'uploads-dlq', visibilityMs: 180_000 }),
    commands: createVirtualQueue(time, { name: 'commands-dlq', visibilityMs: 180_000 }),
  };
  const redrive = (to: 'uploads' | 'commands') => ({ maxReceiveCount, to: deadLetters[to] });
  const queues = {
    // Visibility: six times the function's timeout (design: two stacks, and the numbers).
    uploads: createVirtualQueue(time, { name: 'uploads', visibilityMs: 720_000, redrive: redrive('uploads') }),
    commands: createVirtualQueue(time, { name: 'commands', visibilityMs: 180_000, redrive: redrive('commands') }),
  };
  const lines: string[] = [];
  const write = (event: string, sentence: string, fields?: unknown) => {
    lines.push(JSON.stringify({ event, sentence, fields }, errorsToo));
  };
  const log: Log = { debug: write, info: write, warn: write, error: write };
  const counts = new Map<string, number>();
  const metrics: Metrics = {
    count: (metric, value) => counts.set(metric, (counts.get(metric) ?? 0) + value),
    level: () => {},
    publish: () => {},
  };
  const secret = { value: `${canary}-0` };
  gateway.tokens.add(secret.value);
  const troubles: Trouble[] = [];
  const rows = new Map<string, Stored>();
  const seen = createSeen();

  return {
    time,
    gateway,
    queues,
    deadLetters,
    ledger: seenLedger(createMemoryLedger(rows), (written) => seen.see(written, time.nowMs())),
    /** What was written of runs and commands, by the time of the gateway. */
    seen,
    /** When the stage was frozen. */
    frozen: new Array<Interval>(),
    /** What the ledger holds, without a copy. */
    rows: rows as ReadonlyMap<string, Stored>,
    /** By key and version id. */
    objects: new Map<string, StoredObject>(),
    /** Ids of the commands that the worker took up, by the id of its attempt: its requests have that id. */
    attempts,
    /** Every object version that the bucket told us of. */
    uploaded: new Array<StoredObject>(),
    secret,
    log,
    /** What the workers wrote into their logs. */
    lines,
    /** What the bus took. */
    events: new Array<{ readonly type: string; readonly detail: OutcomeEvent }>(),
    /** What the workers counted. */
    counts,
    metrics,
    troubles,
    portMs: (_port: Port) => portMs ?? time.between(1, 20),
    /** Fails if some trouble of this port says so. */
    pass(port: Port): void {
      for (const trouble of troubles) {
        if (trouble.port !== port || trouble.calls === 0) continue;
        if (trouble.after > 0) trouble.after -= 1;
        else {
          trouble.calls -= 1;
          throw new Error(`${port} failed`);
        }
      }
    },
  };
}

/** The world of a simulation. */
export type World = ReturnType<typeof createWorld>;

/**
 * What of a world the workers touch: a simulation that is about other things than faults brings its
 * own.
 */
export interface WorkersWorld extends Pick<World, 'time' | 'secret' | 'log' | 'metrics' | 'portMs' | 'pass'> {
  readonly ledger: Ledger;
  readonly gateway: Pick<GatewayModel, 'transportOf'>;
  readonly objects: Pick<World['objects'], 'get'>;
  readonly events: Pick<World['events'], 'push'>;
  readonly queues: Readonly<Record<'uploads' | 'commands', VirtualQueue>>;
}

/** The same ledger, whose writes are seen. */
function seenLedger<Table extends Ledger>(ledger: Table, onWritten: (rows: readonly Stored[]) => void): Table {
  return {
    ...ledger,
    async write(before, after) {
      const written = await ledger.write(before, after);
      if (written !== undefined) onWritten([written]);
      return written;
    },
    async writeAll(changes) {
      const written = await ledger.writeAll(changes);
      if (written !== 'row-changed') onWritten(written);
      return written;
    },
  };
}

/** JSON leaves the message of an error out, and a canary could hide there. */
function errorsToo(_key: string, value: unknown): unknown {
  return value instanceof Error ? { name: value.name, message: value.message, cause: value.cause } : value;
}

import { senderIdOf } from '../../../builders/commands-by-sender.ts';
import type { ObjectHead, ObjectStore, ObjectVersion } from '#shared/aws/object-store.ts';
import type { OutcomePublisher } from '#shared/aws/outcome-bus.ts';
import { createGate } from '#functions/_gateway/create-gate.ts';
import type { Gate } from '#functions/_gateway/gate.ts';
import { createWorkerReports } from '#functions/_handler/worker-reports.ts';
import {
  createGatewayClient,
  type GatewayOperations,
  type GatewayTimeouts,
  type TokenProvider,
} from '#shared/gateway-client/client.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { Environment } from './virtual-function.ts';
import type { VirtualQueue } from './virtual-queue.ts';
import type { Port, WorkersWorld } from './world.ts';

/** The world as one process sees it: every call takes a while, may fail, and may be its last. */
export function portsOf(world: WorkersWorld, environment: Environment, options: { readonly functionName: string }) {
  async function using<T>(port: Port, act: () => T | Promise<T>): Promise<T> {
    return environment.effect(world.portMs(port), async () => {
      world.pass(port);
      return act();
    });
  }

  const ledger: Ledger = {
    read: async (pk) => using('ledger read', () => world.ledger.read(pk)),
    readMany: async (pks) => using('ledger read', () => world.ledger.readMany(pks)),
    write: async (before, after) =>
      using('ledger write', async () => {
        const written = await world.ledger.write(before, after);
        world.pass('ledger answer');
        return written;
      }),
    writeAll: async (changes) =>
      using('ledger write', async () => {
        const written = await world.ledger.writeAll(changes);
        world.pass('ledger answer');
        return written;
      }),
    listOpen: async (state, page) => using('ledger read', () => world.ledger.listOpen(state, page)),
  };

  const bus: OutcomePublisher = {
    publish: async (type, detail) => using('bus', () => void world.events.push({ type, detail })),
  };

  const objectOf = ({ key, versionId }: ObjectVersion) => world.objects.get(`${key} ${versionId}`);
  const objects: ObjectStore = {
    head: async (version) =>
      using('objects', () => {
        const object = objectOf(version);
        return object && headOf(object.body);
      }),
    open: async (version) =>
      using('objects', () => {
        const object = objectOf(version);
        return object && { ...headOf(object.body), pieces: piecesOf(object.body), [Symbol.dispose]() {} };
      }),
  };

  return {
    ledger,
    bus,
    objects,
    token: tokenOf(async () => using('secret', () => world.secret.value)),
    queue: (queue: VirtualQueue) => ({
      send: async (body: string) => using('queue', () => void queue.send(body, senderIdOf(options.functionName))),
      postpone: async (receipt: string, delayMs: number) => using('queue', () => queue.postpone(receipt, delayMs)),
    }),
    reports: createWorkerReports({
      functionName: options.functionName,
      log: world.log,
      metrics: world.metrics,
      ledger,
      now: environment.now,
    }),
  };
}

/** The ports of a process. */
export type Ports = ReturnType<typeof portsOf>;

/**
 * The client of a process: the product's own from the call down to the reading of answers, over the
 * model's wire.
 */
export function clientOf(
  world: WorkersWorld,
  environment: Environment,
  options: {
    readonly token: TokenProvider;
    readonly timeouts: GatewayTimeouts;
    readonly pace?: () => Promise<void>;
    readonly repeatGets?: boolean;
  },
): GatewayOperations {
  const { token: tokenProvider, timeouts, repeatGets, pace = async () => {} } = options;
  const [now, random] = [() => environment.now().getTime(), world.time.random];
  return createGatewayClient(
    { baseUrl: 'http://127.0.0.1', tokenProvider, timeouts, repeatGets, pace, now, random },
    world.gateway.transportOf(environment),
  );
}

/** The gate of a process, as its handler makes it: a probe with a token that was just read. */
export function gateOf(
  world: WorkersWorld,
  environment: Environment,
  { ledger, token }: Pick<Ports, 'ledger' | 'token'>,
): Gate {
  const { log, metrics, time } = world;
  const client = clientOf(world, environment, {
    token: { get: async () => token.refresh(), refresh: async () => token.refresh() },
    timeouts: { totalMs: 5000, headersMs: 5000 },
    repeatGets: false,
  });
  const probe = async () => void (await client.listScannerPackages({ limit: 1 }).next());
  const { id: owner, now } = environment;
  return createGate({ ledger, probe, owner, log, count: metrics.count, now, random: time.random });
}

/** The etag that S3 would give: the same bytes, the same tag. */
export function etagOf(body: string): string {
  return `etag-of-${body.length}`;
}

function headOf(body: string): ObjectHead {
  return { sizeBytes: body.length, etag: `"${etagOf(body)}"`, metadata: {} };
}

async function* piecesOf(body: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(body);
}

function tokenOf(fetchToken: () => Promise<string>): TokenProvider {
  let held: string | undefined;
  const refresh = async () => (held = await fetchToken());
  return { get: async () => held ?? refresh(), refresh };
}

/**
 * dynalite, run inside this process behind a port of its own on loopback; only the front door knows
 * that port.
 */
import { randomBytes } from 'node:crypto';
import { create as createDomain } from 'node:domain';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import dynalite from 'dynalite';
import { diskProblem } from '#shared/disk-problem.ts';
import { StoreFailed } from '../../state/start-problem.ts';
import { asObject, asText, type JsonObject, parseJsonObject } from '../../template/assembly.ts';

/** A raw answer of the engine. */
export interface EngineAnswer {
  readonly status: number;
  readonly body: string;
}

/** Requests to the engine. */
export interface EngineCalls {
  /** Passes a request on as it is. */
  forward(operation: string, body: string | Buffer): Promise<EngineAnswer>;
  /** Makes a request of the runner's own; anything but a 200 is thrown. */
  call(operation: string, input: JsonObject): Promise<JsonObject>;
}

/** The engine. */
export interface DynamoDbEngine extends EngineCalls {
  /**
   * Runs work during which no other request, read or write, reaches the tables. Only the calls
   * handed to it get through.
   */
  exclusively<T>(work: (calls: EngineCalls) => Promise<T>): Promise<T>;
  /** Refuses every later request: the tables hold a part of a transaction. */
  refuseAll(reason: Error): void;
  /** Does this after the store has failed and was opened again, before any other request. */
  onReopened(work: (calls: EngineCalls) => Promise<void>): void;
  close(): Promise<void>;
}

/**
 * Starts the engine. Once its store has failed, as on a full disk, no request reaches it. LevelDB
 * would write behind a record that is cut off, and lose that at its next opening. The next request
 * opens it again.
 * @param directory - the folder of the tables. @default in memory
 */
export async function startDynamoDbEngine(directory?: string): Promise<DynamoDbEngine> {
  let store = await openStore(directory);
  let reopening: Promise<void> | undefined;
  const afterwards: ((calls: EngineCalls) => Promise<void>)[] = [];
  const forward: EngineCalls['forward'] = async (operation, body) => store.forward(operation, body);
  const call: EngineCalls['call'] = async (operation, input) => {
    const { status, body } = await forward(operation, JSON.stringify(input));
    if (status !== 200) throw new Error(`dynalite refused ${operation}: ${body}`);
    return parseJsonObject(body, operation);
  };
  async function reopen(): Promise<void> {
    await store.close();
    store = await openStore(directory);
    await call('ListTables', {});
    for (const work of afterwards) await work({ forward, call });
  }
  async function whole(): Promise<void> {
    if (!store.hasFailed()) return;
    reopening ??= reopen().finally(() => (reopening = undefined));
    await reopening;
  }
  const lock = createAccessLock();
  const shared = async <T>(work: () => Promise<T>): Promise<T> => lock.shared(async () => whole().then(work));

  return {
    forward: async (operation, body) => shared(async () => forward(operation, body)),
    call: async (operation, input) => shared(async () => call(operation, input)),
    exclusively: async (work) => lock.exclusive(async () => whole().then(async () => work({ forward, call }))),
    refuseAll: (reason) => lock.shut(reason),
    onReopened: (work) => void afterwards.push(work),
    close: async () => store.close(),
  };
}

// One dynalite, from its opening to its end or its first failure.

/** The engine wants to see a signature, and does not check it. */
const AUTHORIZATION =
  'AWS4-HMAC-SHA256 Credential=local/20260101/eu-west-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0';

const guardHeader = 'x-autopilot-engine';

interface Store {
  forward: EngineCalls['forward'];
  hasFailed(): boolean;
  close(): Promise<void>;
}

async function openStore(directory: string | undefined): Promise<Store> {
  if (directory !== undefined) mkdirSync(directory, { recursive: true, mode: 0o700 });
  const server = dynalite({ path: directory, createTableMs: 0, updateTableMs: 0, deleteTableMs: 0 });
  let failure: StoreFailed | undefined;
  const failed = (cause: Error): StoreFailed => new StoreFailed(storeProblem(directory, cause), { cause });
  const passphrase = guard(server, (error) => (failure ??= failed(error)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-date': '20260101T000000Z',
    authorization: AUTHORIZATION,
    [guardHeader]: passphrase,
  };

  return {
    async forward(operation, body) {
      if (failure !== undefined) throw failure;
      const response = await fetch(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        headers: { ...headers, 'x-amz-target': `DynamoDB_20120810.${operation}` },
        body: typeof body === 'string' ? body : body.toString('utf8'),
      }).catch((error: unknown) => {
        throw failure ?? error;
      });
      const text = await response.text();
      // What was written behind the record that is cut off is not kept.
      if (failure !== undefined) throw failure;
      return { status: response.status, body: text };
    },
    hasFailed: () => failure !== undefined,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve, reject) => {
        server.close((error) =>
          error === undefined || error === null || failure !== undefined ? resolve() : reject(error),
        );
      });
    },
  };
}

function storeProblem(directory: string | undefined, error: Error): string {
  const problem = directory === undefined ? undefined : diskProblem(directory, error);
  return problem ?? `the tables cannot be used (${error.message})`;
}

/**
 * Lets in only who knows this run's passphrase: dynalite answers any web page, and the front door
 * alone asks for rights. It throws a failure of its store outside of any promise, and never
 * answers that request. A domain hears of it, since the process would end.
 */
function guard(server: Server, onFailure: (error: Error) => void): string {
  const passphrase = randomBytes(24).toString('base64url');
  const listeners = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (request.headers[guardHeader] !== passphrase) {
      response.writeHead(403).end();
      return;
    }
    const domain = createDomain();
    domain.on('error', (error) => {
      onFailure(error);
      response.destroy();
    });
    // Its body arrives in another context.
    domain.add(request);
    domain.run(() => {
      for (const listener of listeners) listener.call(server, request, response);
    });
  });
  return passphrase;
}

/** A new table is looked for this often: for a minute, on a disk that is slow. */
const mostLooks = 6_000;
const betweenLooksMs = 10;

/**
 * Creates a table, and waits until it takes requests: dynalite answers at once and refuses them for
 * a few milliseconds more.
 * @throws Error if it does not become ready within a minute
 */
export async function createTable({ call }: Pick<EngineCalls, 'call'>, definition: JsonObject): Promise<void> {
  const { TableName = '' } = definition;
  await call('CreateTable', definition);
  for (let looks = 0; looks < mostLooks; looks += 1) {
    if (isReady(asObject((await call('DescribeTable', { TableName }))['Table']))) return;
    await sleep(betweenLooksMs);
  }
  throw new Error(`dynalite has not finished table ${asText(TableName)}`);
}

/** Returns true if a table, as it is described, takes requests. */
export function isReady({ TableStatus }: JsonObject): boolean {
  return TableStatus === 'ACTIVE';
}

// Who may use the tables at the same time: any number of single requests, or one transaction alone.
//
// The engine makes each single write atomic by itself. A transaction is several writes, so nothing
// else, reads included, may come between its first look at a row and its last write.

/** Admits work in the order in which it asked. */
interface AccessLock {
  /** Runs beside other shared work. */
  shared<T>(work: () => Promise<T>): Promise<T>;
  /** Runs alone: after all work that asked before it, and before all that asks later. */
  exclusive<T>(work: () => Promise<T>): Promise<T>;
  /** Refuses everything from now on. Work that runs already is not stopped. */
  shut(reason: Error): void;
}

/**
 * Creates an open lock.
 * @example await lock.exclusive(async () => { for (const write of writes) await apply(write); });
 */
function createAccessLock(): AccessLock {
  const sharing = new Set<Promise<unknown>>();
  let lastExclusive: Promise<unknown> = Promise.resolve();
  let shutBecause: Error | undefined;

  async function unlessShut<T>(work: () => Promise<T>): Promise<T> {
    if (shutBecause !== undefined) throw shutBecause;
    return work();
  }

  return {
    async shared(work) {
      const running = lastExclusive.then(() => unlessShut(work));
      const settled = ended(running);
      sharing.add(settled);
      void settled.then(() => sharing.delete(settled));
      return running;
    },
    async exclusive(work) {
      const earlier = Promise.all([lastExclusive, ...sharing]);
      const running = earlier.then(() => unlessShut(work));
      lastExclusive = ended(running);
      return running;
    },
    shut(reason) {
      shutBecause = reason;
    },
  };
}

/** Resolves once the work has ended, whether it failed or not. */
async function ended(work: Promise<unknown>): Promise<void> {
  await work.then(
    () => undefined,
    () => undefined,
  );
}

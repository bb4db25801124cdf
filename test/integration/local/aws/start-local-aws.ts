/** A front door over the small template, on a free port, with clients for it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFrontDoor } from '#local/aws/front-door.ts';
import type { FrontDoor, FrontDoorOptions } from '#local/aws/front-door.ts';
import type { RefusedDelivery } from '#local/aws/aws-stage.ts';
import { type Authority, createAuthority } from '#local/aws/iam/authority.ts';
import type { JsonObject, ResolvedAssembly } from '#local/template/assembly.ts';
import { assemblyOf } from '../../../builders/write-assembly.ts';
import { localTemplate } from './local-template.ts';
import { developerKey } from '../../../builders/developer-key.ts';

/** A running front door and what a test needs to talk to it. */
export interface LocalAws {
  readonly door: FrontDoor;
  readonly assembly: ResolvedAssembly;
  readonly authority: Authority;
  readonly dataDir: string;
  readonly refused: RefusedDelivery[];
  /** What the front door says to the terminal. */
  readonly logged: string[];
  /** Configuration of a client that is the developer. */
  readonly developer: ClientConfig;
  /** Configuration of a client that is the worker function. */
  readonly worker: ClientConfig;
  readonly queueUrl: (logicalId: string) => string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What every client of the SDK takes. */
interface ClientConfig {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly maxAttempts: number;
}

/** What a test may change. */
export interface StartOptions extends Partial<
  Pick<FrontDoorOptions, 'invokeFunction' | 'now' | 'extraRoutes' | 'schedules'>
> {
  readonly grants?: readonly JsonObject[];
  readonly template?: JsonObject;
  /** Reused, and then left in place. */
  readonly dataDir?: string;
}

/** The worker's role. */
export const WORKER_ROLE = 'arn:aws:iam::000000000000:role/App-WorkerRole';

/** Starts it. */
export async function startLocalAws(options: StartOptions = {}): Promise<LocalAws> {
  const port = await freePort();
  const assembly = assemblyOf(
    { App: options.template ?? localTemplate(options.grants) },
    { endpoint: `http://127.0.0.1:${port}` },
  );
  const authority = createAuthority(assembly, developerKey);
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'local-aws-'));
  const refused: RefusedDelivery[] = [];
  const logged: string[] = [];
  const { invokeFunction = () => Promise.resolve({ payload: 'null' }), now, extraRoutes, schedules } = options;
  const door = await startFrontDoor({
    assembly,
    authority,
    dataDir,
    invokeFunction,
    onDeliveryRefused: (delivery) => refused.push(delivery),
    log: (line) => logged.push(line),
    ...(now === undefined ? {} : { now }),
    ...(extraRoutes === undefined ? {} : { extraRoutes }),
    ...(schedules === undefined ? {} : { schedules }),
  });
  const client = (credentials: ClientConfig['credentials']): ClientConfig => ({
    endpoint: door.url,
    region: 'eu-west-1',
    credentials,
    maxAttempts: 1,
  });
  return {
    door,
    assembly,
    authority,
    dataDir,
    refused,
    logged,
    developer: client(developerKey),
    // A template of a test's own may have no such role.
    get worker() {
      return client(authority.accessKeyFor(WORKER_ROLE, 'App-Worker'));
    },
    queueUrl: (logicalId) => `${door.url}/000000000000/App-${logicalId}`,
    async [Symbol.asyncDispose]() {
      await door.close();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Queue URLs in the template name the port before anything listens on it. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => void probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise<void>((resolve) => void probe.close(() => resolve()));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

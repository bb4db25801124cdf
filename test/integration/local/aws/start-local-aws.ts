/** A front door over the small template, on a free port, with clients for it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFrontDoor } from '#local/stage/front-door.ts';
import type { FrontDoorOptions } from '#local/stage/front-door.ts';
import type { RefusedDelivery } from '#local/aws/services/aws-stage.ts';
import { createAuthority } from '#local/aws/iam/authority.ts';
import { freePort } from '#local/stage/local-gateway.ts';
import type { JsonObject } from '#local/template/json.ts';
import type { AccessKey } from '#shared/net/request-signature.ts';
import { assemblyOf } from '../../../builders/write-assembly.ts';
import { localTemplate } from './local-template.ts';
import { developerKey } from '../../../builders/developer-key.ts';

/** A running front door and what a test needs to talk to it. */
export type LocalAws = Awaited<ReturnType<typeof startLocalAws>>;

/** What a test may change. */
export interface StartOptions extends Partial<Pick<FrontDoorOptions, 'invokeFunction' | 'now' | 'schedules'>> {
  readonly grants?: readonly JsonObject[];
  readonly template?: JsonObject;
  /** Reused, and then left in place. */
  readonly dataDir?: string;
}

/** The worker's role. */
export const WORKER_ROLE = 'arn:aws:iam::000000000000:role/App-WorkerRole';

export async function startLocalAws(options: StartOptions = {}) {
  const port = await freePort(0, '--port'); // queue URLs in the template name it before anything listens
  const assembly = assemblyOf(
    { App: options.template ?? localTemplate(options.grants) },
    { endpoint: `http://127.0.0.1:${port}` },
  );
  const authority = createAuthority(assembly, developerKey);
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'local-aws-'));
  const refused: RefusedDelivery[] = [];
  const logged: string[] = [];
  const { invokeFunction = () => Promise.resolve({ payload: 'null' }), now, schedules } = options;
  const door = await startFrontDoor({
    assembly,
    authority,
    dataDir,
    invokeFunction,
    onDeliveryRefused: (delivery) => refused.push(delivery),
    log: (line) => logged.push(line),
    now,
    schedules,
  });
  const close = async (): Promise<void> => {
    await door.close();
    if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
  };
  /** What every client of the SDK takes. */
  const client = (credentials: AccessKey) => ({
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
    /** What the front door says to the terminal. */
    logged,
    developer: client(developerKey),
    // A template of a test's own may have no such role.
    get worker() {
      return client(authority.accessKeyFor(WORKER_ROLE, 'App-Worker'));
    },
    queueUrl: (logicalId: string) => `${door.url}/000000000000/App-${logicalId}`,
    close,
    [Symbol.asyncDispose]: close,
  };
}

import type { ClientSettings } from '#shared/aws/client-settings.ts';
import { UnreachableError } from '../errors.ts';

/** The clients of one stage, each made when it is first used. */
export type Clients = ReturnType<typeof createClients>;

/** Loads no client before it is needed. */
export function createClients(settings: ClientSettings) {
  return {
    cloudFormation: kept(async () =>
      (await import('#shared/aws/stage-outputs.ts')).createCloudFormationClient(settings),
    ),
    dynamoDb: kept(async () => (await import('#shared/aws/dynamodb-ledger.ts')).createDynamoDbClient(settings)),
    lambda: kept(async () => (await import('../aws/lambda-function.ts')).createLambdaClient(settings)),
    s3: kept(async () => (await import('#shared/aws/object-store.ts')).createS3Client(settings)),
    scheduler: kept(async () => (await import('#shared/aws/schedules.ts')).createSchedulerClient(settings)),
    secretsManager: kept(async () =>
      (await import('#shared/aws/secret-token.ts')).createSecretsManagerClient(settings),
    ),
    sns: kept(async () => (await import('../aws/topic-subscriptions.ts')).createSnsClient(settings)),
    sqs: kept(async () => (await import('#shared/aws/queue.ts')).createSqsClient(settings)),
  };
}

/** What ends a request. */
export interface RequestLimits {
  /** The most that it takes, with its repeats and the credentials that it needs. @default no limit */
  readonly forMs?: number;
  /** The caller has left. */
  readonly signal?: AbortSignal;
}

/** The same clients, each with these limits. */
export function limitedClients(clients: Clients, limits: RequestLimits): Clients {
  const each = Object.entries<() => Promise<Sending>>(clients).map(([name, client]) => {
    return [name, async () => limited(await client(), limits)] as const;
  });
  return Object.fromEntries(each) as Clients;
}

/** The part of a client of AWS's SDK that every request goes through, also that of a paginator. */
interface Sending {
  // oxlint-disable-next-line typescript/no-explicit-any -- each client has its own commands
  readonly send: (command: any, options?: any) => Promise<any>;
}

/**
 * A client whose requests end by these limits. It shares the connections of the client that is given.
 * @throws UnreachableError from a request that took too long; what the signal aborted with from one whose caller has left
 */
export function limited<Client extends Sending>(client: Client, limits: RequestLimits): Client {
  const send = async (command: unknown, options?: object): Promise<unknown> =>
    within(limits, async (abortSignal) => client.send(command, { ...options, abortSignal }));
  // The SDK's paginators ask of which class a client is.
  return Object.create(client, { send: { value: send } });
}

/**
 * Ends a wait by these limits, whether the work listens to the signal or not.
 * @param work - gets a signal that aborts as soon as the caller no longer waits
 */
export async function within<Result>(
  { forMs, signal }: RequestLimits,
  work: (ends: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const late = new AbortController();
  const ends = AbortSignal.any([late.signal, ...(signal === undefined ? [] : [signal])]);
  const timer =
    forMs === undefined ? undefined : setTimeout(() => late.abort(new UnreachableError(lateWords(forMs))), forMs);
  try {
    ends.throwIfAborted();
    const ended = new Promise<never>((_resolve, reject) => {
      ends.addEventListener('abort', () => reject(ends.reason), { once: true });
    });
    return await Promise.race([ended, work(ends)]);
  } finally {
    clearTimeout(timer);
  }
}

function lateWords(forMs: number): string {
  return `the stage gave no answer within ${forMs / 1000} s: check the network, or ask again`;
}

/** How long a value is kept; for ever if nothing is said. */
export interface Keeping {
  readonly forMs: number;
  /** Real milliseconds from an arbitrary start. */
  readonly elapsedMs: () => number;
}

/**
 * Makes a value when it is first asked for and keeps it. Callers at the same time share one making. A making that failed is forgotten: the
 * next call tries again, so that a process that lives long comes back when the stage does.
 * @param keeping - after this time the value is made again, at the next call
 */
export function kept<Value>(make: () => Promise<Value>, keeping?: Keeping): () => Promise<Value> {
  let held: { readonly value: Promise<Value>; readonly madeAtMs: number } | undefined;

  return () => {
    const nowMs = keeping?.elapsedMs() ?? 0;
    if (held !== undefined && nowMs - held.madeAtMs < (keeping?.forMs ?? Infinity)) return held.value;
    const made = { value: make(), madeAtMs: nowMs };
    held = made;
    made.value.catch(() => {
      if (held === made) held = undefined;
    });
    return made.value;
  };
}

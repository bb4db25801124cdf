import fs from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { buffer } from 'node:stream/consumers';
import type { Context } from 'aws-lambda';
import type { ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import { s3Message } from '../bench/drain/s3-message.ts';
import { commandsEvent, functionEnvironment, sqsEvent } from '../bench/measure/deployed-function.ts';
import { unpacedConfig, watchConfig } from '../bench/measure/function-config.ts';
import { answerRequest } from '../bench/responder/answer-request.ts';

/** The paths that are traced: a message to PATCH, an upload's event to POST, a tick to the command of a change. */
export const pathNames = ['start', 'upload', 'poll'] as const;

export type PathName = (typeof pathNames)[number];

/**
 * A function as it is deployed, with a server that answers as AWS and as the gateway.
 */
interface PathSubject {
  /** Does the work for the n-th time. Each time is about something new. */
  readonly work: (number: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** How a path begins. */
interface PathKind {
  readonly handler: () => Promise<{ readonly handler: unknown }>;
  readonly config: (origin: string) => object;
  readonly event: (number: number) => object;
}

/** Two campaigns of the same kind, so the second start meets nothing that the first one left. */
const runs: Readonly<Record<string, ResolvedRun>> = { 'run-1': runOf(1), 'run-2': runOf(2) };

const kinds: Readonly<Record<PathName, PathKind>> = {
  start: {
    handler: () => import('#functions/update-campaign-runs/handler.ts'),
    config: (origin) => ({ ...unpacedConfig(origin), runs }),
    event: (number) => commandsEvent([{ action: 'start', run: `run-${number}` }]),
  },
  upload: {
    handler: () => import('#functions/register-datasets/handler.ts'),
    config: unpacedConfig,
    event: (number) => sqsEvent([JSON.parse(s3Message(`datasets/${number}.csv`, new Date()))]),
  },
  poll: {
    handler: () => import('#functions/poll-scanner-packages/handler.ts'),
    config: (origin) => watchConfig(origin, { pages: 1, perPage: 20 }),
    event: () => ({ watch: 'vendor' }),
  },
};

function runOf(number: number): ResolvedRun {
  const name = `run-${number}`;
  return {
    name,
    campaign: name,
    campaignId: `019ba000-0000-7000-8000-00000000010${number}`,
    campaignRunIds: [`019ba000-0000-7000-8000-00000000020${number}`],
    guards: { target: name, overlap: 'skip', longestRun: 'PT10H', minimumGap: 'PT12H', startsPerMonth: 31 },
    confirm: { within: 'PT30M' },
    stopAfter: 'PT8H',
    nameTemplate: 'nightly {date}',
  };
}

/**
 * Loads the handler in this process. It reads the environment and its configuration as in Lambda.
 * @param onEnd - called as the request that ends the path arrives
 * @throws if the work does not come to the end of its path
 */
export async function openPathSubject(path: PathName, onEnd: () => void): Promise<PathSubject> {
  let edition = 0;
  let ends = 0;
  const endOfPath = () => {
    ends += 1;
    onEnd();
  };
  const server = createServer((request, response) => {
    buffer(request).then(
      (body) => {
        if (endsPath(request)) endOfPath();
        // Each look sees another edition of the listing.
        if (request.url?.includes('/scanner-packages') === true) request.url = `/edition-${edition}${request.url}`;
        return answerRequest(request, response, body);
      },
      (error: unknown) => response.destroy(error as Error),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const origin = `http://127.0.0.1:${address.port}`;
  const credentials = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'trace', AWS_SECRET_ACCESS_KEY: 'trace' };
  Object.assign(process.env, functionEnvironment(origin), credentials, { LOG_LEVEL: 'error' });
  const { config, event } = kinds[path];
  shipConfig(config(origin));
  const handler = (await kinds[path].handler()).handler as (event: object, context: Context) => Promise<unknown>;
  const call = async (number: number) => {
    edition = number;
    const context = { awsRequestId: `work-${number}`, getRemainingTimeInMillis: () => 60_000 } as Context;
    return silently(async () => handler(event(number), context));
  };
  if (path === 'poll') await call(0); // its first look is a baseline, and starts nothing

  return {
    async work(number) {
      const before = ends;
      const result = JSON.stringify(await call(number));
      if (ends === before) throw new Error(`the path ${path} did not come to its end: ${result}`);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The worker's metrics would stand between the figures. */
async function silently<Result>(work: () => Promise<Result>): Promise<Result> {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = () => true;
  try {
    return await work();
  } finally {
    process.stdout.write = write;
  }
}

/** Answers reads of `config.json`, which the bundle has beside it and the sources have not. */
function shipConfig(config: object): void {
  const { readFileSync } = fs;
  const text = JSON.stringify(config);
  fs.readFileSync = ((...[path, options]: Parameters<typeof readFileSync>) =>
    String(path).endsWith('/_handler/config.json') ? text : readFileSync(path, options)) as typeof readFileSync;
  syncBuiltinESMExports();
}

/** The request that a path leads to: one that changes something at the gateway, or the command of a change. */
function endsPath({ method, headers }: IncomingMessage): boolean {
  const target = headers['x-amz-target'];
  if (typeof target === 'string') return target.endsWith('.SendMessage');
  return method === 'PATCH' || method === 'POST';
}

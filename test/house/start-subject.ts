import fs from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { buffer } from 'node:stream/consumers';
import type { Context } from 'aws-lambda';
import type { QueueFunctionEvent } from '#functions/_handler/handlers.ts';
import type { ConfigPart, ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import { commandsEvent, functionEnvironment } from '../bench/measure/deployed-function.ts';
import { unpacedConfig } from '../bench/measure/function-config.ts';
import { awsAnswer } from '../bench/responder/aws-answers.ts';

/**
 * The worker of commands as it is deployed, with a server that answers as AWS and as the gateway.
 */
interface StartSubject {
  /** Handles one command that starts this run. */
  readonly start: (run: RunName) => Promise<void>;
  readonly close: () => Promise<void>;
}

type RunName = 'first' | 'second';

/** Two campaigns of the same kind, so the second start meets nothing that the first one left. */
const runs: Readonly<Record<RunName, ResolvedRun>> = { first: runOf('first', 1), second: runOf('second', 2) };

function runOf(name: RunName, number: number): ResolvedRun {
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
 */
export async function openStartSubject(): Promise<StartSubject> {
  const server = createServer((request, response) => {
    buffer(request).then(
      (body) => answer(request, response, body),
      (error: unknown) => response.destroy(error as Error),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const origin = `http://127.0.0.1:${address.port}`;
  const credentials = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'trace', AWS_SECRET_ACCESS_KEY: 'trace' };
  Object.assign(process.env, functionEnvironment(origin), credentials, { LOG_LEVEL: 'error' });
  shipConfig({ ...unpacedConfig(origin), runs });
  const { handler } = await import('#functions/update-campaign-runs/handler.ts');

  return {
    async start(run) {
      const context = { awsRequestId: run, getRemainingTimeInMillis: () => 60_000 } as Context;
      const event = commandsEvent([{ action: 'start', run }]) as QueueFunctionEvent;
      const result = JSON.stringify(await silently(async () => handler(event, context)));
      if (result !== '{"batchItemFailures":[]}' || !patched.has(run)) throw new Error(`no PATCH of ${run}: ${result}`);
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
function shipConfig(config: ConfigPart<'update-campaign-runs'>): void {
  const { readFileSync } = fs;
  const text = JSON.stringify(config);
  fs.readFileSync = ((...[path, options]: Parameters<typeof readFileSync>) =>
    String(path).endsWith('/_handler/config.json') ? text : readFileSync(path, options)) as typeof readFileSync;
  syncBuiltinESMExports();
}

const patched = new Set<string>();

function answer({ url = '', method, headers }: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const target = headers['x-amz-target'];
  if (typeof target === 'string') return void response.end(awsAnswer(target, body)?.body);
  if (method === 'PATCH') patchArrives(url);
  const campaign = { id: url.split('/').at(-1), name: 'trace', runCount: 7, lastRunAt: '2026-01-01T00:00:00Z' };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(method === 'PATCH' ? { message: 'updated' } : { campaign }));
}

/**
 * The end of the path: the tracer stops at this function, so its name stands in `tracer.ts` too.
 */
function patchArrives(url: string): void {
  for (const [name, { campaignRunIds }] of Object.entries(runs)) {
    if (campaignRunIds.some((id) => url.endsWith(id))) patched.add(name);
  }
}

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { ConfigPart } from '#shared/config/resolve/resolved-automation.ts';
import { type FunctionEnvironment, readEnvironment } from '#shared/config/env-contract.ts';
import { toError } from '#shared/errors/app-error.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { configQuestion, type TickAnswer } from '#shared/messages/questions.ts';
import { createRedactor } from '#shared/text/redact.ts';
import type { FunctionName } from '#shared/vocabulary/resource-names.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { createLog, createMetrics, type Log, type Metrics } from './function-log.ts';
import { handleBatch, type Invocation, type QueueWorker } from './queue-worker.ts';
import { createWorkerReports, type WorkerReports } from './worker-reports.ts';

/** What every function is built from, once per cold start. */
export interface Runtime<Name extends FunctionName> {
  readonly functionName: Name;
  readonly env: FunctionEnvironment<Name>;
  readonly config: ConfigPart<Name>;
  readonly log: Log;
  readonly count: Metrics['count'];
  readonly now: () => Date;
  readonly random: () => number;
  /** Texts that must never appear in a log line; fill it when a secret is read. */
  readonly secrets: Set<string>;
  /** The address of AWS on one machine. @default the regional one */
  readonly awsEndpoint?: string;
}

/** One check for each thing that a function depends on: what the empty event runs. */
type SmokeChecks = Readonly<Record<string, () => Promise<unknown>>>;

/**
 * The answers of a function by the name of the question, `{ "ask": NAME, … }`. A question changes
 * nothing.
 */
type Questions = Readonly<Record<string, (event: unknown, asked: Pick<Tick, 'remainingMs'>) => Promise<object>>>;

/** A queue function without its wrapper. */
export interface QueueFunction extends Omit<QueueWorker, 'reports' | 'now' | 'random'> {
  readonly ledger: Ledger;
  readonly smoke: SmokeChecks;
}

/**
 * A function that only answers questions, without its wrapper. Its configuration is one answer that
 * it need not give itself.
 */
export interface QuestionFunction {
  readonly smoke: SmokeChecks;
  readonly questions: Questions;
}

/** A scheduled function without its wrapper. */
export interface ScheduledFunction {
  readonly ledger: Ledger;
  readonly smoke: SmokeChecks;
  /** The work of one tick; errors escape, so that the platform's error metric tells the truth. */
  readonly run: (event: unknown, tick: Tick) => Promise<TickAnswer>;
}

/** What the wrapper gives to one tick of a scheduled function. */
export interface Tick {
  readonly reports: WorkerReports;
  readonly now: () => Date;
  readonly remainingMs: () => number;
  /** Unique for this tick: owner of leases. */
  readonly attemptId: string;
}

/**
 * What the empty event answers: the version that deployed the function; each dependency, and `ok`
 * or the error's text.
 */
export interface SmokeAnswer {
  readonly ok: boolean;
  readonly version: string;
  readonly checks: Readonly<Record<string, string>>;
}

/** Messages of its queue; empty if it is invoked by hand. */
export type QueueFunctionEvent = SQSEvent | Record<string, never>;

/**
 * Wraps a queue function: cold start, log context, the empty event, per-record isolation, partial
 * batch response, metrics.
 * @example export const handler = createQueueHandler('park-dead-letters', build);
 */
export function createQueueHandler<Name extends FunctionName>(
  name: Name,
  build: (runtime: Runtime<Name>) => QueueFunction,
): Handler<QueueFunctionEvent, SQSBatchResponse | SmokeAnswer> {
  return wrapped(name, reporting(build), async (event: QueueFunctionEvent, started, invocation) => {
    if (!('Records' in event) || !Array.isArray(event.Records)) return runSmoke(started);
    return handleBatch({ Records: event.Records }, invocation, { ...started.built, now, random: started.random });
  });
}

/** Wraps a scheduled function: cold start, log context, the empty event, metrics. */
export function createScheduledHandler<Name extends FunctionName>(
  name: Name,
  build: (runtime: Runtime<Name>) => ScheduledFunction,
): Handler<unknown, TickAnswer | SmokeAnswer> {
  return wrapped(name, reporting(build), async (event, { built }, { requestId, remainingMs }) => {
    const { reports } = built;
    try {
      return await built.run(event, { reports, now, remainingMs, attemptId: requestId || randomUUID() });
    } finally {
      // The counts of this tick, also of one that failed.
      await reports.reportBatch([], 0);
    }
  });
}

/**
 * Wraps a function that answers questions: cold start, log context, the empty event, and the
 * question about its own configuration. Errors escape: the person who asked reads them.
 * @example export const handler = createQuestionHandler('answer-questions', build);
 */
export function createQuestionHandler<Name extends FunctionName>(
  name: Name,
  build: (runtime: Runtime<Name>) => QuestionFunction,
): Handler<unknown, object> {
  return wrapped(name, build, async (event, { built, config }, invocation) => {
    if (!isQuestion(event)) throw new Error(`${name} only answers questions: { "ask": … }`);
    const questions: Questions = { ...built.questions, [configQuestion.ask]: async () => config };
    const answer = Object.hasOwn(questions, event.ask) ? questions[event.ask] : undefined;
    if (answer === undefined) throw new Error(`this function does not answer the question "${event.ask}"`);
    return answer(event, invocation);
  });
}

/** What is asked, with what the question says beside it. */
function isQuestion(event: unknown): event is { readonly ask: string } {
  return typeof event === 'object' && event !== null && 'ask' in event && typeof event.ask === 'string';
}

type Handler<Event, Answer> = (event: Event, context: Context) => Promise<Answer>;

const now = () => new Date();

/** What every wrapper does: builds on the first call, and again on the next one if that failed; the empty event asks for the checks. */
function wrapped<Name extends FunctionName, Built extends { readonly smoke: SmokeChecks }, Event, Answer>(
  name: Name,
  build: (runtime: Runtime<Name>, metrics: Metrics) => Built,
  answer: (event: Event, started: Started<Name, Built>, invocation: Invocation) => Promise<Answer>,
): Handler<Event, Answer | SmokeAnswer> {
  let started: Started<Name, Built> | undefined;
  return async (event, context) => {
    started ??= begin(name, build);
    started.setRequestId(context.awsRequestId);
    if (isEmpty(event)) return runSmoke(started);
    const invocation = { requestId: context.awsRequestId, remainingMs: () => context.getRemainingTimeInMillis() };
    return answer(event, started, invocation);
  };
}

/** Builds a worker together with the reports of its outcomes. */
function reporting<Name extends FunctionName, Built extends { readonly ledger: Ledger }>(
  build: (runtime: Runtime<Name>) => Built,
) {
  return (runtime: Runtime<Name>, metrics: Metrics) => {
    const built = build(runtime);
    return { ...built, reports: createWorkerReports({ ...runtime, metrics, ledger: built.ledger }) };
  };
}

type Started<Name extends FunctionName, Built> = ReturnType<typeof begin<Name, Built>>;

function begin<Name extends FunctionName, Built>(
  functionName: Name,
  build: (runtime: Runtime<Name>, metrics: Metrics) => Built,
) {
  const env = readEnvironment(functionName, process.env);
  const of = { functionName, stage: env.STAGE };
  const secrets = new Set<string>();
  const redact = createRedactor(secrets);
  const { setRequestId, ...log } = createLog({ ...of, leastLevel: process.env['LOG_LEVEL'], redact });
  const metrics = createMetrics(of);
  const config = readConfig<Name>();
  const { random } = Math;
  const awsEndpoint = process.env['AWS_ENDPOINT_URL'];
  const runtime = { functionName, env, config, log, count: metrics.count, now, random, secrets, awsEndpoint };
  const built = build(runtime, metrics);
  return { built, config, log, setRequestId, version: env.AUTOPILOT_VERSION, now, random };
}

/** The function's part of the configuration, written beside its bundle at synth. */
function readConfig<Name extends FunctionName>(): ConfigPart<Name> {
  return JSON.parse(readFileSync(`${import.meta.dirname}/config.json`, 'utf8'));
}

async function runSmoke({
  built: { smoke },
  version,
  log,
}: Started<FunctionName, { readonly smoke: SmokeChecks }>): Promise<SmokeAnswer> {
  const results = await Promise.all(
    Object.entries(smoke).map(async ([dependency, check]): Promise<[string, string]> => {
      try {
        await check();
        return [dependency, 'ok'];
      } catch (error) {
        return [dependency, toError(error).message];
      }
    }),
  );
  const ok = results.every(([, answer]) => answer === 'ok');
  const answer = { ok, version, checks: Object.fromEntries(results) };
  log[ok ? 'info' : 'error'](logEvents.smoke, ok ? 'every dependency answered' : 'a dependency did not answer', answer);
  return answer;
}

function isEmpty(event: unknown): boolean {
  return event === null || event === undefined || (typeof event === 'object' && Object.keys(event).length === 0);
}

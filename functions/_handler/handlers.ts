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
import { handleBatch, type QueueWorker } from './queue-worker.ts';
import { createWorkerReports, type WorkerReports } from './worker-reports.ts';

/** What every function is built from, once per cold start. */
export interface Runtime<Name extends FunctionName> {
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

/** What is asked, with what the question says beside it. */
function isQuestion(event: unknown): event is { readonly ask: string } {
  return typeof event === 'object' && event !== null && 'ask' in event && typeof event.ask === 'string';
}

/**
 * Wraps a queue function: cold start, log context, the empty event, per-record isolation, partial
 * batch response, metrics.
 * @example export const handler = createQueueHandler('park-dead-letters', build);
 */
export function createQueueHandler<Name extends FunctionName>(
  name: Name,
  build: (runtime: Runtime<Name>) => QueueFunction,
): (event: QueueFunctionEvent, context: Context) => Promise<SQSBatchResponse | SmokeAnswer> {
  const start = coldStart(name, reporting(name, build));

  return async (event, context) => {
    const { built, reports, version, now, random } = start(context);
    if (!('Records' in event) || !Array.isArray(event.Records))
      return runSmoke(built.smoke, { version, log: reports.log });
    const invocation = { requestId: context.awsRequestId, remainingMs: () => context.getRemainingTimeInMillis() };
    return handleBatch({ Records: event.Records }, invocation, { ...built, reports, now, random });
  };
}

/** Wraps a scheduled function: cold start, log context, the empty event, metrics. */
export function createScheduledHandler<Name extends FunctionName>(
  name: Name,
  build: (runtime: Runtime<Name>) => ScheduledFunction,
): (event: unknown, context: Context) => Promise<SmokeAnswer | TickAnswer> {
  const start = coldStart(name, reporting(name, build));

  return async (event, context) => {
    const { built, reports, version, now } = start(context);
    if (isEmpty(event)) return runSmoke(built.smoke, { version, log: reports.log });
    const attemptId = context.awsRequestId || randomUUID();
    try {
      return await built.run(event, { reports, now, remainingMs: () => context.getRemainingTimeInMillis(), attemptId });
    } finally {
      // The counts of this tick, also of one that failed.
      await reports.reportBatch([], 0);
    }
  };
}

/**
 * Wraps a function that answers questions: cold start, log context, the empty event, and the
 * question about its own configuration. Errors escape: the person who asked reads them.
 * @example export const handler = createQuestionHandler('answer-questions', build);
 */
export function createQuestionHandler<Name extends FunctionName>(
  name: Name,
  build: (runtime: Runtime<Name>) => QuestionFunction,
): (event: unknown, context: Context) => Promise<SmokeAnswer | object> {
  const start = coldStart(name, (runtime) => ({ built: build(runtime) }));

  return async (event, context) => {
    const { built, config, log, version } = start(context);
    if (isEmpty(event)) return runSmoke(built.smoke, { version, log });
    if (!isQuestion(event)) throw new Error(`${name} only answers questions: { "ask": … }`);
    const questions: Questions = { ...built.questions, [configQuestion.ask]: async () => config };
    const answer = Object.hasOwn(questions, event.ask) ? questions[event.ask] : undefined;
    if (answer === undefined) throw new Error(`this function does not answer the question "${event.ask}"`);
    return answer(event, { remainingMs: () => context.getRemainingTimeInMillis() });
  };
}

const now = () => new Date();

/** Builds a worker together with the reports of its outcomes. */
function reporting<Name extends FunctionName, Built extends { readonly ledger: Ledger }>(
  functionName: Name,
  build: (runtime: Runtime<Name>) => Built,
) {
  return (runtime: Runtime<Name>, metrics: Metrics) => {
    const built = build(runtime);
    const options = { functionName, log: runtime.log, metrics, ledger: built.ledger, now: runtime.now };
    return { built, reports: createWorkerReports(options) };
  };
}

/** Builds on the first call, and again on the next one if that failed. */
function coldStart<Name extends FunctionName, Built>(
  name: Name,
  build: (runtime: Runtime<Name>, metrics: Metrics) => Built,
) {
  let started: ReturnType<typeof begin> | undefined;

  function begin() {
    const env = readEnvironment(name, process.env);
    const secrets = new Set<string>();
    const redact = createRedactor(secrets);
    const leastLevel = process.env['LOG_LEVEL'];
    const { setRequestId, ...log } = createLog({ functionName: name, stage: env.STAGE, leastLevel, redact });
    const random = Math.random;
    const metrics = createMetrics({ functionName: name, stage: env.STAGE });
    const config = readConfig<Name>();
    const awsEndpoint = process.env['AWS_ENDPOINT_URL'];
    const made = build({ env, config, log, count: metrics.count, now, random, secrets, awsEndpoint }, metrics);
    return { ...made, config, log, setRequestId, version: env.AUTOPILOT_VERSION, now, random };
  }

  return ({ awsRequestId }: Context) => {
    started ??= begin();
    started.setRequestId(awsRequestId);
    return started;
  };
}

/** The function's part of the configuration, written beside its bundle at synth. */
function readConfig<Name extends FunctionName>(): ConfigPart<Name> {
  return JSON.parse(readFileSync(`${import.meta.dirname}/config.json`, 'utf8'));
}

async function runSmoke(
  checks: SmokeChecks,
  { version, log }: { readonly version: string; readonly log: Log },
): Promise<SmokeAnswer> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([dependency, check]): Promise<[string, string]> => {
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

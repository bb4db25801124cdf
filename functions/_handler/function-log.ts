/**
 * The standard output of a function's process: every line of its log and its metrics goes through
 * here. Not through a `Console`: what that does for each line took as long as making the line
 * (docs/reference/performance.md).
 */
import type { Redact } from '#shared/text/redact.ts';
import { visibleText } from '#shared/text/visible-text.ts';
import type { LogEvent } from '#shared/vocabulary/log-events.ts';
import { type MetricName, metricNamespace, metricService } from '#shared/vocabulary/metric-names.ts';
import type { ReasonCode } from '#shared/vocabulary/reason-codes.ts';

const guarded = new WeakSet<NodeJS.WriteStream>();

export function writeLine(text: string, stream: NodeJS.WriteStream = process.stdout): void {
  if (!guarded.has(stream)) {
    // Without a listener a stream that breaks would end the process: no work is lost for a line.
    stream.on('error', drop);
    guarded.add(stream);
  }
  stream.write(`${text}\n`);
}

function drop(): void {}

/** Fields of a log line: plain values, capped and encoded by the writer. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * One JSON line per call: the event's name is for queries, the sentence for people. Never whole
 * events, environments or headers.
 */
export type Log = Readonly<
  Record<'debug' | 'info' | 'warn' | 'error', (event: LogEvent, sentence: string, fields?: LogFields) => void>
>;

const maxTextLength = 2048;

/** From the least on. */
const levels = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const;
type Level = (typeof levels)[number];

/**
 * The function's log. Texts are capped at 2 KiB. What cannot be seen is encoded, so one call is one
 * line for any key or error text. docs/adr/0025-lines-of-our-own.md says why no library makes them.
 * @param leastLevel - `LOG_LEVEL` of the environment; anything that is none of the levels means
 *   INFO
 * @param redact - replaces secrets in a text; applied to every text of every line: the sentence,
 *   values, names of fields
 */
export function createLog(options: {
  readonly functionName: string;
  readonly stage: string;
  readonly leastLevel?: string | undefined;
  readonly redact?: Redact;
}): Log & { readonly setRequestId: (requestId: string) => void } {
  const { functionName: service, stage, redact = (text) => text } = options;
  const asked = levels.findIndex((level) => level === options.leastLevel?.toUpperCase());
  const least = asked === -1 ? levels.indexOf('INFO') : asked;
  let requestId: string | undefined;

  function write(level: Level, event: LogEvent, sentence: string, fields: LogFields = {}): void {
    if (levels.indexOf(level) < least) return;
    const own = { level, message: sentence, service, stage, requestId, event };
    // What the line says of itself no field says otherwise.
    const line = JSON.stringify({ ...own, ...fields, ...own }, (_key, value) => cleanValue(value, redact));
    // JSON alone leaves DEL, C1, bidi marks and line separators as they are.
    writeLine(visibleText(line), level === 'WARN' || level === 'ERROR' ? process.stderr : process.stdout);
  }

  return {
    debug: (event, sentence, fields) => write('DEBUG', event, sentence, fields),
    info: (event, sentence, fields) => write('INFO', event, sentence, fields),
    warn: (event, sentence, fields) => write('WARN', event, sentence, fields),
    error: (event, sentence, fields) => write('ERROR', event, sentence, fields),
    setRequestId: (id) => {
      requestId = id;
    },
  };
}

/** First redacted, then cut: a secret that the cut divides would not be known again. */
function cleanText(text: string, redact: Redact): string {
  const redacted = redact(text);
  return redacted.length > maxTextLength ? `${redacted.slice(0, maxTextLength)}…` : redacted;
}

/** As JSON takes it, one level deep: what is inside comes here by itself. */
function cleanValue(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return cleanText(value, redact);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const shown = value instanceof Error ? { name: value.name, message: value.message } : value;
  return Object.fromEntries(Object.entries(shown).map(([key, inner]) => [cleanText(key, redact), inner]));
}

/**
 * The counts of one function, collected while it works and written at the end of each batch or
 * tick.
 */
export interface Metrics {
  readonly count: (metric: MetricName, value: number) => void;
  /**
   * A level as it is now, in seconds if the name says so; with a reason or a run under the dimension
   * of that name.
   */
  readonly level: (metric: MetricName, value: number, of?: LevelOf) => void;
  /** Writes what was counted; nothing if nothing was. */
  readonly publish: () => void;
}

export type LevelOf = ReasonCode | { readonly run: string };

type Unit = 'Count' | 'Seconds';

/** CloudWatch takes no more values of one metric in a line. */
const mostValues = 100;

/**
 * Makes the metrics of one function. What it writes is CloudWatch's embedded metric format, one
 * line for all values of the same dimensions
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html).
 * By Powertools the same line took an eighth of the CPU of a record that comes alone
 * (docs/reference/performance.md).
 */
export function createMetrics(options: { readonly functionName: string; readonly stage: string }): Metrics {
  const { functionName, stage } = options;
  const stored = new Map<MetricName, number[]>();

  function add(metric: MetricName, value: number): void {
    const values = stored.get(metric);
    if (values === undefined) stored.set(metric, [value]);
    else if (values.push(value) === mostValues) publish();
  }

  function publish(): void {
    const lines = Map.groupBy(stored, ([metric]) => metricService(metric, functionName));
    stored.clear();
    for (const [service, line] of lines) writeValues({ service, stage }, line);
  }

  return {
    count: add,
    level(metric, value, of) {
      if (of === undefined) add(metric, value);
      // A line of its own: a dimension holds for every metric of its line.
      else
        writeValues(
          { service: metricService(metric, functionName), stage, ...(typeof of === 'string' ? { reason: of } : of) },
          [[metric, [value]]],
        );
    },
    publish,
  };
}

function writeValues(
  dimensions: Readonly<Record<string, string>>,
  stored: readonly (readonly [MetricName, readonly number[]])[],
): void {
  const described = {
    Namespace: metricNamespace,
    Dimensions: [Object.keys(dimensions)],
    Metrics: stored.map(([metric]) => ({ Name: metric, Unit: unitOf(metric) })),
  };
  const line: Record<string, unknown> = {
    _aws: { Timestamp: Date.now(), CloudWatchMetrics: [described] },
    ...dimensions,
  };
  for (const [metric, all] of stored) line[metric] = all.length === 1 ? all[0] : all;
  writeLine(JSON.stringify(line));
}

function unitOf(metric: MetricName): Unit {
  return metric.endsWith('Seconds') ? 'Seconds' : 'Count';
}

import { Logger } from '@aws-lambda-powertools/logger';
import type { LogEvent } from '../../shared/vocabulary/log-events.ts';

/** Fields of a log line: plain values, capped and encoded by the writer. */
export type LogFields = Readonly<Record<string, unknown>>;

/** One JSON line per call: the event's name is for queries, the sentence for people. Never whole events, environments or headers. */
export interface Log {
  debug(event: LogEvent, sentence: string, fields?: LogFields): void;
  info(event: LogEvent, sentence: string, fields?: LogFields): void;
  warn(event: LogEvent, sentence: string, fields?: LogFields): void;
  error(event: LogEvent, sentence: string, fields?: LogFields): void;
}

const maxTextLength = 2048;

/**
 * The function's log. Texts are capped at 2 KiB; JSON encodes line breaks, so one call is one line whatever a key or an error text holds.
 * @param redact - replaces secrets in a text; applied to every text of every line
 */
export function createLog(options: {
  readonly functionName: string;
  readonly stage: string;
  readonly redact?: (text: string) => string;
}): Log & { readonly setRequestId: (requestId: string) => void } {
  const logger = new Logger({
    serviceName: options.functionName,
    persistentKeys: { stage: options.stage },
  });
  const clean = (value: unknown): unknown => cleanValue(value, options.redact ?? ((text) => text));
  const line = (event: LogEvent, fields: LogFields | undefined) => ({ event, ...(clean(fields ?? {}) as LogFields) });

  return {
    debug: (event, sentence, fields) => logger.debug(sentence, line(event, fields)),
    info: (event, sentence, fields) => logger.info(sentence, line(event, fields)),
    warn: (event, sentence, fields) => logger.warn(sentence, line(event, fields)),
    error: (event, sentence, fields) => logger.error(sentence, line(event, fields)),
    setRequestId: (requestId) => logger.appendKeys({ requestId }),
  };
}

function cleanValue(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string')
    return redact(value.length > maxTextLength ? `${value.slice(0, maxTextLength)}…` : value);
  if (value instanceof Error) return cleanValue({ name: value.name, message: value.message }, redact);
  if (Array.isArray(value)) return value.map((item) => cleanValue(item, redact));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cleanValue(item, redact)]));
  }
  return value;
}

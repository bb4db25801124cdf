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
 * @param redact - replaces secrets in a text; applied to every text of every line: the sentence, values, names of fields
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
  const redact = options.redact ?? ((text) => text);
  const line = (event: LogEvent, fields: LogFields | undefined) => ({ event, ...cleanFields(fields ?? {}, redact) });
  const said = (sentence: string) => cleanText(sentence, redact);

  return {
    // One for each request, as a rule for nobody: cleaning its fields would cost a tenth of the record that it is about.
    debug: (event, sentence, fields) => {
      if (isDebugged(logger)) logger.debug(said(sentence), line(event, fields));
    },
    info: (event, sentence, fields) => logger.info(said(sentence), line(event, fields)),
    warn: (event, sentence, fields) => logger.warn(said(sentence), line(event, fields)),
    error: (event, sentence, fields) => logger.error(said(sentence), line(event, fields)),
    setRequestId: (requestId) => logger.appendKeys({ requestId }),
  };
}

function isDebugged(logger: Logger): boolean {
  const level = logger.getLevelName();
  return level === 'DEBUG' || level === 'TRACE';
}

type Redact = (text: string) => string;

/** First redacted, then cut: a secret that the cut divides would not be known again. */
function cleanText(text: string, redact: Redact): string {
  const redacted = redact(text);
  return redacted.length > maxTextLength ? `${redacted.slice(0, maxTextLength)}…` : redacted;
}

function cleanFields(fields: object, redact: Redact): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [cleanText(key, redact), cleanValue(value, redact)]),
  );
}

function cleanValue(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return cleanText(value, redact);
  if (value instanceof Error) return cleanFields({ name: value.name, message: value.message }, redact);
  if (Array.isArray(value)) return value.map((item) => cleanValue(item, redact));
  if (typeof value === 'object' && value !== null) return cleanFields(value, redact);
  return value;
}

import type { LogEvent } from '#shared/vocabulary/log-events.ts';
import type { Redact } from '#shared/text/redact.ts';
import { visibleText } from '#shared/text/visible-text.ts';
import { writeErrorLine, writeLine } from './output.ts';

/** Fields of a log line: plain values, capped and encoded by the writer. */
export type LogFields = Readonly<Record<string, unknown>>;

/** One JSON line per call: the event's name is for queries, the sentence for people. Never whole events, environments or headers. */
export interface Log {
  debug(event: LogEvent, sentence: string, fields?: LogFields): void;
  info(event: LogEvent, sentence: string, fields?: LogFields): void;
  warn(event: LogEvent, sentence: string, fields?: LogFields): void;
  error(event: LogEvent, sentence: string, fields?: LogFields): void;
  /** Whether lines of `debug` are written: what only they need has not to be put together where they are not. @default true */
  readonly isDebugging?: boolean;
}

const maxTextLength = 2048;

/** From the least on. */
const levels = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const;
type Level = (typeof levels)[number];

/**
 * The function's log. Texts are capped at 2 KiB. What cannot be seen is encoded, so one call is one line whatever a key or an error text holds.
 * docs/adr/0025-lines-of-our-own.md says why no library makes them.
 * @param leastLevel - `LOG_LEVEL` of the environment; anything that is none of the levels means INFO
 * @param redact - replaces secrets in a text; applied to every text of every line: the sentence, values, names of fields
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
    const line = { level, message: cleanText(sentence, redact), service, stage, requestId, event };
    addFields(line, fields, redact);
    // JSON alone leaves DEL, C1, bidi marks and line separators as they are.
    const text = visibleText(JSON.stringify(line));
    if (level === 'WARN' || level === 'ERROR') writeErrorLine(text);
    else writeLine(text);
  }

  return {
    isDebugging: least === 0,
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

/** What the line says of itself no field says otherwise. */
function addFields(line: Record<string, unknown>, fields: LogFields, redact: Redact): Record<string, unknown> {
  for (const key of Object.keys(fields)) {
    const value = fields[key];
    if (value === undefined) continue;
    const name = cleanText(key, redact);
    if (!Object.hasOwn(line, name)) line[name] = cleanValue(value, redact);
  }
  return line;
}

function cleanValue(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return cleanText(value, redact);
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Error) return addFields({}, { name: value.name, message: value.message }, redact);
  if (Array.isArray(value)) return value.map((item) => cleanValue(item, redact));
  if (typeof value === 'object' && value !== null) return addFields({}, { ...value }, redact);
  return value;
}

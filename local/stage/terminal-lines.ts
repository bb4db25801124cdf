/** Lines that a working stage prints on the terminal. */
import { jsonIn } from '#shared/text/json-in.ts';
import * as z from 'zod';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import type { FunctionLogLine } from '../lambda/local-function.ts';

/** Says what becomes of the messages that an earlier run had in hand. */
export function releasedLine(released: number): string {
  const [messages, are] = released === 1 ? ['message', 'is'] : ['messages', 'are'];
  return `${released} ${messages} that an earlier run had in hand ${are} delivered again`;
}

/** The fields of our own log lines that a person at the keyboard wants to see. */
const ourLine = z.looseObject({
  /** The function's own name, if the template's is long. */
  service: z.string(),
  level: z.string(),
  event: z.string().optional(),
  message: z.string(),
  detail: z.string().optional(),
  /** Of an upload that was registered. */
  key: z.string().optional().catch(undefined),
  datasetId: z.string().optional().catch(undefined),
  /** Of a message of S3 without an object. */
  notification: z.string().optional().catch(undefined),
  /** What was handled: `the visibility timeout could not be changed` says little without it. */
  error: z.looseObject({ name: z.string(), message: z.string() }).optional().catch(undefined),
});

/**
 * One line for the terminal, or nothing. It counts outcomes, registered uploads, warnings and
 * errors, and shows the platform's words about a function that was cut. Everything else is in the
 * function's log file.
 */
export function terminalLine(line: FunctionLogLine): string | undefined {
  if (line.stream === 'platform') {
    return /^(START|END|REPORT|INTERRUPTED)/.test(line.text) ? undefined : `${line.functionName}  ${line.text}`;
  }
  const parsed = ourLine.safeParse(jsonIn(line.text)).data;
  if (parsed === undefined || !isShown(parsed)) return undefined;
  const isRegistered = parsed.event === logEvents.datasetCreated;
  const { service, message, error } = parsed;
  const detail = isRegistered ? `${parsed.key ?? ''} as dataset ${parsed.datasetId ?? ''}` : parsed.detail;
  const why = error === undefined || message.includes(error.message) ? undefined : `${error.name}: ${error.message}`;
  return [service.padEnd(22), message, detail, why].filter(Boolean).join('  ');
}

function isShown({ event, level, notification }: z.infer<typeof ourLine>): boolean {
  // Each new bucket sends one, before there is any upload.
  if (notification === 's3:TestEvent') return false;
  const isEnd = event === logEvents.datasetCreated || event === logEvents.outcome;
  return isEnd || ['WARN', 'ERROR', 'CRITICAL'].includes(level);
}

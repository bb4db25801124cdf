/** The output of one function process, each line with the invocation it belongs to. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import * as z from 'zod';
import type { FunctionLogLine } from './local-function.ts';

/** What a process writes. */
export interface ProcessOutput {
  /** From now on, lines belong to this invocation. */
  readonly belongsTo: (requestId: string) => void;
  /** Resolves when every line of the invocation, on both streams, has been handed on. */
  readonly complete: (requestId: string) => Promise<void>;
}

/** Tells every line that a process writes. */
export function watchOutput(
  child: { readonly stdout: Readable | null; readonly stderr: Readable | null },
  functionName: string,
  onLine: (line: FunctionLogLine) => void,
): ProcessOutput {
  const streams = ['stdout', 'stderr'] as const;
  let requestId = 'init';
  let ends = new Map<string, PromiseWithResolvers<void>>();

  for (const stream of streams) {
    const readable = child[stream];
    if (readable === null) continue;
    readLines(readable, {
      line: (text) => onLine({ functionName, requestId, stream, text }),
      end: (id) => ends.get(`${stream} ${id}`)?.resolve(),
    });
  }
  return {
    belongsTo(id) {
      requestId = id;
      ends = new Map(streams.map((stream) => [`${stream} ${id}`, Promise.withResolvers<void>()]));
    },
    async complete(id) {
      await Promise.all(streams.map(async (stream) => ends.get(`${stream} ${id}`)?.promise));
    },
  };
}

// Cuts a stream of a function's process into lines, and sees the end of each invocation's output.

/**
 * What child.mjs writes to both streams after the last line of an invocation, followed by the
 * request id.
 */
const LOG_END = '\u0000autopilot log end ';

/** A longer line than Lambda would keep in one log event is cut. */
const LONGEST_LINE = 262_144;

/** The receiver of a stream's lines. */
export interface LineListener {
  readonly line: (text: string) => void;
  /** The output of this invocation is complete on this stream. */
  readonly end: (requestId: string) => void;
}

/** Listens to a stream until it closes. */
export function readLines(stream: Readable, listener: LineListener): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';

  const tell = (text: string): void => {
    if (text.startsWith(LOG_END)) listener.end(text.slice(LOG_END.length));
    else listener.line(text.slice(0, LONGEST_LINE));
  };
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE) {
      lines.push(rest);
      rest = '';
    }
    // The mark may follow output that did not end its line.
    for (const line of lines.flatMap((text) => splitAtMark(text))) tell(line.replace(/\r$/, ''));
  });
  stream.on('close', () => {
    if (rest !== '') tell(rest);
  });
}

function splitAtMark(text: string): readonly string[] {
  const mark = text.indexOf(LOG_END);
  return mark > 0 ? [text.slice(0, mark), text.slice(mark)] : [text];
}

// The memory of a function's process, as Lambda limits it: all that is resident. Buffers and native
// memory count too, which no limit of the heap sees. Above it Lambda ends the process with "signal:
// killed", and its REPORT line says Max Memory Used
// (https://www.smplogs.com/guides/lambda-memory-errors). Linux alone shows it; elsewhere nothing is
// enforced.

/** A process that grows faster than this is found out by its peak when it answers. */
const LOOK_EVERY_MS = 100;

/** The watch over one invocation. */
export interface MemoryWatch {
  /**
   * Ends the watch: the most that the process ever had, in MB; undefined if this machine does not
   * show it.
   */
  readonly end: () => number | undefined;
}

/** Looks at a process again and again, and says so once if it has had more than the limit. */
export function watchMemory(pid: number | undefined, limitMb: number, onExcess: () => void): MemoryWatch {
  let peakMb: number | undefined;
  const look = (): void => {
    peakMb = peakOf(pid) ?? peakMb;
    if (peakMb === undefined || peakMb <= limitMb) return;
    clearInterval(timer);
    onExcess();
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  return {
    end() {
      clearInterval(timer);
      peakMb = peakOf(pid) ?? peakMb;
      return peakMb;
    },
  };
}

/** The peak of the resident set; undefined if the process is gone, or the machine has no /proc. */
function peakOf(pid: number | undefined): number | undefined {
  try {
    const kilobytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Math.ceil(Number(kilobytes) / 1024);
  } catch {
    return undefined;
  }
}

// The conversation with one function process: what it says, and that it ended.

/** How a process ended. */
export interface ProcessExit {
  readonly exit: { readonly code: number | null; readonly signal: NodeJS.Signals | null };
}

/** What is heard from a process. */
export interface ProcessChannel {
  /** How loading its code ended. */
  readonly initialised: Promise<Initialised | ProcessExit>;
  /** The answer to an invocation; ask before it is sent. */
  readonly answerTo: (requestId: string) => Promise<ProcessAnswer | ProcessExit>;
  /** The process is gone. */
  readonly gone: Promise<ProcessExit>;
  /** The process is gone, and everything it wrote has been read. */
  readonly closed: Promise<void>;
}

/** Listens to a process that has just been forked. */
export function openProcessChannel(child: ChildProcess): ProcessChannel {
  const waiting = new Map<string, (answer: ProcessAnswer) => void>();
  const initialised = Promise.withResolvers<Initialised>();
  const gone = Promise.withResolvers<ProcessExit>();
  const closed = Promise.withResolvers<void>();

  child.on('message', (raw) => {
    const message = readChildMessage(raw);
    if (message === undefined) return;
    if (!('requestId' in message)) {
      initialised.resolve(message);
      return;
    }
    waiting.get(message.requestId)?.(message);
    waiting.delete(message.requestId);
  });
  child.on('exit', (code, signal) => gone.resolve({ exit: { code, signal } }));
  child.on('close', () => closed.resolve());
  child.on('error', (error) => {
    // Without a process id it never started, and no exit will follow.
    if (child.pid !== undefined) return;
    initialised.resolve({ initError: { errorType: 'Runtime.InvalidEntrypoint', errorMessage: error.message } });
    gone.resolve({ exit: { code: null, signal: null } });
    closed.resolve();
  });

  return {
    initialised: Promise.race([initialised.promise, gone.promise]),
    async answerTo(requestId) {
      const answer = Promise.withResolvers<ProcessAnswer>();
      waiting.set(requestId, answer.resolve);
      return Promise.race([answer.promise, gone.promise]);
    },
    gone: gone.promise,
    closed: closed.promise,
  };
}

/** What a function's process says to its host; child.mjs writes it. */
const Initialised = z.union([
  z.object({ ready: z.literal(true) }),
  z.object({ initError: z.object({ errorType: z.string(), errorMessage: z.string() }).loose() }),
]);

const Answer = z.object({
  requestId: z.string(),
  payload: z.string(),
  isError: z.boolean(),
  /** The process ends after this. */
  fatal: z.boolean().optional(),
});

const ChildMessage = z.union([Initialised, Answer]);

/** How loading the code ended. */
type Initialised = z.infer<typeof Initialised>;
/** The answer to one invocation. */
type ProcessAnswer = z.infer<typeof Answer>;

/** Reads a message; undefined for what a handler's own code may have sent over the channel. */
function readChildMessage(message: unknown): Initialised | ProcessAnswer | undefined {
  const result = ChildMessage.safeParse(message);
  return result.success ? result.data : undefined;
}

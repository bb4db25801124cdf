/** The output of one function process, each line with the invocation it belongs to. */
import type { Readable } from 'node:stream';

import type { FunctionLogLine } from '../local-function.ts';
import { readLines } from './output-lines.ts';

/** What a process writes. */
export interface ProcessOutput {
  /** From now on, lines belong to this invocation. */
  readonly belongsTo: (requestId: string) => void;
  /** Resolves when every line of the invocation, on both streams, has been told. */
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

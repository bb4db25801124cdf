/** Cuts a stream of a function's process into lines, and sees where the output of one invocation ends. */
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** What child.mjs writes to both streams after the last line of an invocation, followed by the request id. */
const LOG_END = '\u0000autopilot log end ';

/** A longer line than Lambda would keep in one log event is cut. */
const LONGEST_LINE = 262_144;

/** What the lines of a stream are told to. */
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

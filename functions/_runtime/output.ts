/**
 * The standard output of a function's process: every line of its log and its metrics goes through here. Not through a `Console`: what that does
 * for each line took as long as making the line (docs/performance.md).
 */

let held: string[] | undefined;

/** Writes one line. */
export function writeLine(text: string): void {
  if (held === undefined) write(process.stdout, `${text}\n`);
  else held.push(`${text}\n`);
}

/** Writes one line to the standard error. */
export function writeErrorLine(text: string): void {
  write(process.stderr, `${text}\n`);
}

/** Writes the lines of this work with one system call for all of them, at its end: none is held longer than the work takes, which awaits nothing. */
export function writeTogether(work: () => void): void {
  held = [];
  try {
    work();
  } finally {
    const text = held.join('');
    held = undefined;
    if (text !== '') write(process.stdout, text);
  }
}

function write(stream: NodeJS.WriteStream, text: string): void {
  // Without a listener a stream that breaks would end the process: no work is lost for a line.
  if (stream.listenerCount('error', drop) === 0) stream.on('error', drop);
  stream.write(text);
}

function drop(): void {}

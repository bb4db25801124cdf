/**
 * The standard output of a function's process: every line of its log and its metrics goes through here. Not through a `Console`: what that does
 * for each line took as long as making the line (docs/performance.md).
 */

let held: string | undefined;

const guarded = new WeakSet<NodeJS.WriteStream>();

/** Writes one line. */
export function writeLine(text: string): void {
  if (held === undefined) write(process.stdout, `${text}\n`);
  else held += `${text}\n`;
}

/** Writes one line to the standard error. */
export function writeErrorLine(text: string): void {
  write(process.stderr, `${text}\n`);
}

/** Writes the lines of this work with one system call for all of them, at its end: none is held longer than the work takes, which awaits nothing. */
export function writeTogether(work: () => void): void {
  held = '';
  try {
    work();
  } finally {
    const text = held;
    held = undefined;
    if (text !== '') write(process.stdout, text);
  }
}

function write(stream: NodeJS.WriteStream, text: string): void {
  if (!guarded.has(stream)) {
    // Without a listener a stream that breaks would end the process: no work is lost for a line.
    stream.on('error', drop);
    guarded.add(stream);
  }
  stream.write(text);
}

function drop(): void {}

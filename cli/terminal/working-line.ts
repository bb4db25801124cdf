import { clearLine, cursorTo } from 'node:readline';
import { visibleText } from '#shared/text/visible-text.ts';

/** Shorter work needs no sign that it goes on. */
const everyMs = 1_000;

/** The last line of a terminal, which says that something goes on; the writer of another line takes it away first. */
export interface WorkingLine {
  /** Shows what goes on, with the seconds, until it is disposed of. The inner of two is shown. */
  readonly show: (what: () => string) => Disposable;
  /** Takes the line away; it comes again within a second if the work still goes on. */
  readonly clear: () => void;
}

/** Draws on a terminal. Absent for a pipe or a file: a line that is drawn again and again would fill it. */
export function createWorkingLine(stream: NodeJS.WriteStream): WorkingLine | undefined {
  if (!stream.isTTY) return undefined;
  let isDrawn = false;
  const clear = (): void => {
    if (!isDrawn) return;
    isDrawn = false;
    cursorTo(stream, 0);
    clearLine(stream, 0);
  };
  const draw = (text: string): void => {
    clear();
    // In the last column the terminal would begin another line.
    stream.write(visibleText(text).slice(0, Math.max(0, (stream.columns || 80) - 1)));
    isDrawn = true;
  };
  const shown: (() => string)[] = [];
  return {
    clear,
    show(what) {
      shown.push(what);
      let seconds = 0;
      const timer = setInterval(() => {
        seconds += 1;
        if (shown.at(-1) === what) draw(`${what()}, ${seconds} s`);
      }, everyMs);
      timer.unref();
      return {
        [Symbol.dispose]() {
          clearInterval(timer);
          shown.splice(shown.indexOf(what), 1);
          clear();
        },
      };
    },
  };
}

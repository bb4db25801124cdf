import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { clearLine, cursorTo } from 'node:readline';
import { UsageError } from '#operator/errors.ts';
import type { TextScreen, When } from './times.ts';
import type { CommandReport } from '#operator/outcomes/outcome-report.ts';
import type { RunReport } from '#operator/run-state/run-report.ts';
import { pendingSentence } from '#operator/outcomes/pending-work.ts';
import { withInstants } from '#operator/readable.ts';
import { toError } from '#shared/errors/app-error.ts';
import type { Paint, Style } from '#shared/text/terminal-writer.ts';
import { visibleText } from '#shared/text/visible-text.ts';
import { meaningOf, type OutcomeKind } from '#shared/vocabulary/reason-codes.ts';

const outcomeStyles: Readonly<Partial<Record<string, Style>>> = {
  applied: 'green',
  superseded: 'yellow',
  skipped: 'yellow',
  ignored: 'yellow',
  parked: 'red',
} satisfies Record<OutcomeKind, Style>;

/** The words of an outcome, or of work under way. What a stage only observed was not applied. */
export function outcomeWords(
  state: string,
  { reason, isObserved = false }: { readonly reason?: string | undefined; readonly isObserved?: boolean | undefined },
  paint: Paint = (_, text) => text,
): string {
  if (isObserved && state === 'applied') return 'observed';
  return [isObserved ? 'observed:' : '', paint(outcomeStyles[state] ?? 'cyan', state), reason]
    .filter(Boolean)
    .join(' ');
}

/** One key of 1,024 bytes would fill up the rows of all others. */
const mostPadding = 80;

/** Rows as columns, each as wide as its widest cell; the last one is not filled up, and one without a word is left out. Style a whole line, never a cell. */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  // As wide as they leave.
  const shown = rows.map((row) => row.map((cell) => visibleText(cell)));
  const widths = widthsOf(shown);
  return shown.map((row) =>
    row
      .map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(Math.min(widths[index] ?? 0, mostPadding))))
      .filter((_, index) => widths[index] !== 0)
      .join('  ')
      .trimEnd(),
  );
}

function widthsOf(rows: readonly (readonly string[])[]): readonly number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  }
  return widths;
}

/** No cell is cut to less: what is shorter is no key. */
const narrowest = 40;

/**
 * Rows of one line each, as wide as the terminal at most. A column of keys is cut in the middle: the name of a file is at its end. Then the
 * line is cut. A file, `--json` and what shows one row have all of it.
 */
export function oneLine(rows: readonly (readonly string[])[], { width }: Pick<When, 'width'>): readonly string[] {
  if (width === undefined) return columns(rows);
  const shown = rows.map((row) => row.map((cell) => visibleText(cell)));
  const widths = [...widthsOf(shown)];
  const total = () => widths.reduce((sum, one) => sum + (one === 0 ? 0 : one + 2), -2);
  // The last column is cut at its end, where a sentence has its details.
  const ahead = () => Math.max(...widths.slice(0, -1));
  if (total() > width && ahead() > narrowest)
    widths[widths.indexOf(ahead())] = Math.max(narrowest, ahead() - (total() - width));
  const cut = shown.map((row) =>
    row.map((cell, index) => (index < row.length - 1 ? cutInside(cell, widths[index] ?? 0) : cell)),
  );
  return columns(cut).map((line) => cutAtWord(line, width));
}

/** A text up to a length, cut in the middle: a key keeps its folder and its end. */
function cutInside(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = Math.ceil((most - 1) / 2);
  return `${text.slice(0, most - 1 - end)}…${text.slice(text.length - end)}`.toWellFormed();
}

/** A text up to a length, cut between words: half an instant or half an id would be read as another one. */
export function cutAtWord(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/\s+\S*$/, '')} …`;
}

/**
 * Writes a document to the file of `--out`, with one line end at its end. It names runs, people and
 * files, so no other user may read it. A link or a file of another user is refused.
 */
export async function writeDocument(file: string, text: string): Promise<void> {
  try {
    // Without O_TRUNC: nothing of another user's file is lost. Windows has no O_NOFOLLOW.
    const flags = constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
    await using handle = await open(file, flags, 0o600);
    const stats = await handle.stat();
    if (!stats.isCharacterDevice()) {
      if (!stats.isFile()) throw new Error('it is not a file');
      if (process.geteuid !== undefined && stats.uid !== process.geteuid()) throw new Error('it is another user’s');
      await handle.chmod(0o600);
      await handle.truncate();
    }
    await handle.writeFile(`${text.trimEnd()}\n`);
  } catch (error) {
    const { message } = toError(error);
    const why = message.startsWith('ELOOP') ? 'it is a link' : message;
    throw new UsageError(`${file} cannot be written (${why})`, { cause: error });
  }
}

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

/** The lines of an outcome, the subject first: one line, and for a parked one what to do beneath it. */
export function outcomeLines(subject: string, report: CommandReport, screen: TextScreen): readonly string[] {
  const { outcome, runs = [], isObserved } = report;
  if (outcome === 'sent') return [`${subject}: ${screen.paint('cyan', 'sent')}, not waited for`];
  if (outcome === 'waiting') return waitingLines(subject, report, screen);
  const isDone = outcome === 'applied' && isObserved !== true && runs.length > 0;
  return isDone ? runLines(subject, runs, screen.paint) : endLines(subject, { ...report, outcome }, screen);
}

function waitingLines(subject: string, { pending }: CommandReport, { paint, at, line }: TextScreen): readonly string[] {
  const head = `${subject}: ${paint('yellow', 'no outcome yet')}`;
  // Only what a worker has recorded is known to be there.
  const known =
    pending === undefined
      ? `${head}, and no attempt at it has ended. What it waits for:`
      : `${head} (${withInstants(pendingSentence(pending, at), at)}). It is not lost. How it ends:`;
  return [known, `  ${line(['autopilot', 'status'])}`];
}

function endLines(
  subject: string,
  report: CommandReport & { readonly outcome: OutcomeKind },
  { paint, at, line }: TextScreen,
): readonly string[] {
  const { outcome, nextStep, parkedId = '' } = report;
  const named = outcomeWords(outcome, report, paint);
  const why = report.detail ?? meaningOf(report.reason);
  const head = `${subject}: ${named}${why === '' ? '' : `: ${withInstants(why, at)}`}`;
  if (outcome !== 'parked') return [head];
  return [
    head,
    ...(nextStep === undefined ? [] : [`  next: ${nextStep}`]),
    paint('dim', `  more: ${line(['autopilot', 'parked', 'show', parkedId])}`),
  ];
}

const tones: Readonly<Partial<Record<RunReport['tone'], Style>>> = { good: 'green', warn: 'yellow', bad: 'red' };

/** How the run of a command stands, after it was done. A stop may be about several. */
function runLines(subject: string, runs: readonly RunReport[], paint: Paint): readonly string[] {
  return runs.map(({ says, tone, campaignRunId = '' }) => {
    const style = tones[tone];
    const which = runs.length === 1 ? subject : `${subject} (${campaignRunId})`;
    return `${which}: ${style === undefined ? says : paint(style, says)}`;
  });
}

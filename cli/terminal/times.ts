import { roughly, withInstants } from '#operator/readable.ts';
import { commandLine } from '#shared/text/command-line.ts';
import type { Paint } from '#shared/text/terminal-writer.ts';
import { commandNames, programNames } from './command-names.ts';
import { localTime } from './output.ts';

/** How the lines for people write instants, by what they go to; each screen has the stage's time at which it was read. */
export type Times = (now: Date) => When;

/** Writes the words of a command, which name no stage, as a line to paste. */
export type CommandWriter = (command: readonly string[]) => string;

/** The instants of one screen. */
export interface When {
  /** The stage's time. */
  readonly now: Date;
  /**
   * One instant.
   * @example on a terminal `22:00, in 2 h` or `Mon 23 Nov 22:00`; in a file `2026-11-20T22:00:00.000Z`
   */
  readonly at: (instant: string) => string;
  /** The wall clock of a zone; empty on a terminal of the same zone. */
  readonly elsewhere: (instant: string, timeZone: string) => string;
  /** Names the zone once on a screen; empty in a file, whose instants name it themselves. */
  readonly note: string;
  /** The stage's time with the note, for the head of a screen. */
  readonly head: string;
}

/** RFC 3339 in UTC, for files and pipes: what a program reads must not depend on who called it. */
export const utcTimes: Times = (now) => ({
  now,
  at: utc,
  elsewhere: wallClock,
  note: '',
  head: now.toISOString(),
});

/**
 * The zone for a person who reads: that of their machine; UTC if its `TZ` names none.
 * @param resolved - as `Intl` has it of the machine: undefined for a slip in `TZ`, and `Etc/Unknown`, which `Intl` itself refuses, for an empty one
 */
export function zoneOfReader(resolved: string | undefined): string {
  if (resolved === undefined) return 'UTC';
  try {
    localTimes(resolved);
    return resolved;
  } catch {
    return 'UTC'; // Intl has no other way to say that it does not know the zone
  }
}

/** A person at night thinks in hours: an instant that is nearer says how far it is, and needs no date. */
const nearMs = 24 * 3_600_000;

/**
 * For a terminal: in the zone of the person who reads, and how far from now.
 * @param timeZone - `Europe/Dublin`
 */
export function localTimes(timeZone: string): Times {
  const of = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone, hourCycle: 'h23', ...options });
    return (instant: Date) => format.format(instant).replaceAll(',', '');
  };
  const time = { hour: '2-digit', minute: '2-digit' } as const;
  const day = { weekday: 'short', day: 'numeric', month: 'short' } as const;
  const [near, far, farther] = [of(time), of({ ...day, ...time }), of({ ...day, year: 'numeric', ...time })];
  const year = of({ year: 'numeric' });
  const note = `times in ${timeZone}`;
  return (now) => ({
    now,
    at(text) {
      const instant = new Date(text);
      if (Number.isNaN(instant.getTime())) return text;
      const aheadMs = instant.getTime() - now.getTime();
      if (Math.abs(aheadMs) < nearMs) return `${near(instant)}, ${distance(aheadMs)}`;
      return year(instant) === year(now) ? far(instant) : farther(instant);
    },
    elsewhere: (instant, zone) => (zone === timeZone ? '' : wallClock(instant, zone)),
    note,
    head: `${far(now)}, ${note}`,
  });
}

function distance(aheadMs: number): string {
  if (Math.abs(aheadMs) < 1000) return 'now';
  return aheadMs > 0 ? `in ${roughly(aheadMs)}` : `${roughly(-aheadMs)} ago`;
}

/** With milliseconds, so that all have one width; a text that is no instant stays as it is. */
function utc(text: string): string {
  const instant = new Date(text);
  return Number.isNaN(instant.getTime()) ? text : instant.toISOString();
}

function wallClock(instant: string, timeZone: string): string {
  return `${localTime(new Date(instant), timeZone)} ${timeZone}`;
}

/** The zone in a line of its own, for a screen without a head. */
export function noteLines({ note }: When, paint: Paint): readonly string[] {
  return note === '' ? [] : [paint('dim', note)];
}

/** How the lines of a terminal are made for the person who reads it. */
export interface Reader {
  readonly invocation: CommandInvocation;
  readonly when: When;
  readonly paint: Paint;
}

/**
 * The lines as a person reads them: commands can be pasted, and on a terminal the instants in sentences are local and relative. Screens write most
 * instants themselves; a sentence of the ledger or of a worker has them in UTC. If only sentences have instants, a last line names the zone.
 */
export function peopleLines(lines: readonly string[], { invocation, when, paint }: Reader): readonly string[] {
  const shown = lines.map((line) => localInstants(line, when));
  const isChanged = shown.some((line, index) => line !== lines[index]);
  const isNoted = lines.some((line) => line.includes(when.note));
  return [
    ...shown.map((line) => pasteable(line, invocation)),
    ...(isChanged && !isNoted ? noteLines(when, paint) : []),
  ];
}

/**
 * Writes the instants of a sentence in the way of a screen; a command in it stays as it is.
 * @example localInstants('closed until 2026-11-20T22:00:00.000Z', when) // 'closed until 22:00, in 2 h'
 */
export function localInstants(line: string, { at, note }: Pick<When, 'at' | 'note'>): string {
  // A file keeps UTC, and every sentence as it is.
  if (note === '') return line;
  return withInstants(line, at);
}

/** How this command line was called, and the words that led it to its stage. */
export interface CommandInvocation {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stageWords: readonly string[];
  /** What `-C` named. */
  readonly folder?: string | undefined;
}

/**
 * Rewrites each command in a line for people, so that it can be pasted as it stands. It gets `npx`
 * if this one was called so, and the words that name the same stage.
 * @example `autopilot parked list` becomes `npx autopilot --aws --stage prod parked list`
 */
export function pasteable(line: string, invocation: CommandInvocation): string {
  const { env, folder } = invocation;
  // npm sets it for what npx runs (npm, "exec").
  const program = env['npm_command'] === 'exec' ? 'npx autopilot' : 'autopilot';
  const called = folder === undefined ? program : `${program} ${commandLine(['-C', folder])}`;
  return line.replaceAll(hint, (whole, name: string | undefined, at: number) => {
    if (isQuoted(line, at)) return whole;
    if (name === undefined) return `${called} `;
    if (stageless.has(name)) return `${called} ${name}`;
    const isNamed = namesStage.test(line.slice(at));
    // A program takes its options behind its name.
    if (name === 'start') return `${called} ${commandLine([name, ...(isNamed ? [] : startWords(invocation))])}`;
    return `${called} ${commandLine([...(isNamed ? [] : invocation.stageWords), name])}`;
  });
}

/** These take no stage. */
const stageless: ReadonlySet<string> = new Set([...programNames.filter((name) => name !== 'start'), 'runbook']);

/** What leads `autopilot start` to the folder of the same run: without it, `--fresh` would forget the state of another one. */
function startWords({ env, stageWords }: CommandInvocation): readonly string[] {
  const [stage, data] = ['--stage', '--data'].map((option) => {
    const at = stageWords.indexOf(option);
    return at === -1 ? undefined : stageWords[at + 1];
  });
  if (stageWords.includes('--aws') || stage?.includes('@') === true) return [];
  const folder = data ?? (env['AUTOPILOT_DATA'] || undefined);
  return [...(stage === undefined ? [] : ['--stage', stage]), ...(folder === undefined ? [] : ['--data', folder])];
}

/** A command of ours, its stage before or after its name; not one that has its `npx` already. */
const hint = new RegExp(
  String.raw`(?<![\w./-]|npx |npx --no )autopilot (?:(?=--(?:aws|local|stage|data) )|(${[...programNames, ...commandNames].join('|')})\b)`,
  'g',
);

/** A second `--data` would name a second stage. The rest of the sentence is not of the command. */
const namesStage = /^(?:(?!`|;|, | or ).)* --(?:aws|local|stage|data)\b/;

/**
 * A word in quotes is a key or a reason of other people, to paste as it is. A quote that follows a
 * letter is an apostrophe, and one that follows `\` is a quote in the text.
 */
function isQuoted(line: string, at: number): boolean {
  const quotes = line.slice(0, at).matchAll(/(.?)'/gs);
  return [...quotes].reduce((isOpen, [, before = '']) => !isOpen && !/[\w\\]/.test(before), false);
}

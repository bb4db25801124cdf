/** Plays a night on a running stage: what happened is asked with two commands and the first screen, and a printed line is pasted. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'vitest';
import { main } from '#cli/main.ts';
import { readNow } from '#console/server/read-now.ts';
import type { OperatorDeps } from '#operator/stage/operator-deps.ts';
import { keptTerminal } from '../../../builders/kept-terminal.ts';
import type { InProcessStage } from '../harness/in-process-stage.ts';
import { until } from '../harness/stage-process.ts';

/** A line to paste, its blanks, and what is typed where nobody sees it. */
interface Paste {
  readonly line: RegExp;
  readonly blanks?: Readonly<Record<string, string>>;
  readonly typed?: string;
  /** The text of the file that goes in the place of FILE. */
  readonly file?: string;
}

/** A night, and what a tired person is to read. */
export interface Night {
  readonly happens: (it: InProcessStage) => Promise<void>;
  /** Asked first. */
  readonly commands: readonly [string, string];
  /** What is wrong: one of them says it. */
  readonly wrong: RegExp;
  /** The first screen too. @default as `wrong` */
  readonly shown?: RegExp;
  /** Whether anything attacks now: the headline of both. */
  readonly attacks: RegExp;
  /** Each line is printed by the commands, or by the line before it. @default none helps */
  readonly pastes?: readonly Paste[];
  /** What others do: the gateway's people, the owner of an account. */
  readonly meantime?: (it: InProcessStage) => Promise<void>;
  /** What comes after the lines. */
  readonly afterwards?: (it: InProcessStage) => Promise<void>;
  /** What it came to: the headline, once it is so. */
  readonly helped: RegExp;
  /** What the screen says no more. */
  readonly isOver?: RegExp;
}

const minuteMs = 60_000;

/** Moves the clock while work may wait for the gateway. */
export async function pass(it: InProcessStage, minutes: number): Promise<void> {
  await it.stage.schedules.moveForward(minutes * minuteMs);
  await until('the functions to be idle', async () => it.stage.host.busyCount() === 0);
}

/** Runs a command as the tree of the command line does for a terminal of 100 columns. */
export async function asked(it: InProcessStage, words: readonly string[], typed?: string): Promise<string> {
  const where = { isTTY: typed === undefined, columns: 100 };
  const { terminal, written } = keptTerminal({ AUTOPILOT_DATA: it.dataDir }, where);
  const stdin =
    typed === undefined ? terminal.stdin : Object.assign(Readable.from([Buffer.from(typed)]), { isTTY: false });
  await main(words, { ...terminal, stdin: stdin as typeof terminal.stdin });
  return stripVTControlCharacters(written.out + written.err);
}

/** A stage, and what the screen reads it with: its AWS clients are made once. */
export interface Played {
  readonly stage: InProcessStage;
  readonly look: () => OperatorDeps;
}

/**
 * Asks, looks and pastes.
 * @returns the headline that the night comes to
 */
export async function play({ stage: it, look }: Played, night: Night): Promise<string> {
  await night.happens(it);
  const [first, second] = night.commands;
  const says = await asked(it, first.split(' '));
  const more = await asked(it, second.split(' '));
  const screen = await screenOf(look);

  expect(`${says}\n${more}`).toMatch(night.wrong);
  expect(screen.all).toMatch(night.shown ?? night.wrong);
  expect(says).toMatch(night.attacks);
  expect(screen.headline).toMatch(night.attacks);

  await night.meantime?.(it);
  let printed = `${says}\n${more}`;
  for (const paste of night.pastes ?? []) printed += await pasted(it, printed, paste);
  const isHelped = async () => {
    const { headline, all } = await screenOf(look);
    return night.helped.test(headline) && night.isOver?.test(all) !== true;
  };
  await night.afterwards?.(it);
  for (let minutes = 0; minutes < 15 && !(await isHelped()); minutes += 1) await pass(it, 1);
  const after = await screenOf(look);
  if (night.isOver !== undefined) expect(after.all).not.toMatch(night.isOver);
  return after.headline;
}

/** What the screen Now has of the stage, as lines: `subject  says`. */
async function screenOf(look: Played['look']) {
  const { headline, needs, runs, recent, parked } = await readNow({ deps: look });
  const lines = [
    ...needs.map(({ subject, says }) => `${subject} ${says}`),
    ...runs.map(({ run, says }) => `${run} ${says}`),
    ...recent.map(({ subject, detail }) => `${subject} ${detail}`),
    ...parked.map(({ reason, subject }) => `${reason} ${subject}`),
  ];
  return { headline: headline.says, all: lines.join('\n') };
}

/** Finds the line among what was printed, fills its blanks, and runs it. */
async function pasted(it: InProcessStage, printed: string, paste: Paste): Promise<string> {
  const { line, typed, file } = paste;
  const path = join(it.dataDir, 'mended.csv');
  if (file !== undefined) writeFileSync(path, file);
  const blanks: Readonly<Record<string, string>> = { ...paste.blanks, FILE: path };
  const lines = printed.split('\n').flatMap((text) => /npx --no -- autopilot (.+)$/.exec(text)?.[1] ?? []);
  const found = lines.find((one) => line.test(one));
  if (found === undefined) throw new Error(`no line ${line} is printed:\n${printed}`);
  const words = (found.match(/'[^']*'|\S+/g) ?? []).map((word) => blanks[word] ?? word.replaceAll("'", ''));
  return asked(it, words, typed);
}

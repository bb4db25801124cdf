import { UsageError } from '#operator/errors.ts';
import { type HistoryEntry, historyPage, type PageRange } from '#operator/history/history-entry.ts';
import { searchHistory } from '#operator/history/history-search.ts';
import type { HistoryRange } from '#operator/history/history.ts';
import { listPending } from '#operator/outcomes/pending-work.ts';
import { refuseUnknownRun, runSubject } from '#operator/runs/run-ids.ts';
import { readSwitchBands, stateWords, type SwitchBand } from '#operator/switches/switches.ts';
import type { Command, CommandDeps, CommandResult } from '../terminal/command.ts';
import { type CommandArguments, countArgument } from '../terminal/arguments.ts';
import { refuseDocument } from '../terminal/go-on.ts';
import { columns } from '../terminal/output.ts';
import { noteLines, type TextScreen } from '../terminal/times.ts';
import { stageClock } from '#operator/run-state/run-report.ts';
import { pastRange } from '../terminal/typed-times.ts';
import { historyLines, verboseLines } from './history-lines.ts';

export const command: Command = {
  line: {
    says: 'Every command that ended, newest first: when, what, how it ended, who asked and why. Kept for 400 days.',
    more: 'What is parked or deferred stands in its place.',
    words: { '[RUN]': 'a configured run, or the uuid of any run' },
    options: {
      '--since <TIME>': 'ended then or later: 2h (ago), 06:00 or 2026-11-27T03:00',
      '--before <TIME>': 'ended before then, as --since',
      '--limit <N>': 'so many (20)',
      '--search <TEXT>': 'only those with each word of TEXT: a run, a person, a reason, a word of a detail',
      '--follow': 'and each that ends from now on, oldest first, until Ctrl-C',
      '--switches': {
        says: 'the freezes and pauses of that time instead: who, why, from, to',
        conflicts: ['search', 'follow'],
      },
    },
    examples: [
      'autopilot history nightly --since 7d --limit 100',
      `autopilot history --json | jq '.history[] | select(.outcome == "skipped")'`,
    ],
  },
  async run(args, deps) {
    const [word] = args.positionals;
    const clock = await stageClock(deps);
    const { now } = clock;
    const { since, before } = pastRange(args, clock);
    const range = { ...rangeOf(args, word), since: since?.at, before: before?.at };
    const limit = countArgument('--limit', args.text('limit') ?? String(defaultLimit));
    if (args.flag('switches')) {
      if (word !== undefined) throw new UsageError('--switches are of the whole stage: leave out the run');
      return switchHistory(range, { limit, now, deps });
    }
    const page = await historyPage(range, limit, deps);
    const lines = args.flag('verbose') ? verboseLines : historyLines;
    if (args.flag('follow')) {
      refuseDocument('follow', args.flag('json'));
      return followed(page.entries, { range, lines, deps, readAt: now });
    }
    return (await nothingEnded(page, { word, range, deps })) ?? shownOnce(page, lines, now);
  },
};

const defaultLimit = 20;

function rangeOf(args: CommandArguments, word: string | undefined): Pick<PageRange, 'run' | 'matches'> {
  const search = args.text('search');
  return {
    run: word === undefined ? undefined : runSubject(word),
    matches: search === undefined ? undefined : searchHistory(search),
  };
}

function shownOnce(
  { entries, isMore }: Awaited<ReturnType<typeof historyPage>>,
  lines: typeof historyLines,
  now: Date,
): CommandResult {
  return {
    data: { history: entries, isMore },
    now,
    render: (screen) => [
      ...noteLines(screen),
      ...lines(entries, screen),
      ...(entries.some(({ parkedId }) => parkedId !== undefined)
        ? [
            screen.paint(
              'dim',
              `all about a parked one, by its ID: ${screen.line(['autopilot', 'parked', 'show', 'ID'])}`,
            ),
          ]
        : []),
      ...(isMore ? [screen.paint('dim', `there are older ones: --before ${entries.at(-1)?.at}, or --limit`)] : []),
    ],
  };
}

/** Why there is nothing to see; work that waits is no history yet. */
async function nothingEnded(
  { entries }: Awaited<ReturnType<typeof historyPage>>,
  asked: { readonly word: string | undefined; readonly range: PageRange; readonly deps: CommandDeps },
): Promise<CommandResult | undefined> {
  if (entries.length > 0) return undefined;
  const { word, range, deps } = asked;
  if (word !== undefined) await refuseUnknownRun(runSubject(word), deps);
  const { length } = await listPending(await deps.stage.ledger());
  const about = `${word === undefined ? '' : ` about ${word}`}${range.matches === undefined ? '' : ' with these words'}`;
  const time = range.since !== undefined || range.before !== undefined ? ' in that time' : ' yet';
  const waiting = `${length} without an outcome yet:`;
  return {
    data: { history: [], isMore: false },
    render: ({ line }) => [
      `no command${about} ended${time}`,
      ...(length === 0 ? [] : [waiting, `  ${line(['autopilot', 'status'])}`]),
    ],
  };
}

interface Following {
  readonly range: PageRange;
  readonly lines: typeof historyLines;
  readonly deps: CommandDeps;
  /** When the first entries were read, by the stage's time. */
  readonly readAt: Date;
}

/** The most commands that are shown at once; a stage with one start a second ends fewer between two readings. */
const mostAtOnce = 200;

/** An outcome is written a moment after the instant that it names, so what ended shortly before the last reading is read again. */
const overlapMs = 60_000;

/** Entries oldest first, and then those that end from now on, each once. */
function followed(entries: readonly HistoryEntry[], { range, lines, deps, ...first }: Following): CommandResult {
  if (range.before !== undefined)
    throw new UsageError('--before ends in the past, and --follow goes on: give one of them');
  let known = new Set(entries.map(keyOf));
  const showing = (shown: readonly HistoryEntry[], now: Date): CommandResult => ({
    data: { history: shown },
    now,
    render: (screen) => lines(shown, screen),
    goesOn: { isRedrawn: false, next },
  });
  let { readAt } = first;
  const next = async (): Promise<CommandResult> => {
    const now = await deps.now();
    const since = new Date(readAt.getTime() - overlapMs);
    const page = await historyPage({ ...range, since }, mostAtOnce, deps);
    // Only now: after a reading that failed, the next one begins where the last good one did.
    readAt = now;
    const young = page.entries.filter((entry) => !known.has(keyOf(entry)));
    known = new Set([...page.entries.map(keyOf), ...known].slice(0, 2 * mostAtOnce));
    return showing(young.toReversed(), now);
  };
  const begun = showing(entries.toReversed(), readAt);
  return { ...begun, render: (screen) => [...noteLines(screen), ...lines(entries.toReversed(), screen)] };
}

/** A parked command that is repeated comes again, with another outcome. */
function keyOf({ id, at, outcome }: HistoryEntry): string {
  return JSON.stringify([id, at, outcome]);
}

/** `autopilot history --switches`: the freezes and pauses of a range, the newest beginning first. */
export async function switchHistory(
  range: Pick<HistoryRange, 'since' | 'before'>,
  { limit, now, deps }: { readonly limit: number; readonly now: Date; readonly deps: Pick<CommandDeps, 'stage'> },
): Promise<CommandResult> {
  const bands = await readSwitchBands(await deps.stage.ledger(), range, now);
  const switches = bands.slice(0, limit);
  const isMore = bands.length > limit;
  return {
    data: { switches, isMore },
    now,
    render: (screen) => [
      ...noteLines(screen),
      ...bandLines(switches, screen),
      ...(bands.length === 0 ? ['nothing was frozen or paused in that time'] : []),
      ...(isMore ? [screen.paint('dim', `there are older ones: --before ${switches.at(-1)?.from}, or --limit`)] : []),
    ],
  };
}

function bandLines(bands: readonly SwitchBand[], { at, paint }: TextScreen): readonly string[] {
  const rows = bands.map((band) => [
    at(band.from),
    band.to === undefined ? `on${band.until === undefined ? '' : ` until ${at(band.until)}`}` : `until ${at(band.to)}`,
    stateWords(band),
    `by ${band.by}: ${band.reason}`,
    endWords(band),
  ]);
  return columns(rows).map((line, index) => (bands[index]?.to === undefined ? paint('red', line) : line));
}

function endWords({ to, lifted }: SwitchBand): string {
  if (to === undefined) return '';
  return lifted === undefined ? 'it ended automatically' : `lifted by ${lifted.by}: ${lifted.reason}`;
}

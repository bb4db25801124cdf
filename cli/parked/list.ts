import { UsageError } from '#operator/errors.ts';
import { findParked } from '#operator/parked/find-parked.ts';
import {
  groupsOf,
  isSelected,
  listWaiting,
  type NewerVersion,
  type ParkedEntry,
  type ParkedFilter,
  type ParkedGroup,
  reasonIn,
  selects,
  titleOf,
} from '#operator/parked/parked-rows.ts';
import { type FoundReport, readFindings } from '#operator/parked/findings.ts';
import { entriesWithNewer } from '#operator/parked/newer-version.ts';
import { doneWords } from '#operator/parked/resolve-rows.ts';
import { rowFacts, type ShownRow, shownRow } from '#operator/parked/shown-row.ts';
import type { LineSpec } from '#shared/text/program-arguments.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import { uniqueHandle } from '#operator/handles.ts';
import type { ParkableRow } from '#shared/ledger/ledger-row.ts';
import { didYouMean } from '#shared/text/did-you-mean.ts';
import { isParkReason, type ParkReason, parkReasons, runbookOf } from '#shared/vocabulary/reason-codes.ts';
import type { CommandDeps, CommandResult } from '../terminal/command.ts';
import { type CommandArguments, countArgument } from '../terminal/arguments.ts';
import { columns, cutAtWord, oneLine } from '../terminal/output.ts';
import { noteLines, type TextScreen } from '../terminal/times.ts';
import { stageClock } from '#operator/run-state/run-report.ts';
import { pastRange } from '../terminal/typed-times.ts';
import type { ZonedClock } from '#operator/times/typed-times.ts';
import { jsonIn } from '#shared/text/json-in.ts';

/** Rows that a list shows without --limit: the groups and these fit a screen. `--json` has them all. */
const defaultLimit = 20;

/** `autopilot parked list`: what needs attention, by reason, then row by row, oldest first. */
export async function listCommand(args: CommandArguments, deps: CommandDeps): Promise<CommandResult> {
  const clock = await stageClock(deps);
  const filter = parkedFilter(args, clock);
  const limitText = args.text('limit');
  const limit = limitText === undefined ? undefined : countArgument('--limit', limitText);
  const ledger = await deps.stage.ledger();
  const waiting = await listWaiting(ledger);
  const rows = waiting.parked;
  const findings = selects(filter) ? [] : await readFindings(waiting.findings, ledger, clock);
  const parked = await entriesWithNewer(
    rows.filter((row) => isSelected(row, filter)),
    deps,
  );
  const groups = groupsOf(parked);
  const isVerbose = args.flag('verbose');
  const shown = parked.slice(0, limit ?? defaultLimit);
  const nothing =
    selects(filter) && rows.length > 0
      ? `nothing of that kind is parked (${rows.length === 1 ? '1 other is' : `${rows.length} others are`})`
      : 'nothing is parked';
  return {
    now: clock.now,
    data: { total: parked.length, groups, parked: limit === undefined ? parked : shown, findings },
    render: (screen) =>
      parked.length === 0
        ? [nothing, ...foundLines(findings, screen)]
        : [
            `${countLine(parked.length, groups.length, screen)}; ${screen.note}`,
            ...groupLines(groups, screen, isVerbose),
            '',
            ...(isVerbose ? verboseRows(shown, screen) : entryRows(shown, screen)),
            ...moreLines(parked.length, shown.length),
            ...(isVerbose ? [] : supersededLines(shown, screen)),
            ...foundLines(findings, screen),
            '',
            screen.paint('dim', `all about one, by its ID: ${screen.line(['autopilot', 'parked', 'show', 'ID'])}`),
            screen.paint('dim', `about a reason, by its CODE: ${screen.line(['autopilot', 'runbook', 'CODE'])}`),
          ],
  };
}

/** Findings stand under a heading of their own: none of them is parked work. */
function foundLines(findings: readonly FoundReport[], { paint, at: timeOf, line }: TextScreen): readonly string[] {
  if (findings.length === 0) return [];
  return [
    '',
    paint('bold', `Found about runs (${findings.length})`),
    ...findings.flatMap(({ id, kind, run, at, says, next }) => [
      `  ${paint('bold', id)}  ${paint('red', kind)}  ${run}  ${paint('dim', timeOf(at))}`,
      `    ${says}`,
      `    ${next.says}`,
      ...(next.command === undefined ? [] : [`      ${line(next.command)}`]),
    ]),
  ];
}

function moreLines(total: number, shown: number): readonly string[] {
  if (total === shown) return [];
  return [`and ${total - shown} more: --limit ${total} shows them all, --code, --since or --before only some`];
}

function countLine(rows: number, reasons: number, { paint }: TextScreen): string {
  return paint('bold', `${rows} parked, for ${reasons === 1 ? 'one reason' : `${reasons} reasons`}`);
}

/** A line a reason: how many, which, how old; if asked for, what to do. */
function groupLines(groups: readonly ParkedGroup[], screen: TextScreen, isVerbose: boolean): readonly string[] {
  const heads = columns(groups.map((group) => [String(group.count), group.reason, ageOf(group, screen)]));
  return groups.flatMap((group, index) => [
    `  ${screen.paint('bold', heads[index] ?? '')}`,
    ...(group.nextStep === undefined || !isVerbose ? [] : [`    next: ${group.nextStep}`]),
  ]);
}

function ageOf({ oldest, newest }: ParkedGroup, { at }: TextScreen): string {
  return at(oldest) === at(newest) ? at(oldest) : `the oldest ${at(oldest)}`;
}

/** Longer details are read with `show`. */
const maxDetail = 160;

/** One line a row: id, reason, what it is about, and since when. */
export function entryRows(entries: readonly ParkedEntry[], screen: TextScreen): readonly string[] {
  const rows = entries.map((entry) => [entry.id, entry.reason, titleOf(entry), screen.at(entry.since)]);
  return oneLine(rows, screen).map((line) => screen.paint('red', line));
}

const dismissSuperseded = ['autopilot', 'parked', 'resolve', '--dismiss', '--superseded'];

function supersededLines(entries: readonly ParkedEntry[], { line }: TextScreen): readonly string[] {
  const { length } = entries.filter(({ newer }) => newer?.takesItsPlace === true);
  if (length === 0) return [];
  return [`newer versions took the place of ${length}. To end all such:`, `  ${line(dismissSuperseded)}`];
}

/** The same with what was found, and whether a newer version came. */
function verboseRows(entries: readonly ParkedEntry[], screen: TextScreen): readonly string[] {
  const most = Math.min(maxDetail, (screen.width ?? Infinity) - 2);
  const heads = entryRows(entries, screen);
  return entries.flatMap(({ detail = '', newer }, index) => [
    heads[index] ?? '',
    ...(detail === '' ? [] : [`  ${cutAtWord(detail, most)}`]),
    ...(newer === undefined ? [] : [`  ${newerWords(newer, screen)}`]),
  ]);
}

function newerWords({ at, ended, takesItsPlace }: NewerVersion, screen: TextScreen): string {
  const end = takesItsPlace ? `. This ends all such: ${screen.line(dismissSuperseded)}` : '';
  return `a newer version of this key came ${screen.at(at)}: ${ended}${end}`;
}

/** Options that select parked rows. */
export const filterOptions = {
  '--code <CODE>': { says: 'parked for this reason; several times for several', isRepeated: true },
  '--since <TIME>': 'parked then or later: 2h (ago), or 2026-11-20T22:00:00Z',
  '--before <TIME>': 'parked before then',
} satisfies LineSpec['options'];

/** Reads `--code CODE` (several times, or with commas), `--since` and `--before`. */
export function parkedFilter(args: CommandArguments, clock: ZonedClock): ParkedFilter {
  const { since, before } = pastRange(args, clock);
  return {
    reasons: args.texts('code').flatMap((text) => text.split(',').map((code) => reasonNamed(code))),
    isClosed: before?.isFixed === true,
    since: since?.at,
    before: before?.at,
  };
}

function reasonNamed(text: string): ParkReason {
  const reason = reasonIn(text);
  if (reason !== undefined) return reason;
  const known = Object.keys(parkReasons);
  const meant = didYouMean(text.trim().replaceAll(/[- ]/g, '_'), known, ':') || `: there are ${known.join(', ')}`;
  throw new UsageError(`nothing is ever parked for "${text.trim()}"${meant}`);
}

/** The filter as words of a command line, its times as instants: typed a minute later they mean the same. */
export function filterWords({ reasons, since, before }: ParkedFilter): readonly string[] {
  return [
    ...reasons.flatMap((reason) => ['--code', reason]),
    ...(since === undefined ? [] : ['--since', since.toISOString()]),
    ...(before === undefined ? [] : ['--before', before.toISOString()]),
  ];
}

/** `autopilot parked show ID…`: everything that is known about rows and what is not, their messages included; resolved rows too. */
export async function showCommand(ids: readonly string[], deps: CommandDeps): Promise<CommandResult> {
  const rows = await findParked(ids, deps);
  const pks = rows.map((row) => row.pk);
  const shown: ShownRow[] = [];
  for (const row of rows) shown.push(await shownRow(row, uniqueHandle(row.pk, pks), deps));
  return {
    now: await deps.now(),
    data: { parked: shown },
    render: (screen) => [
      ...noteLines(screen),
      ...shown.flatMap((one, index) => [...(index === 0 ? [] : ['']), ...rowLines(one, screen)]),
    ],
  };
}

function rowLines(shown: ShownRow, screen: TextScreen): readonly string[] {
  const { paint, at } = screen;
  const { id, reason, since, isParked, row } = shown;
  const state = isParked ? paint('red', `parked ${reason}`) : paint('green', `not parked any more: ${stateOf(row)}`);
  const facts = rowFacts(row, shown, at).filter(([, text]) => text !== '');
  return [
    `${paint('bold', id)}  ${state}  ${titleOf(shown)}  ${paint('dim', at(since))}`,
    ...columns(facts).map((line) => `  ${line}`),
    ...messageLines(row),
    ...adviceLines(shown, screen),
  ];
}

function stateOf(row: Stored<ParkableRow>): string {
  const last = row.resolutions?.at(-1);
  if (row.outcome?.kind === 'parked' && last !== undefined) return `${doneWords[last.decision]} by ${last.by}`;
  if (row.outcome !== undefined) return row.outcome.kind;
  return last === undefined ? 'under way' : 'sent again, no outcome yet';
}

function adviceLines({ advice, reason }: ShownRow, { line, paint }: TextScreen): readonly string[] {
  if (advice.length === 0) return [];
  const page = isParkReason(reason) ? [{ when: `read more about ${reason}`, command: runbookOf(reason) }] : [];
  return [
    '  paste what fits',
    ...[...advice, ...page].flatMap(({ when, command }) => [paint('dim', `    # ${when}`), `    ${line(command)}`]),
  ];
}

/** An event of S3 says at length what `what came` says: the messages that people wrote are worth their lines. */
function messageLines({ kind, parked }: Stored<ParkableRow>): readonly string[] {
  if (parked === undefined) return [];
  const head = `  message, kept for the ${parked.queue} queue`;
  if (kind === 'upload') return [`${head}: ${parked.message.length} characters, in --json`];
  return [`${head}:`, ...indented(parked.message).map((line) => `    ${line}`)];
}

function indented(message: string): readonly string[] {
  const document = jsonIn(message);
  // A message that cannot be read is often why it is parked: it is shown as it came.
  return (document === undefined ? message : JSON.stringify(document, null, 2)).split('\n');
}

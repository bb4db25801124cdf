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
import type { Paint } from '#shared/text/terminal-writer.ts';
import { isParkReason, type ParkReason, parkReasons, runbookOf } from '#shared/vocabulary/reason-codes.ts';
import { type CommandDeps, type CommandResult, exitCodes } from '../terminal/command.ts';
import { type CommandArguments, countArgument } from '../terminal/arguments.ts';
import { columns, cutAtWord, oneLine } from '../terminal/output.ts';
import { noteLines, type When } from '../terminal/times.ts';
import { stageClock } from '#operator/run-state/run-report.ts';
import { pastRange } from '../terminal/typed-times.ts';
import type { ZonedClock } from '#operator/times/typed-times.ts';

/** Rows that a list shows without --limit: the groups and these fit a screen. `--json` has them all. */
const defaultLimit = 20;

/** `autopilot parked list`: what needs attention, by reason, then row by row, oldest first. */
export async function listCommand(args: CommandArguments, deps: CommandDeps): Promise<CommandResult> {
  const clock = await stageClock(deps);
  const { now } = clock;
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
    exitCode: exitCodes.done,
    data: { total: parked.length, groups, parked: limit === undefined ? parked : shown, findings },
    render: (paint, times) =>
      parked.length === 0
        ? [nothing, ...foundLines(findings, times(now), paint)]
        : [
            `${countLine(parked.length, groups.length, paint)}; ${times(now).note}`,
            ...groupLines(groups, times(now), { paint, isVerbose }),
            '',
            ...(isVerbose ? verboseRows(shown, times(now), paint) : entryRows(shown, times(now), paint)),
            ...moreLines(parked.length, shown.length),
            ...(isVerbose ? [] : supersededLines(shown, times(now))),
            ...foundLines(findings, times(now), paint),
            '',
            paint('dim', `all about one, by its ID: ${times(now).line(['autopilot', 'parked', 'show', 'ID'])}`),
            paint('dim', `about a reason, by its CODE: ${times(now).line(['autopilot', 'runbook', 'CODE'])}`),
          ],
  };
}

/** Findings stand under a heading of their own: none of them is parked work. */
function foundLines(findings: readonly FoundReport[], when: When, paint: Paint): readonly string[] {
  if (findings.length === 0) return [];
  return [
    '',
    paint('bold', `Found about runs (${findings.length})`),
    ...findings.flatMap(({ id, kind, run, at, says, next }) => [
      `  ${paint('bold', id)}  ${paint('red', kind)}  ${run}  ${paint('dim', when.at(at))}`,
      `    ${says}`,
      `    ${next.says}`,
      ...(next.command === undefined ? [] : [`      ${when.line(next.command)}`]),
    ]),
  ];
}

function moreLines(total: number, shown: number): readonly string[] {
  if (total === shown) return [];
  return [`and ${total - shown} more: --limit ${total} shows them all, --code, --since or --before only some`];
}

function countLine(rows: number, reasons: number, paint: Paint): string {
  return paint('bold', `${rows} parked, for ${reasons === 1 ? 'one reason' : `${reasons} reasons`}`);
}

/** A line a reason: how many, which, how old; if asked for, what to do. */
function groupLines(
  groups: readonly ParkedGroup[],
  when: When,
  { paint, isVerbose }: { readonly paint: Paint; readonly isVerbose: boolean },
): readonly string[] {
  const heads = columns(groups.map((group) => [String(group.count), group.reason, ageOf(group, when)]));
  return groups.flatMap((group, index) => [
    `  ${paint('bold', heads[index] ?? '')}`,
    ...(group.nextStep === undefined || !isVerbose ? [] : [`    next: ${group.nextStep}`]),
  ]);
}

function ageOf({ oldest, newest }: ParkedGroup, { at }: When): string {
  return at(oldest) === at(newest) ? at(oldest) : `the oldest ${at(oldest)}`;
}

/** Longer details are read with `show`. */
const maxDetail = 160;

/** One line a row: id, reason, what it is about, and since when. */
export function entryRows(entries: readonly ParkedEntry[], when: When, paint: Paint): readonly string[] {
  const rows = entries.map((entry) => [entry.id, entry.reason, titleOf(entry), when.at(entry.since)]);
  return oneLine(rows, when).map((line) => paint('red', line));
}

function supersededLines(entries: readonly ParkedEntry[], when: When): readonly string[] {
  const { length } = entries.filter(({ newer }) => newer?.takesItsPlace === true);
  if (length === 0) return [];
  const dismiss = ['autopilot', 'parked', 'resolve', '--dismiss', '--superseded'];
  return [`newer versions took the place of ${length}. To end all such:`, `  ${when.line(dismiss)}`];
}

/** The same with what was found, and whether a newer version came. */
function verboseRows(entries: readonly ParkedEntry[], when: When, paint: Paint): readonly string[] {
  const most = Math.min(maxDetail, (when.width ?? Infinity) - 2);
  const heads = entryRows(entries, when, paint);
  return entries.flatMap(({ detail = '', newer }, index) => [
    heads[index] ?? '',
    ...(detail === '' ? [] : [`  ${cutAtWord(detail, most)}`]),
    ...(newer === undefined ? [] : [`  ${newerWords(newer, when)}`]),
  ]);
}

function newerWords({ at, ended, takesItsPlace }: NewerVersion, when: When): string {
  const dismiss = ['autopilot', 'parked', 'resolve', '--dismiss', '--superseded'];
  const end = takesItsPlace ? `. This ends all such: ${when.line(dismiss)}` : '';
  return `a newer version of this key came ${when.at(at)}: ${ended}${end}`;
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
  const now = await deps.now();
  const rows = await findParked(ids, deps);
  const pks = rows.map((row) => row.pk);
  const shown: ShownRow[] = [];
  for (const row of rows) shown.push(await shownRow(row, uniqueHandle(row.pk, pks), deps));
  return {
    exitCode: exitCodes.done,
    data: { parked: shown },
    render: (paint, times) => [
      ...noteLines(times(now), paint),
      ...shown.flatMap((one, index) => [...(index === 0 ? [] : ['']), ...rowLines(one, times(now), paint)]),
    ],
  };
}

function rowLines(shown: ShownRow, when: When, paint: Paint): readonly string[] {
  const { id, reason, since, isParked, row } = shown;
  const state = isParked ? paint('red', `parked ${reason}`) : paint('green', `not parked any more: ${stateOf(row)}`);
  const facts = rowFacts(row, shown, when.at).filter(([, text]) => text !== '');
  return [
    `${paint('bold', id)}  ${state}  ${titleOf(shown)}  ${paint('dim', when.at(since))}`,
    ...columns(facts).map((line) => `  ${line}`),
    ...messageLines(row),
    ...adviceLines(shown, when, paint),
  ];
}

function stateOf(row: Stored<ParkableRow>): string {
  const last = row.resolutions?.at(-1);
  if (row.outcome?.kind === 'parked' && last !== undefined) return `${doneWords[last.decision]} by ${last.by}`;
  if (row.outcome !== undefined) return row.outcome.kind;
  return last === undefined ? 'under way' : 'sent again, no outcome yet';
}

function adviceLines({ advice, reason }: ShownRow, { line }: When, paint: Paint): readonly string[] {
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
  try {
    return JSON.stringify(JSON.parse(message), null, 2).split('\n');
  } catch {
    // A message that cannot be read is often why it is parked: it is shown as it came.
    return message.split('\n');
  }
}

import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { RecordedOutcome } from '#shared/ledger/rows/row-base.ts';
import { type CommandOrder, compareCommands, defaultValidFor } from '#shared/messages/campaign-run-command.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import { issuedAtOf, type PlannedCommand, validForMs } from '../events/command-events.ts';
import { type Evidence, type Fate, type Judged, saysWhy } from './evidence.ts';
import { type RunStory, storiesOf } from './run-story.ts';

/** A command with what the ledger says of it. */
export type Command = Evidence['commands'][number];
type Verdict = Omit<Judged, 'key' | 'history'>;
type Stories = ReadonlyMap<string, RunStory>;

/** Judges every command by what its run did at the gateway and by its ledger row. */
export function judgeCommands(evidence: Evidence): readonly Judged[] {
  const stories = storiesOf(evidence);
  return evidence.commands.map((sent): Judged => {
    const { command, place } = sent.event;
    const about = storiesAbout(sent, stories);
    const key = command?.id ?? `unreadable message ${place}`;
    const judged = byLedger(sent, about, evidence);
    const history = judged.broken === undefined ? {} : { history: [...sent.rows, ...about] };
    return { key, ...judged, ...history };
  });
}

/** The runs that a command changed, as far as it is known whose changes they are. */
function storiesAbout({ event: { command }, rows }: Command, stories: Stories): readonly RunStory[] {
  if (command === undefined) return [];
  const row = commandRow(rows);
  const ids = [command.target.campaignRunId, row?.campaignRunId, ...Object.keys(row?.stops ?? {})];
  return [...new Set(ids)].map((id) => stories.get(id ?? '')).filter((story) => story !== undefined);
}

function broken(fate: Fate, why: string): Verdict {
  return { fate, broken: why };
}

/** A command that its row says has ended. */
interface Ended {
  readonly sent: Command;
  readonly row: Command['rows'][number];
  readonly outcome: RecordedOutcome;
  readonly about: readonly RunStory[];
  readonly evidence: Evidence;
}

function byLedger(sent: Command, about: readonly RunStory[], evidence: Evidence): Verdict {
  const [row] = sent.rows;
  const outcome = row?.outcome;
  if (row === undefined) return broken('lost', 'no row in the ledger');
  if (outcome === undefined) return broken('lost', 'it never ended');
  const ended = { sent, row, outcome, about, evidence };
  const untrue = untrueOf(ended);
  return untrue === undefined ? judgeBy[outcome.kind](ended) : broken('denied', untrue);
}

/** An outcome that says that a start did not begin a run, and it did. */
function untrueOf({ sent, outcome, about }: Ended): string | undefined {
  const row = commandRow(sent.rows);
  const isOpen = outcome.kind === 'applied' || outcome.kind === 'parked' || row?.mayHaveRun !== undefined;
  if (sent.event.command?.action !== 'start' || isOpen) return undefined;
  const begun = about.find(({ beginsMs }) => beginsMs !== undefined);
  return begun && row?.campaignRunId === begun.id ? `${outcome.kind}, and its run ${begun.id} began` : undefined;
}

const judgeBy: Readonly<Record<RecordedOutcome['kind'], (ended: Ended) => Verdict>> = {
  parked({ row, outcome, sent, about }) {
    if (!saysWhy(outcome, row)) return broken('parked without a reason', 'a person would not know what to do');
    return { fate: 'parked', wasApplied: hasEffect(sent, about) };
  },
  applied({ sent, about }) {
    if (hasEffect(sent, about)) return { fate: 'applied once' };
    return broken('lost', 'the ledger says applied, and the gateway never heard of it');
  },
  superseded({ sent, evidence }) {
    if (newerThan(sent, evidence).length > 0) return { fate: 'superseded' };
    return broken('lost', 'superseded, and nothing newer was wished');
  },
  skipped({ sent, outcome, evidence }) {
    if (isRightlySkipped(sent, outcome, evidence)) return { fate: 'skipped' };
    return broken('denied', `skipped as ${outcome.reason ?? 'nothing'}`);
  },
  ignored: () => broken('lost', 'no command is ignored'),
};

/** A start whose run began, or was accepted and cancelled before; a stop that a run took. */
function hasEffect({ event: { command }, rows }: Command, about: readonly RunStory[]): boolean {
  if (command?.action === 'stop') return about.some(({ stops }) => stops > 0);
  const id = commandRow(rows)?.campaignRunId ?? command?.target.campaignRunId;
  return about.some((story) => story.starts > 0 && (id === undefined || story.id === id));
}

function isRightlySkipped(sent: Command, { reason, at }: RecordedOutcome, evidence: Evidence): boolean {
  const { command } = sent.event;
  const cause = skipCauses[reason ?? ''];
  if (command === undefined || cause === undefined || cause.of !== command.action) return false;
  const { issuedAt } = orderOf(sent, evidence);
  const isLate = Date.parse(at) > Date.parse(issuedAt) + validityMs(command);
  const run = evidence.plan.runs.find(({ name }) => name === command.run);
  return cause.holds({ run, isLate, mayHaveRun: commandRow(sent.rows)?.mayHaveRun !== undefined });
}

interface SkipFacts {
  readonly run: Evidence['plan']['runs'][number] | undefined;
  readonly isLate: boolean;
  readonly mayHaveRun: boolean;
}

/** What lets a command of this action be skipped for this reason. */
const skipCauses: Readonly<
  Record<string, { readonly of: PlannedCommand['action']; readonly holds: (facts: SkipFacts) => boolean }>
> = {
  MISSED_WINDOW: { of: 'start', holds: ({ isLate }) => isLate },
  OVERLAP: { of: 'start', holds: ({ run }) => run?.overlap === 'skip' },
  UNCONFIRMED: { of: 'start', holds: ({ mayHaveRun }) => mayHaveRun },
  NOTHING_TO_STOP: { of: 'stop', holds: () => true },
  ALREADY_ENDED: { of: 'stop', holds: () => true },
};

/** A start that an upload caused names no validity. */
function validityMs({ via }: PlannedCommand): number {
  return via === 'upload' ? (durationMs(defaultValidFor) ?? 0) : validForMs;
}

/** The row of a command, if it could be read. */
export function commandRow(rows: Command['rows']): CommandRow | undefined {
  return rows.find((row) => row.kind === 'command');
}

/** The place of a command in the order. An upload gives its command a time of its own. */
export function orderOf({ event, rows }: Command, { plan, startedAt }: Evidence): CommandOrder {
  const recorded = event.command?.via === 'queue' ? undefined : commandRow(rows)?.command;
  if (recorded !== undefined) return recorded;
  const issuedAt = issuedAtOf(event, plan.commands.length, startedAt).toISOString();
  return { issuedAt, id: event.command?.id ?? '' };
}

/** Commands about the same run that outrank this one. */
function newerThan(sent: Command, evidence: Evidence): readonly Command[] {
  const { command } = sent.event;
  return evidence.commands.filter(
    (other) =>
      other.event.command?.run === command?.run &&
      compareCommands(orderOf(other, evidence), orderOf(sent, evidence)) > 0,
  );
}

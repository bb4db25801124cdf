import type { RecordedOutcome } from '#shared/ledger/rows/ledger-row.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { type CommandOrder, compareCommands, defaultValidFor } from '#shared/messages/campaign-run-command.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import { runOfUploads } from '../events/automation-document.ts';
import { type CommandEvent, issuedAtOf, type PlannedCommand, validForMs } from '../events/command-events.ts';
import { type ChangedRun, type Evidence, type Fate, type Judged, saysWhy, type Transition } from './evidence.ts';
type Command = Evidence['commands'][number];
type Verdict = Omit<Judged, 'key' | 'history'>;

/**
 * Judges every command by the changes of its run at the gateway and, for Autopilot, by its ledger
 * row.
 */
export function judgeCommands(evidence: Evidence): readonly Judged[] {
  const deadLetters = evidence.deadLetters.join('\n');
  return evidence.commands.map((sent): Judged => {
    const { command, place } = sent.event;
    const changes = changesOf(sent, changedIdsOf(sent, evidence));
    const key = command?.id ?? `unreadable message ${place}`;
    const judged = judge(sent, changes, evidence, deadLetters);
    const history = judged.broken === undefined ? {} : { history: [...sent.rows, ...changes] };
    return { key, ...judged, ...history };
  });
}

function judge(sent: Command, changes: readonly Transition[], evidence: Evidence, deadLetters: string): Verdict {
  const starts = sent.event.command?.action === 'start' ? changes.filter(isBeginning) : [];
  if (starts.length > 1) return broken('applied twice', `started ${starts.length} times`);
  if (evidence.worker === 'autopilot') return byLedger(sent, changes, evidence);
  return byEffect(sent.event, changes, deadLetters);
}

function broken(fate: Fate, why: string): Verdict {
  return { fate, broken: why };
}

function byLedger(sent: Command, changes: readonly Transition[], evidence: Evidence): Verdict {
  const [row] = sent.rows;
  const outcome = row?.outcome;
  if (row === undefined) return broken('lost', 'no row in the ledger');
  if (outcome === undefined) return broken('lost', 'it never ended');
  return judgeBy[outcome.kind]({ sent, row, outcome, hasChanged: changes.length > 0, evidence });
}

/** A command that its row says has ended. */
interface Ended {
  readonly sent: Command;
  readonly row: Command['rows'][number];
  readonly outcome: RecordedOutcome;
  readonly hasChanged: boolean;
  readonly evidence: Evidence;
}

const judgeBy: Readonly<Record<RecordedOutcome['kind'], (ended: Ended) => Verdict>> = {
  parked({ row, outcome, hasChanged }) {
    if (saysWhy(outcome, row)) return { fate: 'parked', wasApplied: hasChanged };
    return broken('parked without a reason', 'a person would not know what to do');
  },
  applied({ hasChanged }) {
    if (hasChanged) return { fate: 'applied once' };
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

function byEffect(event: CommandEvent, changes: readonly Transition[], deadLetters: string): Verdict {
  if (changes.length > 0) return { fate: 'applied once' };
  if (deadLetters.includes(event.command?.id ?? event.unreadable ?? '')) return { fate: 'dead letter' };
  if (event.command?.isStale === true && event.command.action === 'start') return { fate: 'skipped' };
  return broken('lost', 'no change at the gateway, and no message left');
}

function isRightlySkipped(sent: Command, { reason, at }: RecordedOutcome, evidence: Evidence): boolean {
  const { command } = sent.event;
  const cause = skipCauses[reason ?? ''];
  if (command === undefined || cause === undefined || cause.of !== command.action) return false;
  const { issuedAt } = generationOf(sent, evidence);
  const isLate = Date.parse(at) > Date.parse(issuedAt) + validityMs(command);
  return cause.holds({ run: evidence.plan.runs.find(({ name }) => name === command.run), isLate });
}

interface SkipFacts {
  readonly run: Evidence['plan']['runs'][number] | undefined;
  readonly isLate: boolean;
}

/** What lets a command of this action be skipped for this reason. */
const skipCauses: Readonly<
  Record<string, { readonly of: PlannedCommand['action']; readonly holds: (facts: SkipFacts) => boolean }>
> = {
  MISSED_WINDOW: { of: 'start', holds: ({ isLate }) => isLate },
  // One id is one run: whatever its campaign allows, it is not started while it runs.
  OVERLAP: { of: 'start', holds: ({ run }) => run?.overlap === 'skip' || run?.pool === 'repeat' },
  NOTHING_TO_STOP: { of: 'stop', holds: ({ run }) => run?.pool === 'list' },
  NOTHING_TO_UPDATE: { of: 'update', holds: ({ run }) => run?.pool === 'list' },
};

/** A start that an upload caused names no validity. */
function validityMs({ via }: PlannedCommand): number {
  return via === 'upload' ? (durationMs(defaultValidFor) ?? 0) : validForMs;
}

/** The run ids that a command may have been about, with their changes. */
function changedIdsOf({ event }: Command, { plan, runs }: Evidence): readonly ChangedRun[] {
  const ids = new Set([...plan.runs, runOfUploads].find(({ name }) => name === event.command?.run)?.campaignRunIds);
  return runs.filter(({ id }) => ids.has(id));
}

/**
 * Changes that a command made: starts and updates carry its id as the name, a stop is told by its
 * word alone. A start that an upload caused has no name; it has an id to itself.
 */
function changesOf({ event: { command }, rows }: Command, runs: readonly ChangedRun[]): readonly Transition[] {
  const own = command?.via === 'upload' ? runs.filter(({ id }) => id === commandRow(rows)?.campaignRunId) : runs;
  const made = own.flatMap(({ transitions }) => transitions).filter(({ by }) => by === 'api');
  if (command?.action === 'stop') return made.filter(({ to, body }) => to === 'stopped' && body.status === 'stopped');
  if (command?.via === 'upload') return made.filter(({ body }) => body.status === 'running');
  return made.filter(({ body }) => body.name === command?.id);
}

/** A start that took effect: a repeat while it runs changes nothing. */
function isBeginning({ from, to }: Transition): boolean {
  return from !== 'running' && to === 'running';
}

function commandRow(rows: Command['rows']): CommandRow | undefined {
  return rows.find((row) => row.kind === 'command');
}

/** A plan and an upload give their commands an instant of their own. */
function generationOf({ event, rows }: Command, { plan, startedAt }: Evidence): CommandOrder {
  const recorded = event.command?.via === 'queue' ? undefined : commandRow(rows)?.command;
  if (recorded !== undefined) return recorded;
  const issuedAt = issuedAtOf(event, plan.commands.length, startedAt).toISOString();
  return { issuedAt, id: event.command?.id ?? '' };
}

/** Commands of the same kind about the same run that outrank this one. */
function newerThan(sent: Command, evidence: Evidence): readonly Command[] {
  const { command } = sent.event;
  const isUpdate = command?.action === 'update';
  return evidence.commands.filter(
    (other) =>
      other.event.command?.run === command?.run &&
      (other.event.command?.action === 'update') === isUpdate &&
      compareCommands(generationOf(other, evidence), generationOf(sent, evidence)) > 0,
  );
}

/**
 * Runs that do not stand where their newest command wants them, and starts that came after a newer
 * stop. Each gives one sentence. For Autopilot a command counts if its ledger says that it was
 * applied, and a newer parked one leaves the state open. For a baseline it is what was sent.
 */
export function judgeRuns(evidence: Evidence): readonly Judged[] {
  const byRun = Map.groupBy(evidence.commands, ({ event }) => event.command?.run ?? '');
  const planned = [...evidence.plan.runs, runOfUploads];
  return evidence.runs.flatMap((run): Judged[] => {
    const name = planned.find(({ campaignRunIds }) => campaignRunIds.includes(run.id))?.name ?? '';
    const intents = intentsOf(run, byRun.get(name) ?? [], evidence);
    const why = wrongEnd(run, intents) ?? lateStart(run, intents);
    if (why === undefined) return [];
    return [{ key: `run ${run.id}`, fate: 'lost', broken: why, history: [...run.transitions] }];
  });
}

interface Intent extends CommandOrder {
  readonly action: 'start' | 'stop';
  readonly state: 'applied' | 'open' | 'no intent';
  /** When the ledger says it was applied. */
  readonly at?: string | undefined;
  /** What its changes are called at the gateway, if not by its id. */
  readonly name?: string;
}

/** Starts and stops of a run id, the oldest first. */
function intentsOf(run: ChangedRun, commands: readonly Command[], evidence: Evidence): readonly Intent[] {
  return commands
    .flatMap((sent): Intent[] => {
      const { command } = sent.event;
      if (command === undefined || command.action === 'update') return [];
      const generation = generationOf(sent, evidence);
      if (evidence.worker !== 'autopilot') {
        const state = command.isStale && command.action === 'start' ? 'no intent' : 'applied';
        return [{ ...generation, action: command.action, state }];
      }
      const { kind, at } = endFor(run, sent);
      const state = kind === 'applied' ? 'applied' : kind === 'parked' ? 'open' : 'no intent';
      return [
        { id: generation.id, issuedAt: generation.issuedAt, action: command.action, state, at, name: command.id },
      ];
    })
    .toSorted(compareCommands);
}

/**
 * How a command ended for one run id: a stop by name has a verdict for each, a start is about one.
 */
function endFor(run: ChangedRun, { rows }: Command): { readonly kind?: string; readonly at?: string } {
  const row = commandRow(rows);
  const at = row?.outcome?.at;
  const verdict = row?.runVerdicts?.[run.id];
  if (verdict !== undefined) return { kind: verdict.kind, at };
  return row?.campaignRunId === run.id ? { kind: row.outcome?.kind, at } : {};
}

function wrongEnd(run: ChangedRun, intents: readonly Intent[]): string | undefined {
  const newest = intents.findLast(({ state }) => state !== 'no intent');
  if (newest === undefined || newest.state === 'open') return undefined;
  const wanted = newest.action === 'start' ? 'running' : 'stopped';
  return run.status === wanted ? undefined : `is ${run.status}, and its newest intent is ${newest.id}`;
}

function lateStart(run: ChangedRun, intents: readonly Intent[]): string | undefined {
  for (const { at, from, to, body } of run.transitions) {
    const start = intents.find(({ id, name = id }) => name === body.name);
    if (from === 'running' || to !== 'running' || start === undefined) continue;
    const stop = intents.find(
      (intent) =>
        intent.action === 'stop' &&
        intent.at !== undefined &&
        intent.state === 'applied' &&
        compareCommands(intent, start) > 0 &&
        Date.parse(intent.at) < Date.parse(at),
    );
    if (stop !== undefined) return `was started by ${start.id} after the newer ${stop.id} had stopped it`;
  }
  return undefined;
}

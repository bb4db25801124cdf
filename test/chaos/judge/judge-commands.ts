import type { RecordedOutcome } from '#shared/ledger/rows/ledger-row.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { compareCommands, type CommandOrder, defaultValidFor } from '#shared/messages/campaign-run-command.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import { runOfUploads } from '../events/automation-document.ts';
import { type CommandEvent, issuedAtOf, type PlannedCommand, validForMs } from '../events/command-events.ts';
import type { ChangedRun, Evidence, Transition } from './evidence.ts';
import { type Fate, type Judged, saysWhy } from './fate.ts';

type Command = Evidence['commands'][number];
type Verdict = Omit<Judged, 'key' | 'history'>;

/** Judges every command by the changes of its run at the gateway and, for Autopilot, by its ledger row. */
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
  switch (outcome.kind) {
    case 'parked':
      return saysWhy(outcome, row)
        ? { fate: 'parked', wasApplied: changes.length > 0 }
        : broken('parked without a reason', 'a person would not know what to do');
    case 'applied':
      return changes.length > 0
        ? { fate: 'applied once' }
        : broken('lost', 'the ledger says applied, and the gateway never heard of it');
    case 'superseded':
      return newerThan(sent, evidence).length > 0
        ? { fate: 'superseded' }
        : broken('lost', 'superseded, and nothing newer was wished');
    case 'skipped':
      return isRightlySkipped(sent, outcome, evidence)
        ? { fate: 'skipped' }
        : broken('denied', `skipped as ${outcome.reason ?? 'nothing'}`);
    case 'ignored':
      return broken('lost', 'no command is ignored');
  }
}

function byEffect(event: CommandEvent, changes: readonly Transition[], deadLetters: string): Verdict {
  if (changes.length > 0) return { fate: 'applied once' };
  if (deadLetters.includes(event.command?.id ?? event.unreadable ?? '')) return { fate: 'dead letter' };
  if (event.command?.isStale === true && event.command.action === 'start') return { fate: 'skipped' };
  return broken('lost', 'no change at the gateway, and no message left');
}

function isRightlySkipped(sent: Command, { reason, at }: RecordedOutcome, evidence: Evidence): boolean {
  const { command } = sent.event;
  const run = evidence.plan.runs.find(({ name }) => name === command?.run);
  const { issuedAt } = generationOf(sent, evidence);
  switch (reason) {
    case 'MISSED_WINDOW':
      return command?.action === 'start' && Date.parse(at) > Date.parse(issuedAt) + validityMs(command);
    case 'OVERLAP':
      // One id is one run: whatever its campaign allows, it is not started while it runs.
      return command?.action === 'start' && (run?.overlap === 'skip' || run?.pool === 'repeat');
    case 'NOTHING_TO_STOP':
      return command?.action === 'stop' && run?.pool === 'list';
    case 'NOTHING_TO_UPDATE':
      return command?.action === 'update' && run?.pool === 'list';
    default:
      return false;
  }
}

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
 * Changes that a command made: starts and updates carry its id as the name, a stop is told by its word alone. A start that an upload caused has
 * no name; it has an id to itself.
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
 * Runs that do not stand where their newest wish wants them, and starts that came after a newer stop. Each gives one sentence. For Autopilot
 * a wish is what its ledger says was applied, and a newer parked one leaves the state open; for a baseline it is what was sent.
 */
export function judgeRuns(evidence: Evidence): readonly Judged[] {
  const byRun = Map.groupBy(evidence.commands, ({ event }) => event.command?.run ?? '');
  const planned = [...evidence.plan.runs, runOfUploads];
  return evidence.runs.flatMap((run): Judged[] => {
    const name = planned.find(({ campaignRunIds }) => campaignRunIds.includes(run.id))?.name ?? '';
    const wishes = wishesOf(run, byRun.get(name) ?? [], evidence);
    const why = wrongEnd(run, wishes) ?? lateStart(run, wishes);
    if (why === undefined) return [];
    return [{ key: `run ${run.id}`, fate: 'lost', broken: why, history: [...run.transitions] }];
  });
}

interface Wish extends CommandOrder {
  readonly action: 'start' | 'stop';
  readonly state: 'applied' | 'open' | 'no wish';
  /** When the ledger says it was applied. */
  readonly at?: string | undefined;
  /** What its changes are called at the gateway, if not by its id. */
  readonly name?: string;
}

/** Starts and stops of a run id, the oldest first. */
function wishesOf(run: ChangedRun, commands: readonly Command[], evidence: Evidence): readonly Wish[] {
  return commands
    .flatMap((sent): Wish[] => {
      const { command } = sent.event;
      if (command === undefined || command.action === 'update') return [];
      const generation = generationOf(sent, evidence);
      if (evidence.worker !== 'autopilot') {
        const state = command.isStale && command.action === 'start' ? 'no wish' : 'applied';
        return [{ ...generation, action: command.action, state }];
      }
      const { kind, at } = endFor(run, sent);
      const state = kind === 'applied' ? 'applied' : kind === 'parked' ? 'open' : 'no wish';
      return [
        { id: generation.id, issuedAt: generation.issuedAt, action: command.action, state, at, name: command.id },
      ];
    })
    .toSorted(compareCommands);
}

/** How a command ended for one run id: a stop by name has a verdict for each, a start is about one. */
function endFor(run: ChangedRun, { rows }: Command): { readonly kind?: string; readonly at?: string } {
  const row = commandRow(rows);
  const at = row?.outcome?.at;
  const verdict = row?.runVerdicts?.[run.id];
  if (verdict !== undefined) return { kind: verdict.kind, at };
  return row?.campaignRunId === run.id ? { kind: row.outcome?.kind, at } : {};
}

function wrongEnd(run: ChangedRun, wishes: readonly Wish[]): string | undefined {
  const newest = wishes.findLast(({ state }) => state !== 'no wish');
  if (newest === undefined || newest.state === 'open') return undefined;
  const wanted = newest.action === 'start' ? 'running' : 'stopped';
  return run.status === wanted ? undefined : `is ${run.status}, and its newest wish is ${newest.id}`;
}

function lateStart(run: ChangedRun, wishes: readonly Wish[]): string | undefined {
  for (const { at, from, to, body } of run.transitions) {
    const start = wishes.find(({ id, name = id }) => name === body.name);
    if (from === 'running' || to !== 'running' || start === undefined) continue;
    const stop = wishes.find(
      (wish) =>
        wish.action === 'stop' &&
        wish.at !== undefined &&
        wish.state === 'applied' &&
        compareCommands(wish, start) > 0 &&
        Date.parse(wish.at) < Date.parse(at),
    );
    if (stop !== undefined) return `was started by ${start.id} after the newer ${stop.id} had stopped it`;
  }
  return undefined;
}

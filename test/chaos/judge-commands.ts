import { compareGenerations, type Generation } from '../../shared/messages/campaign-run-command.ts';
import { type CommandEvent, issuedAtOf } from './command-events.ts';
import type { ChangedRun, Evidence, Transition } from './evidence.ts';
import { type Fate, type Judged, saysWhy } from './fate.ts';

type Command = Evidence['commands'][number];
type Verdict = Omit<Judged, 'key' | 'history'>;

/** Judges every command by the run's changes at the gateway and, for Autopilot, by its ledger row. */
export function judgeCommands(evidence: Evidence): readonly Judged[] {
  const runs = new Map(evidence.runs.map((run) => [run.id, run]));
  const deadLetters = evidence.deadLetters.join('\n');
  return evidence.commands.map((sent): Judged => {
    const { command, place } = sent.event;
    const run = runs.get(command?.campaignRunId ?? '');
    const key = command?.id ?? `unreadable message ${place}`;
    const judged = judge(sent, run, evidence, deadLetters);
    const history = judged.broken === undefined ? {} : { history: [...sent.rows, ...(run?.transitions ?? [])] };
    return { key, ...judged, ...history };
  });
}

function judge(sent: Command, run: ChangedRun | undefined, evidence: Evidence, deadLetters: string): Verdict {
  const starts = run === undefined ? [] : startsOf(sent.event, run);
  if (starts.length > 1) return broken('applied twice', `started ${starts.length} times`);
  if (evidence.worker === 'autopilot') return byLedger(sent, run, evidence);
  return byEffect(sent.event, run, deadLetters);
}

function broken(fate: Fate, why: string): Verdict {
  return { fate, broken: why };
}

function byLedger(sent: Command, run: ChangedRun | undefined, evidence: Evidence): Verdict {
  const [row] = sent.rows;
  const outcome = row?.outcome;
  if (row === undefined) return broken('lost', 'no row in the ledger');
  if (outcome === undefined) return broken('lost', 'it never ended');
  switch (outcome.kind) {
    case 'parked':
      return saysWhy(outcome, row)
        ? { fate: 'parked', wasApplied: run !== undefined && changesOf(sent.event, run).length > 0 }
        : broken('parked without a reason', 'a person would not know what to do');
    case 'applied':
      return run !== undefined && changesOf(sent.event, run).length > 0
        ? { fate: 'applied once' }
        : broken('lost', 'the ledger says applied, and the gateway never heard of it');
    case 'superseded':
      return newerThan(sent.event, evidence).length > 0
        ? { fate: 'superseded' }
        : broken('lost', 'superseded, and nothing newer was wished');
    case 'skipped':
      return isRightlySkipped(sent.event, outcome.reason, evidence)
        ? { fate: 'skipped' }
        : broken('lost', `skipped as ${outcome.reason ?? 'nothing'}`);
    case 'ignored':
      return broken('lost', 'no command is ignored');
  }
}

function byEffect(event: CommandEvent, run: ChangedRun | undefined, deadLetters: string): Verdict {
  if (run !== undefined && changesOf(event, run).length > 0) return { fate: 'applied once' };
  if (deadLetters.includes(event.command?.id ?? event.unreadable ?? '')) return { fate: 'dead letter' };
  if (event.command?.isStale === true && event.command.action === 'start') return { fate: 'skipped' };
  return broken('lost', 'no change at the gateway, and no message left');
}

function isRightlySkipped({ command }: CommandEvent, reason: string | undefined, { plan }: Evidence): boolean {
  if (command?.action !== 'start') return false;
  if (reason === 'MISSED_WINDOW') return command.isStale;
  const run = plan.runs.find(({ campaignRunId }) => campaignRunId === command.campaignRunId);
  return reason === 'OVERLAP' && run?.overlap === 'skip';
}

/** Changes that a command made: starts and updates carry its id as the name, a stop is told by its word alone. */
function changesOf({ command }: CommandEvent, { transitions }: ChangedRun): readonly Transition[] {
  const made = transitions.filter(({ by }) => by === 'api');
  if (command?.action === 'stop') return made.filter(({ to, body }) => to === 'stopped' && body.status === 'stopped');
  return made.filter(({ body }) => body.name === command?.id);
}

/** Starts that took effect: a repeat while it runs changes nothing. */
function startsOf(event: CommandEvent, run: ChangedRun): readonly Transition[] {
  if (event.command?.action !== 'start') return [];
  return changesOf(event, run).filter(({ from, to }) => from !== 'running' && to === 'running');
}

function generationOf(event: CommandEvent, { plan, startedAt }: Evidence): Generation {
  const issuedAt = issuedAtOf(event, plan.commands.length, startedAt).toISOString();
  return { issuedAt, id: event.command?.id ?? '' };
}

/** Wishes of the same kind about the same run that outrank this one. */
function newerThan(event: CommandEvent, evidence: Evidence): readonly Command[] {
  const isUpdate = event.command?.action === 'update';
  return evidence.commands.filter(
    (other) =>
      other.event.command?.campaignRunId === event.command?.campaignRunId &&
      (other.event.command?.action === 'update') === isUpdate &&
      compareGenerations(generationOf(other.event, evidence), generationOf(event, evidence)) > 0,
  );
}

/**
 * Runs that do not stand where their newest wish wants them, and starts that came after a newer stop. Each gives one sentence. For Autopilot
 * a wish is what its ledger says was applied, and a newer parked one leaves the state open; for a baseline it is what was sent.
 */
export function judgeRuns(evidence: Evidence): readonly Judged[] {
  const byRun = Map.groupBy(evidence.commands, ({ event }) => event.command?.campaignRunId ?? '');
  return evidence.runs.flatMap((run): Judged[] => {
    const wishes = wishesOf(byRun.get(run.id) ?? [], evidence);
    const why = wrongEnd(run, wishes) ?? lateStart(run, wishes);
    if (why === undefined) return [];
    return [{ key: `run ${run.id}`, fate: 'lost', broken: why, history: [...run.transitions] }];
  });
}

interface Wish extends Generation {
  readonly action: 'start' | 'stop';
  readonly state: 'applied' | 'open' | 'no wish';
  /** When the ledger says it was applied. */
  readonly at?: string;
}

/** Starts and stops of a run, the oldest first. */
function wishesOf(commands: readonly Command[], evidence: Evidence): readonly Wish[] {
  return commands
    .flatMap((sent): Wish[] => {
      const { command } = sent.event;
      if (command === undefined || command.action === 'update') return [];
      const generation = generationOf(sent.event, evidence);
      const outcome = sent.rows[0]?.outcome;
      if (evidence.worker !== 'autopilot') {
        const state = command.isStale && command.action === 'start' ? 'no wish' : 'applied';
        return [{ ...generation, action: command.action, state }];
      }
      const state = outcome?.kind === 'applied' ? 'applied' : outcome?.kind === 'parked' ? 'open' : 'no wish';
      const at = outcome === undefined ? {} : { at: outcome.at };
      return [{ ...generation, action: command.action, state, ...at }];
    })
    .toSorted(compareGenerations);
}

function wrongEnd(run: ChangedRun, wishes: readonly Wish[]): string | undefined {
  const newest = wishes.findLast(({ state }) => state !== 'no wish');
  if (newest === undefined || newest.state === 'open') return undefined;
  const wanted = newest.action === 'start' ? 'running' : 'stopped';
  return run.status === wanted ? undefined : `is ${run.status}, and its newest wish is ${newest.id}`;
}

function lateStart(run: ChangedRun, wishes: readonly Wish[]): string | undefined {
  for (const { at, from, to, body } of run.transitions) {
    const start = wishes.find(({ id }) => id === body.name);
    if (from === 'running' || to !== 'running' || start === undefined) continue;
    const stop = wishes.find(
      (wish) =>
        wish.action === 'stop' &&
        wish.at !== undefined &&
        wish.state === 'applied' &&
        compareGenerations(wish, start) > 0 &&
        Date.parse(wish.at) < Date.parse(at),
    );
    if (stop !== undefined) return `was started by ${start.id} after the newer ${stop.id} had stopped it`;
  }
  return undefined;
}

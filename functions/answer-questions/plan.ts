import { type Ledger, rowAt } from '#shared/ledger/ledger.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { listOpenOfKind, readOpenRuns } from '#shared/ledger/open-rows.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { plansStop, type RunRow, type SentStart, startOf } from '#shared/ledger/rows/run-row.ts';
import {
  type CampaignRunCommand,
  checkCampaignRunCommand,
  compareCommands,
} from '#shared/messages/campaign-run-command.ts';
import { type PreviewAnswer, type Previewed, previewQuestion } from '#shared/messages/questions.ts';
import { closeIfOver } from '../_runs/apply.ts';
import { plannedStopOf } from '../_runs/decide/decide-stop.ts';
import type { RunCommandDeps } from '../_runs/decide/state.ts';
import { handleCommand } from '../_runs/handle-command.ts';
import {
  createOverlayLedger,
  type OverlayLedger,
  type PlanDeps,
  planLog,
  plannedDeps,
  type PlannedRequest,
} from './planned-world.ts';
import { previewedOf } from './previewed.ts';

/** A message of a plan; instants in milliseconds since the epoch. */
interface Coming {
  readonly command: CampaignRunCommand;
  /** Of its next delivery. */
  readonly atMs: number;
  /** Of its first delivery. */
  readonly arrivedMs: number;
  /** Deliveries so far, the next one included. */
  readonly receiveCount: number;
}

/** A plan in the making. */
interface Plan {
  readonly ledger: OverlayLedger;
  readonly deps: RunCommandDeps;
  /** In the order in which they come. */
  readonly coming: Coming[];
  readonly ended: { readonly arrived: Coming; readonly previewed: Previewed }[];
  /** Requests by the id of the command that they are shown with. */
  readonly requests: Map<string, PlannedRequest[]>;
  /** Stops that make room for a start, and that start: they are shown as requests of it. */
  readonly madeRoom: Map<string, string>;
  /** When the runs end that plan no stop, by their id. */
  readonly endsAt: Map<string, number>;
  /** The message that is delivered at this moment. */
  current?: Coming;
}

/** A command that is never settled is left out after this: each one that can be settled is so within a day. */
const longestFollowedMs = 25 * 60 * 60_000;

/** A message that has waited for longer comes back less and less often, so that a plan of months stays quick. */
const exactForMs = 10 * 60_000;
const leastPartOfAge = 1 / 16;

/** Far more than 2,000 commands need. */
const mostDeliveries = 200_000;

/** Left for the answer to be written. */
const answerMs = 1000;

/** As long as an attempt of a worker may take; in a plan it takes no time. */
const attemptMs = 30_000;

/**
 * Answers what the worker would do with commands to come (`autopilot plan`). It runs the worker's
 * own code in virtual time, over a ledger whose writes stay in memory. The gate is open, slots are
 * free, campaigns are really read, and a PATCH is only noted. Starts and stops without an outcome
 * come at their next try.
 * @throws Error for what is no such question, if the plan takes too long, and the ledger's errors
 */
export async function answerPlan(event: unknown, deps: PlanDeps): Promise<PreviewAnswer> {
  const question = previewQuestion.parse(event);
  const commands = question.commands.map(checkedCommand);
  const now = deps.now();
  const unread: PreviewAnswer['unread'] = [];
  const plan = await beginPlan(unread, now, deps);
  for (const command of commands) add(plan, arrival(Date.parse(command.issuedAt), command));
  // All at once: read one by one, the rows of 1,000 commands took ten seconds.
  await plan.ledger.readMany(commands.map(({ id }) => ledgerKeys.command(id)));
  const untilMs = Date.parse(question.until);

  for (let count = 0; isUnfinished(plan, untilMs); count += 1) {
    if (count >= mostDeliveries || deps.remainingMs() < answerMs) {
      throw new Error('the plan takes too long: ask about a shorter time');
    }
    await deliverNext(plan);
  }
  const shown = plan.ended.filter(({ arrived }) => arrived.atMs <= untilMs);
  return {
    now: now.toISOString(),
    mode: deps.config.mode,
    commands: shown.toSorted((a, b) => compareComing(a.arrived, b.arrived)).map(({ previewed }) => previewed),
    unread,
  };
}

/** Its instant is to come: that alone would make it a bad message. */
function checkedCommand(input: unknown): CampaignRunCommand {
  const issuedAt = typeof input === 'object' && input !== null && 'issuedAt' in input ? String(input.issuedAt) : '';
  const checked = checkCampaignRunCommand(input, new Date(issuedAt));
  if (!checked.ok) throw new Error(`a command of the preview is none: ${checked.problems.join('; ')}`);
  if (checked.command.action === 'update') throw new Error('only starts and stops are previewed');
  return checked.command;
}

/** A plan with what is in flight and deferred now. */
async function beginPlan(unread: PreviewAnswer['unread'], now: Date, deps: PlanDeps): Promise<Plan> {
  const ledger = createOverlayLedger(deps.ledger);
  const runs = await readOpenRuns(ledger);
  const inFlight = runs.map(startOf).filter((start) => start !== undefined);
  const plan: Plan = {
    ledger,
    deps: plannedDeps(
      {
        ledger,
        inFlight,
        unread,
        onPatch: (request, commandId, row) => notePatch(plan, request, commandId, row),
        onSent: (body) => noteSent(plan, body),
      },
      deps,
    ),
    coming: [],
    ended: [],
    requests: new Map(),
    madeRoom: new Map(),
    endsAt: new Map(),
  };
  const stops = runs.flatMap((row) => stopsOf(row.campaignRunId, startOf(row), now.getTime()));
  const known = await ledger.readMany(stops.map(({ command }) => ledgerKeys.command(command.id)));
  for (const stop of stops) {
    // One with an outcome needs a person.
    if (rowAt<CommandRow>(known, ledgerKeys.command(stop.command.id))?.outcome === undefined) add(plan, stop);
  }
  for (const one of await underWay(ledger, now)) add(plan, one);
  for (const { campaignRunId, ...row } of runs) noteEnd(plan, campaignRunId, startOf(row));
  for (const { command, deferred } of await listOpenOfKind(ledger, 'DEFERRED', 'command')) {
    if (deferred !== undefined) add(plan, arrivalAt(deferred.until, now.getTime(), command));
  }
  return plan;
}

/** Starts and stops that were tried and have no outcome. The planned stops among them are those of the runs. */
async function underWay(ledger: Pick<Ledger, 'listOpen'>, now: Date): Promise<readonly Coming[]> {
  const pending = await listOpenOfKind(ledger, 'PENDING', 'command');
  return pending
    .filter(({ command, outcome }) => outcome === undefined && command.plannedBy === undefined)
    .filter(({ command }) => command.action !== 'update')
    .map(({ command, attempt }) => arrivalAt(attempt?.nextTryAt ?? command.issuedAt, now.getTime(), command));
}

function notePatch(plan: Plan, request: PlannedRequest, commandId: string, row: RunRow): void {
  const shownWith = plan.madeRoom.get(commandId) ?? commandId;
  plan.requests.set(shownWith, [...(plan.requests.get(shownWith) ?? []), request]);
  if (row.state !== 'starting') return;
  noteEnd(plan, row.campaignRunId, row.start);
  for (const stop of stopsOf(row.campaignRunId, row.start, plan.current?.atMs ?? 0)) {
    // The watcher sends this stop only after its start, which is still to come.
    plan.ledger.noteAbsent(ledgerKeys.command(stop.command.id));
    add(plan, stop);
  }
}

/** The planned stop of a start, as the watcher sends it: now if it is overdue; none if the start plans none. */
function stopsOf(campaignRunId: string, start: SentStart | undefined, nowMs: number): readonly Coming[] {
  const command = start && plannedStopOf(campaignRunId, start);
  return command === undefined ? [] : [arrivalAt(command.issuedAt, nowMs, command)];
}

function noteEnd({ endsAt }: Plan, campaignRunId: string, start: SentStart | undefined): void {
  if (start !== undefined && start.plannedStop === undefined) endsAt.set(campaignRunId, Date.parse(start.until));
  else endsAt.delete(campaignRunId);
}

function noteSent(plan: Plan, body: string): void {
  const command: CampaignRunCommand = JSON.parse(body);
  plan.madeRoom.set(command.id, plan.current?.command.id ?? '');
  add(plan, arrival(plan.current?.atMs ?? 0, command));
}

function arrival(atMs: number, command: CampaignRunCommand): Coming {
  return { command, atMs, arrivedMs: atMs, receiveCount: 1 };
}

/** At an instant; now, if that has passed. */
function arrivalAt(instant: string, nowMs: number, command: CampaignRunCommand): Coming {
  return arrival(Math.max(Date.parse(instant), nowMs), command);
}

function add({ coming }: Plan, one: Coming): void {
  const index = coming.findLastIndex((other) => compareComing(other, one) <= 0);
  coming.splice(index + 1, 0, one);
}

/** Of one instant stops come first, then starts; a planned stop comes last, since the watcher finds it within a minute. */
function compareComing(a: Coming, b: Coming): number {
  return a.atMs - b.atMs || rankOf(a) - rankOf(b) || compareCommands(a.command, b.command);
}

function rankOf({ command: { action, plannedBy } }: Coming): number {
  if (plannedBy !== undefined) return 2;
  return action === 'stop' ? 0 : 1;
}

/** Whether anything comes by then, or a command that came by then still waits: it is followed to its outcome, with all that happens meanwhile. */
function isUnfinished({ coming }: Plan, untilMs: number): boolean {
  const [next] = coming;
  if (next === undefined || next.atMs <= untilMs) return next !== undefined;
  return coming.some(({ receiveCount, arrivedMs }) => receiveCount > 1 && arrivedMs <= untilMs);
}

async function deliverNext(plan: Plan): Promise<void> {
  const next = plan.coming.shift();
  if (next === undefined) return;
  const { command, atMs, arrivedMs, receiveCount } = next;
  plan.current = next;
  await closeEnded(plan, atMs);
  if (!(await isStillPlanned(command, plan.ledger))) return;
  const body = JSON.stringify(command);
  const record = { messageId: command.id, body, receiveCount, sentAt: new Date(arrivedMs), queueArn: 'plan' };
  const context = { log: planLog, now: () => new Date(atMs), remainingMs: () => attemptMs, attemptId: 'plan' };
  const result = await handleCommand(record, context, plan.deps);
  if (result.kind === 'later') {
    const againMs = atMs + Math.max(result.delayMs, (atMs - arrivedMs - exactForMs) * leastPartOfAge);
    if (againMs > arrivedMs + longestFollowedMs) return;
    add(plan, { ...next, atMs: againMs, receiveCount: receiveCount + 1 });
    return;
  }
  await noteOutcome(plan, next);
}

/** The watcher finds a run whose time is over within a minute. */
async function closeEnded({ endsAt, ledger }: Plan, nowMs: number): Promise<void> {
  for (const [campaignRunId, endMs] of endsAt) {
    if (endMs >= nowMs) continue;
    const run = await ledger.read<RunRow>(ledgerKeys.run(campaignRunId));
    const isIdle = run === undefined || startOf(run) === undefined;
    // A start without an outcome is never closed.
    if (isIdle || (await closeIfOver(run, new Date(nowMs), { ledger })) !== undefined) endsAt.delete(campaignRunId);
  }
}

/**
 * The watcher sends a planned stop only if its start still plans it. A start of the same run may
 * have sent it a moment before.
 */
async function isStillPlanned(
  { id, plannedBy, campaignRunId = '' }: CampaignRunCommand,
  ledger: Pick<Ledger, 'read'>,
): Promise<boolean> {
  if (plannedBy === undefined) return true;
  const row = await ledger.read<RunRow>(ledgerKeys.run(campaignRunId));
  if (plansStop(row && startOf(row), plannedBy)) return true;
  return (await ledger.read<CommandRow>(ledgerKeys.command(id))) !== undefined;
}

async function noteOutcome(plan: Plan, { command, atMs, arrivedMs }: Coming): Promise<void> {
  const row = await plan.ledger.read<CommandRow>(ledgerKeys.command(command.id));
  if (row === undefined || plan.madeRoom.has(command.id)) return;
  if (row.outcome === undefined && row.deferred !== undefined) {
    add(plan, arrivalAt(row.deferred.until, atMs, command));
  }
  const requests = plan.requests.get(command.id) ?? [];
  const previewed = await previewedOf({ row, at: new Date(arrivedMs), requests }, plan.deps);
  if (previewed !== undefined) plan.ended.push({ arrived: arrival(arrivedMs, command), previewed });
}

import { type Ledger, rowAt } from '#shared/ledger/ledger.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { listOpenOfKind, readRunsInFlight, readTargetsInFlight } from '#shared/ledger/open-rows.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { newPoolRow, poolKey, type PoolRow } from '#shared/ledger/rows/run-row.ts';
import type { CalendarsRow } from '#shared/ledger/rows/stage-rows.ts';
import { calendarsAsRead, calendarsOf } from '#shared/schedule/calendars.ts';
import { type InFlight, type TargetRow, withoutEntry } from '#shared/ledger/rows/target-row.ts';
import {
  type CampaignRunCommand,
  checkCampaignRunCommand,
  compareCommands,
} from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { type PreviewAnswer, type Previewed, previewQuestion } from '#shared/messages/questions.ts';
import type { PatchEffect, RunCommandDeps } from '../_runs/decide/state.ts';
import { handleCommand } from '../_runs/handle-command.ts';
import { commandOfMode, type Mode } from '../_handler/stage-ledger.ts';
import { plannedStopOf } from '../_runs/decide/own-stops.ts';
import {
  createOverlayLedger,
  type PlanDeps,
  type PlanSoFar,
  planLog,
  plannedDeps,
  type PlannedRequest,
} from './planned-world.ts';
import { previewedOf } from './previewed.ts';
import { hourMs } from '#shared/schedule/duration.ts';

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
  readonly ledger: Ledger;
  readonly deps: RunCommandDeps;
  /** In the order in which they come. */
  readonly coming: Coming[];
  readonly ended: { readonly arrived: Coming; readonly previewed: Previewed }[];
  /** Requests by the id of the command that they are shown with. */
  readonly requests: Map<string, PlannedRequest[]>;
  /** Stops that make room for a start, and that start: they are shown as requests of it. */
  readonly madeRoom: Map<string, string>;
  /** The message that is delivered at this moment. */
  current?: Coming;
}

/** A command that is never settled is left out after this: each one that can be settled is so within a day. */
const longestFollowedMs = 25 * hourMs;

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
export async function answerPlan(event: unknown, given: PlanDeps): Promise<PreviewAnswer> {
  const question = previewQuestion.parse(event);
  const commands = question.commands.map(checkedCommand);
  const now = given.now();
  const unread: PreviewAnswer['unread'] = [];
  const deps = await withCalendars(unread, given);
  const plan = await beginPlan(unread, now, deps);
  await fillPlannedPools(plan, commands.length + plan.coming.length, deps);
  for (const command of commands) add(plan, arrival(Date.parse(command.issuedAt), command));
  // All at once, with those of the planned stops: read one by one, the rows of 1,000 commands took ten seconds.
  const ids = commands.flatMap(({ id, action }) => (action === 'start' ? [id, commandIds.plannedStop(id)] : [id]));
  await plan.ledger.readMany(ids.map(ledgerKeys.command));
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

/** Calendars as they were read last. One that counts as closed now is named, and taken for open. */
async function withCalendars(unread: PreviewAnswer['unread'], deps: PlanDeps): Promise<PlanDeps> {
  const { blackouts } = deps.config;
  if (calendarsOf(blackouts).length === 0) return deps;
  const key = ledgerKeys.calendars();
  const row = rowAt<CalendarsRow>(await deps.ledger.readMany([key]), key);
  const read = calendarsAsRead(blackouts, row?.readings ?? {}, deps.now());
  for (const { name, why } of read.unread) unread.push({ campaign: name, why });
  return { ...deps, config: { ...deps.config, blackouts: read.blackouts } };
}

/** Its instant is to come: that alone would make it a bad message. */
function checkedCommand(input: unknown): CampaignRunCommand {
  const issuedAt = typeof input === 'object' && input !== null && 'issuedAt' in input ? String(input.issuedAt) : '';
  const checked = checkCampaignRunCommand(input, new Date(issuedAt));
  if (!checked.ok) throw new Error(`a command of the preview is none: ${checked.problems.join('; ')}`);
  return checked.command;
}

/** A plan with what is in flight, under way and deferred now. */
async function beginPlan(unread: PreviewAnswer['unread'], now: Date, deps: PlanDeps): Promise<Plan> {
  const ledger = createOverlayLedger(deps.ledger);
  const inFlight = (await readRunsInFlight(ledger)).map(({ entry }) => entry);
  const notes: Pick<PlanSoFar, 'onPatch' | 'onSent'> = {
    onPatch: (request, effect) => notePatch(plan, request, effect),
    onSent: (body) => noteSent(plan, body),
  };
  const world = plannedDeps({ ledger, inFlight, unread, ...notes }, deps);
  const plan: Plan = { ledger, deps: world, coming: [], ended: [], requests: new Map(), madeRoom: new Map() };
  const stops = inFlight
    .filter(({ plansStop }) => plansStop)
    .map((entry) => plannedStopAt(entry, now.getTime(), deps.config.mode));
  const known = await ledger.readMany(stops.map(({ command }) => ledgerKeys.command(command.id)));
  for (const stop of stops) {
    // One with an outcome needs a person.
    if (rowAt<CommandRow>(known, ledgerKeys.command(stop.command.id))?.outcome === undefined) add(plan, stop);
  }
  for (const { command, attempt, outcome } of await listOpenOfKind(ledger, 'PENDING', 'command')) {
    if (outcome !== undefined || plan.coming.some((one) => one.command.id === command.id)) continue;
    add(plan, arrivalAt(attempt?.nextTryAt ?? command.issuedAt, now.getTime(), command));
  }
  for (const { command, deferred } of await listOpenOfKind(ledger, 'DEFERRED', 'command')) {
    if (deferred !== undefined) add(plan, arrivalAt(deferred.until, now.getTime(), command));
  }
  return plan;
}

/** Notes a PATCH of the command that is delivered, and the planned stop of a start. */
async function notePatch(plan: Plan, request: PlannedRequest, { to }: PatchEffect): Promise<void> {
  const { command: { id } = { id: '' }, atMs = 0 } = plan.current ?? {};
  const shownWith = plan.madeRoom.get(id) ?? id;
  plan.requests.set(shownWith, [...(plan.requests.get(shownWith) ?? []), request]);
  if (to !== 'start') return;
  const entry = await entryOf(id, plan);
  if (entry?.plansStop !== true) return;
  const stop = plannedStopAt(entry, atMs, plan.deps.config.mode);
  // A start that was tried before the plan began has its planned stop among what comes.
  if (plan.coming.some(({ command }) => command.id === stop.command.id)) return;
  add(plan, stop);
}

/** The planned stop of a run, as the watcher sends it: now if it is overdue. */
function plannedStopAt(entry: InFlight, nowMs: number, mode: Mode): Coming {
  return arrivalAt(entry.endsAt, nowMs, commandOfMode(mode, plannedStopOf(entry)));
}

async function entryOf(startId: string, { ledger }: Pick<Plan, 'ledger'>): Promise<InFlight | undefined> {
  const runs = await readRunsInFlight(ledger);
  return runs.find(({ entry }) => entry.startId === startId)?.entry;
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

function rankOf({ command: { action, startId } }: Coming): number {
  if (startId !== undefined) return 2;
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
  await countOut(plan, atMs);
  if (!(await isStillPlanned(command, plan))) return;
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

/** No start of a plan is so late. */
const farAhead = '9999-01-01T00:00:00.000Z';

/** By the time of a start a run is made for it, unless something keeps the pool from filling. */
async function fillPlannedPools({ ledger }: Plan, count: number, { config, now }: PlanDeps): Promise<void> {
  for (const pool of Object.values(config.runs).flatMap((run) => run.pool ?? [])) {
    const before = await ledger.read<PoolRow>(poolKey(pool));
    if (before?.failing !== undefined) continue;
    const row = before ?? newPoolRow(pool, '', now());
    const idOf = (index: number) => `made-for-${pool.run}-${index + 1}`;
    const made = Array.from({ length: count }, (_, index) => ({ id: idOf(index), startAt: farAhead }));
    await ledger.write<PoolRow>(before, { ...row, made: [...row.made, ...made] });
  }
}

/** The watcher finds a run whose counted end has passed within a minute. */
async function countOut({ ledger }: Plan, nowMs: number): Promise<void> {
  const isOver = ({ state, plansStop, endsAt }: InFlight) =>
    state === 'running' && !plansStop && Date.parse(endsAt) < nowMs;
  for (const row of await readTargetsInFlight(ledger)) {
    const over = row.runs.filter(isOver);
    const { version: _version, writer: _writer, ...target } = row;
    const left = over.reduce<TargetRow>((before, { startId }) => withoutEntry(before, startId), target);
    if (over.length > 0) await ledger.write<TargetRow>(row, left);
  }
}

/** The watcher sends a planned stop only while its run is in flight, or once it was tried. */
async function isStillPlanned({ id, startId }: CampaignRunCommand, plan: Plan): Promise<boolean> {
  if (startId === undefined || (await entryOf(startId, plan)) !== undefined) return true;
  return (await plan.ledger.read<CommandRow>(ledgerKeys.command(id))) !== undefined;
}

async function noteOutcome(plan: Plan, { command, atMs, arrivedMs }: Coming): Promise<void> {
  const row = await plan.ledger.read<CommandRow>(ledgerKeys.command(command.id));
  if (row === undefined || plan.madeRoom.has(command.id)) return;
  if (row.outcome === undefined && row.deferred !== undefined) {
    add(plan, arrivalAt(row.deferred.until, atMs, command));
  }
  const requests = plan.requests.get(command.id) ?? [];
  const previewed = await previewedOf(row, { at: new Date(arrivedMs), requests }, plan.deps);
  if (previewed !== undefined) plan.ended.push({ arrived: arrival(arrivedMs, command), previewed });
}

import type { GatewayModel, RunChange } from '../world/gateway-model.ts';
import type { Played } from '../play.ts';
import { processes } from '../stage-config.ts';
import { type CommandAsSent, type CommandAt, commandsOf, isLater, parkedMessagesOf } from '../sent-work.ts';

/**
 * What must hold of every command and every run: I1, I2, I4, I5, I6 and I8, by what the gateway
 * did. Each broken promise is one sentence.
 */
export function brokenRunPromises(played: Played): readonly string[] {
  const { changes, requests } = played.stage.world.gateway;
  const commands = commandsOf(played);
  const givenUp = parkedMessagesOf(played).map(({ parked }) => parked?.message ?? '');
  const runs = new Set(changes.map(({ campaignRunId }) => campaignRunId));
  return [
    ...commands.flatMap((sent) => {
      const isGivenUp = givenUp.some((message) => message.includes(`"${sent.command.id}"`));
      const own = changes.filter((change) => isEffectOf(sent, change));
      return [...lost(sent, isGivenUp), ...doubled(sent, own), ...(isGivenUp ? [] : untrue(sent, own, changes))].map(
        (sentence) => `command ${sent.command.id}: ${sentence}`,
      );
    }),
    ...[...runs].flatMap((run) => {
      const effects = effectsOn(run, { changes, requests }, commands);
      return [...outOfOrder(effects), ...foreignStops(effects, commands), ...wrongAtTheEnd(run, effects, commands)].map(
        (sentence) => `run ${run}: ${sentence}`,
      );
    }),
  ];
}

/**
 * A change of a run's status, with the command that it was asked for by, as that stood when its
 * request was sent: it may land later.
 */
interface Effect extends CommandAt {
  readonly change: RunChange;
  /**
   * The planned stop of a start: sent by the watcher's command, or by a later start that found it
   * due.
   */
  readonly isPlanned: boolean;
}

const wanted = { start: 'running', stop: 'stopped', update: undefined } as const;

/**
 * A start may send the planned stop of the run in its way: that request is no effect of its own.
 */
function isEffectOf({ command, requestIds }: CommandAsSent, { requestId, status }: RunChange): boolean {
  return requestIds.has(requestId) && status === wanted[command.action];
}

function effectsOn(
  run: string,
  { changes, requests }: Pick<GatewayModel, 'changes' | 'requests'>,
  commands: readonly CommandAsSent[],
): readonly Effect[] {
  return changes.flatMap((change) => {
    const { campaignRunId, requestId, status, atMs } = change;
    if (campaignRunId !== run || status === undefined) return [];
    const sent = commands.find(({ requestIds }) => requestIds.has(requestId));
    if (sent === undefined) return [];
    const request = requests.findLast(
      (one) => one.requestId === requestId && one.method === 'PATCH' && one.atMs <= atMs,
    );
    const isPlanned = sent.command.plannedBy !== undefined || !isEffectOf(sent, change);
    return [{ change, sent, atMs: request?.atMs ?? atMs, isPlanned }];
  });
}

function lost({ row }: CommandAsSent, isGivenUp: boolean): readonly string[] {
  return row?.outcome === undefined && !isGivenUp ? ['I1: no outcome in the ledger'] : [];
}

function doubled({ command, repeats }: CommandAsSent, own: readonly RunChange[]): readonly string[] {
  const starts = own.filter(({ isTransition, status }) => isTransition && status === 'running').length;
  if (starts <= 1 + repeats) return [];
  return [`I2: ${command.action} started ${starts} times with ${repeats} repeats ordered`];
}

/** An effect that the ledger denies, or one that it claims and the gateway never saw. */
function untrue(sent: CommandAsSent, own: readonly RunChange[], all: readonly RunChange[]): readonly string[] {
  const { command, row } = sent;
  const outcome = row?.outcome;
  if (outcome === undefined || command.action === 'update') return [];
  if (outcome.kind === 'applied') {
    return own.length > 0 || wasStopped(sent, all) ? [] : ['I4: the ledger says applied, the gateway never saw it'];
  }
  if (command.action !== 'start' || row?.mayHaveRun !== undefined) return [];
  return own.some(({ isTransition }) => isTransition)
    ? [`I4: it is ${outcome.kind} ${outcome.reason} without an interval, and it started a run`]
    : [];
}

/**
 * A stop that is refused is done all the same if the run stood by then, give or take what its
 * worker's clock is off.
 */
function wasStopped({ command, row }: CommandAsSent, all: readonly RunChange[]): boolean {
  const { mostSkewMs } = processes.commands;
  const endedMs = Date.parse(row?.outcome?.at ?? '');
  const own = all.filter(({ campaignRunId, status }) => campaignRunId === row?.campaignRunId && status !== undefined);
  const before = own.findLast(({ atMs }) => atMs < endedMs - mostSkewMs);
  const about = own.filter(({ atMs }) => Math.abs(atMs - endedMs) <= mostSkewMs);
  return command.action === 'stop' && [before, ...about].some((change) => change?.status === 'stopped');
}

/**
 * I5: once a command has reached the gateway, no earlier one changes the run. A planned stop does
 * not compete.
 */
function outOfOrder(effects: readonly Effect[]): readonly string[] {
  const competing = effects.filter(({ isPlanned }) => !isPlanned);
  return competing.flatMap((effect, position) => {
    const { change, sent } = effect;
    if (!change.isTransition) return [];
    const later = competing.slice(0, position).find((one) => one.sent !== sent && isLater(one, effect) === 'yes');
    if (later === undefined) return [];
    return [`I5: ${sent.command.id} made it ${change.status} after the later ${later.sent.command.id} was done`];
  });
}

/** I6: the watcher's stop ends the run of the start that planned it, and no other. */
function foreignStops(effects: readonly Effect[], commands: readonly CommandAsSent[]): readonly string[] {
  return effects.flatMap(({ change, sent: { command } }, position) => {
    if (!change.isTransition || command.plannedBy === undefined) return [];
    const begun = effects.slice(0, position).findLast((one) => one.change.status === 'running');
    const startId = begun?.sent.command.id;
    if (startId === undefined || startId === command.plannedBy.startId) return [];
    // A start that a person sent over a run takes that run over, also if its own request never
    // arrived.
    const planner = commands.find((one) => one.command.id === command.plannedBy?.startId);
    if (planner?.command.override !== undefined) return [];
    return [`I6: the planned stop of ${command.plannedBy.startId} ended the run of ${startId}`];
  });
}

/**
 * I5, I8: the latest command that was applied is how the run stands, unless an unknown one or one
 * as late may be how it stands.
 */
function wrongAtTheEnd(run: string, effects: readonly Effect[], commands: readonly CommandAsSent[]): readonly string[] {
  const isApplied = ({ row }: CommandAsSent) =>
    row?.outcome?.kind === 'applied' && (row.campaignRunId === run || row.runVerdicts?.[run]?.kind === 'applied');
  const reached = (sent: CommandAsSent) => effects.some((one) => one.sent === sent && !one.isPlanned);
  const about = commands.filter(
    (sent) =>
      sent.command.action !== 'update' && sent.command.plannedBy === undefined && (isApplied(sent) || reached(sent)),
  );
  const latest = about.find((one) => about.every((other) => other === one || outranks(one, other)));
  if (latest === undefined || !isApplied(latest)) return [];
  const last = effects.findLast(({ change }) => change.isTransition);
  if (last?.isPlanned === true) return [];
  const { id, action } = latest.command;
  if (last?.change.status === wanted[action]) return [];
  return [`I5: ${id} is the latest that was applied, and the run is ${last?.change.status}`];
}

function outranks(one: CommandAsSent, other: CommandAsSent): boolean {
  return isLater({ sent: one, atMs: Infinity }, { sent: other, atMs: Infinity }) === 'yes';
}

import type { RunChange } from './gateway-model.ts';
import type { Played } from './play.ts';
import { processes } from './stage-config.ts';
import { type CommandAsSent, commandsOf, compareWishes, parkedMessagesOf, type Wish } from './sent-work.ts';

/** What must hold of every command and every run: I1, I2 and I4. Each broken promise is one sentence. */
export function brokenRunPromises(played: Played): readonly string[] {
  const { changes } = played.stage.world.gateway;
  const commands = commandsOf(played);
  const givenUp = parkedMessagesOf(played).map(({ parked }) => parked?.message ?? '');
  const runs = new Set(changes.map(({ campaignRunId }) => campaignRunId));
  return [
    ...commands.flatMap((sent) => {
      const own = changes.filter(({ requestId }) => sent.requestIds.has(requestId));
      const isGivenUp = givenUp.some((message) => message.includes(`"${sent.command.id}"`));
      return [...lost(sent, isGivenUp), ...doubled(sent, own), ...(isGivenUp ? [] : untrue(sent, own, changes))].map(
        (sentence) => `command ${sent.command.id}: ${sentence}`,
      );
    }),
    ...[...runs].flatMap((run) => {
      const own = changes.filter(({ campaignRunId }) => campaignRunId === run);
      return [...outOfOrder(own, commands), ...wrongAtTheEnd(run, own, commands)].map(
        (sentence) => `run ${run}: ${sentence}`,
      );
    }),
  ];
}

function lost({ row }: CommandAsSent, isGivenUp: boolean): readonly string[] {
  return row?.outcome === undefined && !isGivenUp ? ['I1: no outcome in the ledger'] : [];
}

function doubled({ command, repeats }: CommandAsSent, own: readonly RunChange[]): readonly string[] {
  const starts = own.filter(({ isTransition, status }) => isTransition && status === 'running').length;
  if (starts <= 1 + repeats) return [];
  return [`I2: ${command.action} started ${starts} times with ${repeats} repeats ordered`];
}

/** An effect that the ledger denies, or one that it claims and nobody made. */
function untrue(sent: CommandAsSent, own: readonly RunChange[], all: readonly RunChange[]): readonly string[] {
  const { command, row, repeats } = sent;
  const outcome = row?.outcome;
  if (outcome === undefined) return [];
  if (outcome.kind === 'applied') {
    return own.length > 0 || wasStopped(sent, all) ? [] : ['the ledger says applied, the gateway never saw it'];
  }
  const mayHaveStarted = outcome.kind === 'superseded' || isUnknown(sent);
  if (command.action !== 'start' || mayHaveStarted || repeats > 0) return [];
  return own.some(({ isTransition }) => isTransition)
    ? [`it is ${outcome.kind} ${outcome.reason}, and it started a run`]
    : [];
}

/** A stop that is refused is done all the same where the run stood by then, give or take what its worker's clock is off. */
function wasStopped({ command, row }: CommandAsSent, all: readonly RunChange[]): boolean {
  const { mostSkewMs } = processes.commands;
  const endedMs = Date.parse(row?.outcome?.at ?? '');
  const own = all.filter(({ campaignRunId, status }) => campaignRunId === row?.campaignRunId && status !== undefined);
  const before = own.findLast(({ atMs }) => atMs < endedMs - mostSkewMs);
  const about = own.filter(({ atMs }) => Math.abs(atMs - endedMs) <= mostSkewMs);
  return command.action === 'stop' && [before, ...about].some((change) => change?.status === 'stopped');
}

/** I4: once a wish is confirmed, no older one changes the run. */
function outOfOrder(changes: readonly RunChange[], commands: readonly CommandAsSent[]): readonly string[] {
  const seen: Wish[] = [];
  const sentences: string[] = [];
  for (const { requestId, atMs, isTransition, status } of changes) {
    const sent = commands.find(({ requestIds }) => requestIds.has(requestId));
    if (sent === undefined || status === undefined) continue;
    const newer = seen.find((one) => one.sent !== sent && compareWishes(one, { sent, atMs }) > 0);
    if (isTransition && newer !== undefined) {
      sentences.push(`I4: ${sent.command.id} made it ${status} after the newer ${newer.sent.command.id} was done`);
    }
    seen.push({ sent, atMs });
  }
  return sentences;
}

/** I4: the newest wish that reached the gateway is how the run stands, unless nobody can say what became of it, or which it is. */
function wrongAtTheEnd(
  run: string,
  changes: readonly RunChange[],
  commands: readonly CommandAsSent[],
): readonly string[] {
  const isApplied = ({ row }: CommandAsSent) => row?.campaignRunId === run && row.outcome?.kind === 'applied';
  const reached = ({ requestIds }: CommandAsSent) =>
    changes.some(({ requestId, status }) => requestIds.has(requestId) && status !== undefined);
  const [newest, second] = commands
    .filter((sent) => sent.command.action !== 'update' && (isApplied(sent) || isUnknown(sent) || reached(sent)))
    .map((sent): Wish => ({ sent, atMs: Infinity }))
    .toSorted((a, b) => compareWishes(b, a));
  if (newest === undefined || !isApplied(newest.sent)) return [];
  if (second !== undefined && compareWishes(newest, second) === 0) return [];
  const { id, action } = newest.sent.command;
  const status = changes.findLast((change) => change.isTransition)?.status;
  const wanted = action === 'start' ? 'running' : 'stopped';
  return status === wanted ? [] : [`I4: ${id} is the newest that was applied, and the run is ${status}`];
}

/** A person is to find out whether it started. */
function isUnknown({ row }: CommandAsSent): boolean {
  return row?.outcome?.reason === 'START_OUTCOME_UNKNOWN';
}

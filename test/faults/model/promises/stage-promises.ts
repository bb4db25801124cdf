import type { ParkableRow } from '#shared/ledger/ledger-row.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { unreasoned } from '../../judge/parked.ts';
import { commandIdIn } from '../stage.ts';
import { isParkable } from '../steps.ts';
import type { Played } from '../play.ts';
import { parkedMessagesOf } from '../sent-work.ts';
import { datasetsPerSecond, readsPerSecond, runsPerSecond } from '../stage-config.ts';
import { canary } from '../world/world.ts';

/**
 * What must hold of the stage as a whole: I1, I10, I13, I18, I19 and I20. Each broken promise is
 * one sentence.
 */
export function brokenStagePromises(played: Played): readonly string[] {
  const parked = played.stage.world.ledger
    .all()
    .filter(isParkable)
    .filter(({ openState }) => openState === 'PARKED');
  return [
    ...(played.isDrained ? [] : ['I1: the queues are not empty, a day after everything was healed']),
    // What SQS gave up has not ended.
    ...(played.madeAgain === 0 || played.scenario.maxReceiveCount < 1000
      ? []
      : ['I2: a message that came again had an effect']),
    ...parked.flatMap((row) => unreasoned(row).map((sentence) => `I19: ${row.pk}: ${sentence}`)),
    ...parked.flatMap((row) => unheard(row, played).map((sentence) => `I20: ${row.pk}: ${sentence}`)),
    ...played.listsThatDiffer,
    ...unbounded(played),
    ...leaks(played),
  ];
}

/**
 * The listeners of the bus have heard of everything that still waits, with its next step; at least
 * of the message that SQS gave up over it.
 */
function unheard(row: ParkableRow, played: Played): readonly string[] {
  const { stage } = played;
  if (row.kind !== 'message' && parkedMessagesOf(played).some(({ parked }) => isOfSameWork(parked, row.parked)))
    return [];
  const subject = row.kind === 'command' ? row.id : row.pk;
  const isHeard = stage.world.events.some(
    ({ type, detail }) =>
      type === eventTypes.workParked &&
      [detail['commandId'], detail['ledgerKey'], detail['subject']].includes(subject) &&
      // A message that was parked and then became a dead letter all the same is told of as one.
      (detail['reason'] === row.outcome?.reason || row.kind === 'message') &&
      typeof detail['nextStep'] === 'string',
  );
  return [
    ...(isHeard ? [] : [`no event tells of ${row.outcome?.reason}`]),
    ...(isUndisturbed(played) && !isCounted(subject, stage) ? [`no outcome was logged and counted`] : []),
  ];
}

/**
 * A command that another one ended is kept as its row has it: the same fields, in another order
 * than the sender's.
 */
function isOfSameWork(one: ParkableRow['parked'], other: ParkableRow['parked']): boolean {
  if (one === undefined || other === undefined) return false;
  return one.message === other.message || (commandIdIn(one.message) ?? '') === commandIdIn(other.message);
}

/**
 * Whether no worker died and none of our own services failed: only then is every outcome reported
 * by the delivery that wrote it.
 */
function isUndisturbed({ scenario }: Played): boolean {
  const disturbs = scenario.steps.some((step) => step.do === 'kill' || step.do === 'port fails');
  return !disturbs && scenario.maxReceiveCount === 1000;
}

function isCounted(subject: string, { world }: Played['stage']): boolean {
  const parked = world.lines.filter(
    (line) => line.includes('"event":"outcome"') && line.includes('"outcome":"parked"'),
  );
  return world.counts.get(metricNames.parked) === parked.length && parked.some((line) => line.includes(subject));
}

/**
 * At most this often a minute is one message received, unless it is duplicated: short waits are two
 * seconds.
 */
const mostReceivesPerMinute = 40;
/** The retry budget of a client, one request that its burst allows, and one probe of the gate. */
const repeatsOfAProcess = 12;
/** Sent again within one call: two repeats, and one more with a new token. */
const mostRequestsPerCall = 4;

function unbounded({ stage, scenario }: Played): readonly string[] {
  const { queues, gateway } = stage.world;
  const duplicates = scenario.steps.filter((step) => step.do === 'duplicate').length;
  const hot = Object.values(queues)
    .flatMap((queue) => [...queue.receives])
    .filter(([, minutes]) => Math.max(...minutes.values()) > mostReceivesPerMinute + duplicates)
    .map(([id]) => `I13: ${id} is received again and again`);
  const late = gateway.requests
    .filter(({ totalMs, remainingMs }) => totalMs > remainingMs)
    .map(({ method, from }) => `I13: a ${method} of ${from} may outlast its function`);
  const calls = Map.groupBy(
    gateway.requests.filter(({ method }) => method !== 'POST'),
    ({ method, path, requestId }) => `${method} ${path} ${requestId}`,
  );
  const many = [...calls.values()]
    .filter((requests) => requests.length > mostRequestsPerCall)
    .map((requests) => `I13: ${requests.length} requests of one ${requests[0]?.method}`);
  return [...hot, ...late, ...many, ...tooFast(stage)];
}

/**
 * Of each process: its rate, and the repeats in process of what never left, which no pace holds.
 */
function tooFast({ world }: Played['stage']): readonly string[] {
  const perSecond: Readonly<Record<string, number>> = {
    'register-datasets': datasetsPerSecond,
    'update-campaign-runs': runsPerSecond + readsPerSecond,
    'watch-campaigns': readsPerSecond,
  };
  const byProcess = Map.groupBy(world.gateway.requests, ({ from }) => from);
  return [...byProcess].flatMap(([from, requests]) => {
    const most = 60 * (perSecond[from.replace(/-\d+$/, '')] ?? 0) + repeatsOfAProcess;
    const count = mostInAMinute(requests);
    return count > most ? [`I13: ${from} made ${count} requests within a minute, ${most} are allowed`] : [];
  });
}

/** The most requests that fall into 60 seconds, wherever they begin. */
export function mostInAMinute(requests: readonly { readonly atMs: number }[]): number {
  let first = 0;
  let most = 0;
  for (const [last, { atMs }] of requests.entries()) {
    while ((requests[first]?.atMs ?? atMs) <= atMs - 60_000) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

/** I18: the token is in nothing that outlives a request. */
function leaks({ stage }: Played): readonly string[] {
  const { world } = stage;
  const places: Readonly<Record<string, readonly unknown[]>> = {
    'a log line': world.lines,
    'an event': world.events,
    'a row of the ledger': world.ledger.all(),
    'a message': Object.values(world.queues).flatMap((queue) => queue.sent()),
  };
  return Object.entries(places)
    .filter(([, texts]) => JSON.stringify(texts).includes(canary))
    .map(([place]) => `I18: the token is in ${place}`);
}

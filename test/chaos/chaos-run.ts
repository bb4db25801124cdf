import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { DeliveryDisorder } from '#local/aws/sqs/queue-store.ts';
import type { RunningStage } from '#local/stage/run-stage.ts';
import { type ResolvedAssembly, resourcesOfType } from '#local/template/cloud-assembly.ts';
import { asText } from '#local/template/json.ts';
import type { FunctionName } from '#shared/vocabulary/resource-names.ts';
import type { ChaosOptions } from './chaos-options.ts';
import { type ChaosPlan, planRun } from './events/plan-run.ts';
import { seededRandom, type SeededRandom } from './events/seeded-random.ts';
import { type Sender, sendEvents } from './events/send-events.ts';
import type { GatewayControl } from './gateway-control.ts';
import { drawFault, requestsBeforeFault } from './gateway-faults.ts';
import { type GatewayTraffic, watchTraffic } from './gateway-traffic.ts';
import type { Evidence } from './judge/evidence.ts';
import { readEvidence, readHasDeferred } from './judge/read-evidence.ts';
import { type Killer, startKiller } from './killer.ts';
import { type ChaosStage, openStage } from './open-stage.ts';
import { messagesIn, passTime } from './pass-time.ts';

/** How a run is watched and ended early. */
export interface ChaosSurroundings {
  readonly log: (line: string) => void;
  /** Aborted: the run ends at once, and leaves nothing behind. */
  readonly interrupted: AbortSignal;
}

const progressEveryMs = 10_000;

/**
 * Sends the events of the plan while workers are killed and requests struck, waits until everything
 * has ended, and gathers what the gateway and the ledger hold then.
 * @throws the reason of `interrupted`, after everything is closed
 */
export async function runChaos(options: ChaosOptions, { log, interrupted }: ChaosSurroundings): Promise<Evidence> {
  const { seed } = options;
  const plan = planRun(options);
  const disorder = countedDisorder(seed);
  const begunAt = performance.now();
  log(`preparing ${plan.runs.length} campaigns and the stage`);
  const stage = await openStage({ plan, disorder, log, interrupted });
  const traffic = watchTraffic(stage.gateway.port);
  const ends: (() => Promise<void> | void)[] = [stage.close, traffic.close];
  try {
    const startedAt = new Date();
    const faults = await supplyFaults(stage.control, options.faults, seededRandom(seed, 'faults'));
    ends.push(faults.stop);
    const time = passTime(stage, traffic);
    ends.push(time.stop);
    const sender = sendEvents(stage, plan, { startedAt, interrupted });
    const killer = startKiller({ ...killing(stage, options), traffic, progress: sender.progress });
    ends.push(killer.stop);
    ends.push(reportProgress({ stage, plan, sender, killer, traffic, log }));

    const sent = await sender.sent;
    log('everything is sent; waiting until all of it has ended');
    const hasDeferred = async () => readHasDeferred(stage);
    const moveForward = (ms: number) => stage.clock.moveForward(ms);
    const messagesLeft = await drain({ running: stage.running, hasDeferred, moveForward }, interrupted);
    killer.stop();
    const wallMs = performance.now() - begunAt;
    return {
      plan,
      startedAt,
      ...(await readEvidence(stage, sent)),
      messagesLeft,
      movedMs: time.movedMs(),
      kills: killer.kills(),
      requests: traffic.counts(),
      requestsStruck: faults.struck(),
      copiesDelivered: disorder.copies(),
      wallMs,
    };
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

/** One message in seven comes twice, at once or within half a minute. */
const copyShare = 0.15;
const longestCopyLagMs = 30_000;

function countedDisorder(seed: string): DeliveryDisorder & { readonly copies: () => number } {
  const random = seededRandom(seed, 'copies');
  let copies = 0;
  return {
    random: seededRandom(seed, 'order of delivery').next,
    copyAfterMs() {
      if (!random.chance(copyShare)) return undefined;
      copies += 1;
      return random.whole(2) === 0 ? 0 : random.whole(longestCopyLagMs);
    },
    copies: () => copies,
  };
}

function killing({ running }: ChaosStage, { kills, seed }: ChaosOptions) {
  const registers = functionResource(running.assembly, 'register-datasets').name;
  const changes = functionResource(running.assembly, 'update-campaign-runs').name;
  return {
    kills,
    busy: () => running.host.processes().filter(({ isBusy }) => isBusy),
    functionOf: (request: string) => (request === 'POST dataset' ? registers : changes),
    random: seededRandom(seed, 'kills'),
  };
}

/** The function of that name, told by the description that the template gives it. */
function functionResource(assembly: ResolvedAssembly, name: FunctionName) {
  const found = resourcesOfType(assembly, 'AWS::Lambda::Function').find(({ properties }) =>
    asText(properties['Description'])?.startsWith(`${name} of `),
  );
  if (found === undefined) throw new Error(`the template has no function ${name}`);
  return found;
}

function reportProgress(parts: {
  readonly stage: ChaosStage;
  readonly plan: ChaosPlan;
  readonly sender: Sender;
  readonly killer: Killer;
  readonly traffic: GatewayTraffic;
  readonly log: (line: string) => void;
}): () => void {
  const { stage, plan, sender, killer, traffic, log } = parts;
  const begunAt = performance.now();
  const timer = setInterval(() => {
    const { visible, hidden } = messagesIn(stage.running);
    const requests = Object.values(traffic.counts()).reduce((total, count) => total + count, 0);
    log(
      `${((performance.now() - begunAt) / 1000).toFixed(0)} s: ${Math.round(sender.progress() * plan.order.length)} of ${plan.order.length} sent, ` +
        `${killer.kills()} kills, ${requests} requests, ${visible} waiting, ${hidden} under way or later`,
    );
  }, progressEveryMs);
  return () => clearInterval(timer);
}

/** What is not done by then counts as not done. */
const longestDrainMs = 15 * 60_000;
const lookEveryMs = 250;
/** Seen empty so often, one look after the other: a worker may be about to send a command. */
const emptyLooks = 4;

/** A blackout ends, and the watcher sends what it deferred. */
const stepMs = 60_000;
/** A tick of the watcher begins and ends within this. */
const tickMs = 3000;

/** What a drain waits for. */
interface Draining {
  readonly running: RunningStage;
  /** Whether starts wait for the end of a blackout: in no queue. */
  readonly hasDeferred: () => Promise<boolean>;
  readonly moveForward: (ms: number) => void;
}

/**
 * Waits until no message is left, no start is deferred and no function is busy; answers how many
 * messages are left in the end.
 */
async function drain(draining: Draining, interrupted: AbortSignal): Promise<number> {
  const { running, hasDeferred, moveForward } = draining;
  const until = performance.now() + longestDrainMs;
  for (let empty = 0; ;) {
    const { visible, hidden } = messagesIn(running);
    empty = visible + hidden === 0 && running.host.busyCount() === 0 ? empty + 1 : 0;
    if (performance.now() > until) return visible + hidden;
    if (empty >= emptyLooks) {
      if (!(await hasDeferred())) return visible + hidden;
      empty = 0;
      moveForward(stepMs);
      await sleep(tickMs);
    }
    await sleep(lookEveryMs);
    interrupted.throwIfAborted();
  }
}

/** So many faults are armed ahead: more than requests meet in the time of two looks. */
const armedAhead = 40;

const armedFaults = z.object({
  faults: z.array(z.object({ id: z.string(), skip: z.number(), remaining: z.union([z.number(), z.string()]) })),
});

/** Keeps faults armed at the gateway until it is stopped. */
interface FaultSupply {
  /** Faults that have struck a request, as of the last look. */
  readonly struck: () => number;
  /** Disarms what is left; resolves when that is done. */
  readonly stop: () => Promise<void>;
}

/**
 * Arms one fault after the other, each for one request, so that a request is struck with this
 * probability. A fault lets as many requests through as those armed before it and itself were drawn
 * to. The registry counts only requests that no earlier fault has struck.
 */
async function supplyFaults(control: GatewayControl, probability: number, random: SeededRandom): Promise<FaultSupply> {
  if (probability === 0) return { struck: () => 0, stop: async () => {} };
  const ending = new AbortController();
  let struck = 0;

  async function topUp(): Promise<void> {
    const { faults } = armedFaults.parse(await control.get('/faults'));
    const armed = faults.filter(({ remaining }) => remaining !== 0);
    for (const { id } of faults.filter(({ remaining }) => remaining === 0)) {
      struck += 1;
      await control.send('DELETE', `/faults/${id}`);
    }
    let skip = armed.at(-1)?.skip ?? 0;
    for (let count = armed.length; count < armedAhead; count += 1) {
      skip += requestsBeforeFault(probability, random);
      await control.send('POST', '/faults', { ...drawFault(random), skip });
    }
  }

  async function keepArmed(): Promise<void> {
    while (!ending.signal.aborted) {
      await sleep(lookEveryMs, undefined, { signal: ending.signal }).catch(() => {});
      if (!ending.signal.aborted) await topUp();
    }
  }

  await topUp();
  const running = keepArmed();
  return {
    struck: () => struck,
    async stop() {
      ending.abort();
      await running;
      await control.send('DELETE', '/faults');
    },
  };
}

import type { DeliveryDisorder } from '#local/aws/sqs/delivery-disorder.ts';
import type { ChaosOptions } from './chaos-options.ts';
import { drain } from './drain.ts';
import type { Evidence } from './judge/evidence.ts';
import { supplyFaults } from './fault-supply.ts';
import { type GatewayTraffic, watchTraffic } from './gateway-traffic.ts';
import { type Killer, startKiller } from './killer.ts';
import { type ChaosStage, openStage } from './open-stage.ts';
import { messagesIn, passTime } from './pass-time.ts';
import { type ChaosPlan, planRun } from './events/plan-run.ts';
import { deadLetterUrls, readEvidence, readHasDeferred } from './judge/read-evidence.ts';
import { seededRandom } from './events/seeded-random.ts';
import { sendEvents, type Sender } from './events/send-events.ts';
import { functionResource } from './swap-workers.ts';

/** How a run is watched and ended early. */
export interface ChaosSurroundings {
  readonly log: (line: string) => void;
  /** Aborted: the run ends at once, and leaves nothing behind. */
  readonly interrupted: AbortSignal;
}

const progressEveryMs = 10_000;

/**
 * Sends the events of the plan while workers are killed and requests struck, waits until everything has ended, and gathers what the gateway
 * and the ledger hold then.
 * @throws the reason of `interrupted`, after everything is closed
 */
export async function runChaos(options: ChaosOptions, { log, interrupted }: ChaosSurroundings): Promise<Evidence> {
  const { seed, worker } = options;
  const plan = planRun(options);
  const disorder = countedDisorder(seed);
  const begunAt = performance.now();
  log(`preparing ${plan.runs.length} campaigns and the stage`);
  const stage = await openStage({ worker, runs: plan.runs, disorder, log, interrupted });
  const traffic = watchTraffic(stage.gateway.port);
  const ends: (() => Promise<void> | void)[] = [stage.close, traffic.close];
  try {
    const startedAt = new Date();
    const faults = await supplyFaults(stage.control, options.faults, seededRandom(seed, 'faults'));
    ends.push(faults.stop);
    const isLeftAlone = keepsDeadLetters(stage, options);
    const time = passTime(stage, traffic, isLeftAlone);
    ends.push(time.stop);
    const sender = sendEvents(stage, plan, { startedAt, isLeftAlone, interrupted });
    const killer = startKiller({ ...killing(stage, options), traffic, progress: sender.progress });
    ends.push(killer.stop);
    ends.push(reportProgress({ stage, plan, sender, killer, traffic, log }));

    const sent = await sender.sent;
    log('everything is sent; waiting until all of it has ended');
    const hasDeferred = async () => readHasDeferred(stage);
    const moveForward = (ms: number) => stage.clock.moveForward(ms);
    const messagesLeft = await drain({ running: stage.running, isLeftAlone, hasDeferred, moveForward }, interrupted);
    killer.stop();
    const wallMs = performance.now() - begunAt;
    return {
      worker,
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
    busy: () => running.host.busyProcesses(),
    functionOf: (request: string) => (request === 'POST dataset' ? registers : changes),
    random: seededRandom(seed, 'kills'),
  };
}

/** A baseline's dead-letter queues keep what is in them; Autopilot's are emptied, so the drain waits for it. */
function keepsDeadLetters(stage: ChaosStage, { worker }: ChaosOptions): (name: string) => boolean {
  const names = new Set(worker === 'autopilot' ? [] : deadLetterUrls(stage).map((url) => url.split('/').at(-1)));
  return (name) => names.has(name);
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

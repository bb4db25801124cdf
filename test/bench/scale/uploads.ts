import { createVirtualTime, type VirtualTime } from '../../faults/model/world/virtual-time.ts';
import { createBenchWorld, standardQueueInFlight } from '../drain/bench-world.ts';
import { deployProduct } from '../drain/drain-product.ts';
import { gatewayMs } from '../drain/latencies.ts';
import { createRatedGateway } from '../drain/rated-gateway.ts';
import { s3Message } from '../drain/s3-message.ts';
import { withTimersOf } from '../drain/with-timers.ts';
import { createLeanLedger } from './lean-ledger.ts';
import { figuresOf, type ScaleFigures, type ScaleOptions } from './scenario.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const uploadsOfDay = 1_000_000;

/**
 * `requestsPerSecond.datasets` of the stage, which the gateway allows and no more: half as much
 * again as the busiest hours bring.
 */
export const datasetsPerSecond = 25;

/** Ten hours of the day bring twice as much as the others. */
const busyHours = { from: 8, until: 18, times: 2 } as const;
const uploadsOfQuietHour = uploadsOfDay / (24 + (busyHours.until - busyHours.from) * (busyHours.times - 1));

/** A million uploads, spread over a day as people and machines spread them. */
export async function dayOfUploads(options: ScaleOptions): Promise<ScaleFigures> {
  const { part } = options;
  const rateAt = (ms: number) => {
    const hour = ms / part / hourMs;
    return (uploadsOfQuietHour / hourMs) * (busyHours.from <= hour && hour < busyHours.until ? busyHours.times : 1);
  };
  return play({ ...options, rateAt, arrivalsForMs: dayMs * part });
}

/** Uploads of a million a day, which `sixHoursDown` spreads evenly. */
export const evenlyPerSecond = uploadsOfDay / (dayMs / 1000);

/**
 * Seven hours of the same million spread evenly, and a gateway that takes no connection for the
 * last six of them; then nothing more arrives.
 */
export async function sixHoursDown(options: ScaleOptions): Promise<ScaleFigures> {
  const { part } = options;
  const down = { fromMs: hourMs * part, untilMs: 7 * hourMs * part };
  return play({ ...options, rateAt: () => evenlyPerSecond / 1000, arrivalsForMs: down.untilMs, down });
}

interface Play extends ScaleOptions {
  /** Uploads for each millisecond at some time after the beginning. */
  readonly rateAt: (ms: number) => number;
  readonly arrivalsForMs: number;
  readonly down?: { readonly fromMs: number; readonly untilMs: number };
}

const startMs = Date.parse('2026-11-20T00:00:00Z');
/** A day is the horizon of everything. */
const longestDrainMs = dayMs;

async function play({ part, seed, rateAt, arrivalsForMs, down }: Play): Promise<ScaleFigures> {
  const time = createVirtualTime(seed, startMs);
  const changed = new Set<string>();
  const gateway = createRatedGateway(time, {
    requestsPerSecond: datasetsPerSecond,
    latencyMs: gatewayMs,
    onChange: (fileId) => void changed.add(fileId),
    ...(down === undefined ? {} : { down: { fromMs: startMs + down.fromMs, untilMs: startMs + down.untilMs } }),
  });
  const mostInFlight = Math.ceil(standardQueueInFlight * part);
  const world = createBenchWorld(time, gateway, { ledger: createLeanLedger(), mostInFlight });
  const fn = deployProduct(world, { requestsPerSecond: datasetsPerSecond, check: 'none' });
  const { uploads } = world.queues;
  const came = { messages: 0, mostWaiting: 0 };

  letArrive(time, { rateAt, forMs: arrivalsForMs }, () => {
    uploads.send(s3Message(`datasets/file-${came.messages}.csv`, new Date(time.nowMs())));
    came.messages += 1;
    came.mostWaiting = Math.max(came.mostWaiting, uploads.size());
  });
  await withTimersOf(time, async () => {
    await time.advance(arrivalsForMs);
    await time.runUntil(() => uploads.size() === 0, longestDrainMs);
  });
  const drainMs = time.nowMs() - startMs - arrivalsForMs;
  return figuresOf({ world, gateway, usage: fn.usage(), ...came, changed: changed.size, drainMs, queue: 'uploads' });
}

/** Arrivals that know nothing of each other: exponential gaps. */
function letArrive(
  time: VirtualTime,
  { rateAt, forMs }: { readonly rateAt: (ms: number) => number; readonly forMs: number },
  arrive: () => void,
): void {
  const next = () => {
    const sinceMs = time.nowMs() - startMs;
    const gapMs = -Math.log(1 - time.random()) / rateAt(sinceMs);
    if (sinceMs + gapMs >= forMs) return;
    time.at(gapMs, () => {
      arrive();
      next();
    });
  };
  next();
}

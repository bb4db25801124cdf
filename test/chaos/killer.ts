import type { HostedProcess } from '#local/lambda/function-host.ts';
import type { GatewayTraffic, RequestMoment, RequestName } from './gateway-traffic.ts';
import { oneOf, type SeededRandom } from './events/seeded-random.ts';

/** Ends processes while they work. */
export interface Killer {
  /** Processes that were sent SIGKILL so far. */
  readonly kills: () => number;
  readonly isDone: () => boolean;
  readonly stop: () => void;
}

/** What a killer is given. */
export interface KillerOptions {
  readonly kills: number;
  /** The run's own processes, and no others, that are in the middle of an invocation. */
  readonly busy: () => readonly HostedProcess[];
  readonly traffic: GatewayTraffic;
  /** The part of the events that is sent, 0 to 1: kills are spread over them. */
  readonly progress: () => number;
  /** The function that makes such a request. */
  readonly functionOf: (request: RequestName) => string;
  readonly random: SeededRandom;
}

/**
 * When a process dies: at any moment, as its request reaches the gateway, or as the answer leaves
 * it.
 */
type DeathAt = 'any moment' | RequestMoment;

const deathsAt: readonly (readonly [weight: number, at: DeathAt])[] = [
  [2, 'any moment'],
  [1, 'request'],
  [1, 'answer'],
];

const lookEveryMs = 20;
/**
 * When everything is sent, what is left to kill is killed with pauses: a queue of dying processes
 * would never drain.
 */
const pauseAfterSendingMs = 200;

/** Starts killing; ends by itself when it has killed as many as it should. */
export function startKiller({ kills, busy, traffic, progress, functionOf, random }: KillerOptions): Killer {
  // The k-th dies somewhere in the k-th part of the run.
  const due = Array.from({ length: kills }, (_, index) => ({
    at: (index + random.next()) / kills,
    death: random.weighted(deathsAt),
  }));
  const killed = new Set<number>();
  let pausedUntil = 0;

  function kill(candidates: readonly HostedProcess[]): void {
    const alive = candidates.filter(({ pid }) => pid !== undefined && !killed.has(pid));
    if (alive.length === 0) return;
    const victim = oneOf(random, alive);
    killed.add(victim.pid ?? 0);
    victim.kill('SIGKILL');
    if (progress() >= 1) pausedUntil = performance.now() + pauseAfterSendingMs;
  }

  const next = () => {
    const planned = due[killed.size];
    return planned !== undefined && planned.at <= progress() && performance.now() >= pausedUntil ? planned : undefined;
  };
  const timer = setInterval(() => {
    if (next()?.death === 'any moment') kill(busy());
  }, lookEveryMs);
  traffic.onMoment = (moment, name) => {
    if (next()?.death === moment) kill(busy().filter(({ functionName }) => functionName === functionOf(name)));
  };

  return {
    kills: () => killed.size,
    isDone: () => killed.size >= kills,
    stop() {
      clearInterval(timer);
      traffic.onMoment = () => {};
    },
  };
}

import { createRateLimiter, longestSlotWaitMs, requestDistanceMs } from '#functions/_gateway/rate-limiter.ts';

/** Which of several idle environments the platform gives a message to. */
export type Pick = 'first' | 'last used' | 'any';

/** A queue of starts and stops before several environments on a virtual clock. */
export interface SlotScenario {
  readonly starts: number;
  /** When one stop each is sent. */
  readonly stopsAtMs?: readonly number[];
  readonly environments: number;
  /** Rates of the whole stage. */
  readonly rates: { readonly runs: number; readonly reads: number };
  readonly pick: Pick;
  readonly seed: number;
  /**
   * The gateway answers 429 to a request that arrives this soon after the one before. @default
   * never
   */
  readonly gatewayGapMs?: number;
  /** @default each environment has a rate limiter with the distance between its requests */
  readonly distanceMs?: number;
}

/** What came of it. */
export interface SlotFigures {
  readonly startedAtMs: readonly number[];
  /** From the sending of each stop to its PATCH. */
  readonly stopWaitsMs: readonly number[];
  readonly deliveries: number;
  readonly refused: number;
  readonly calls: number;
}

interface Message {
  readonly action: 'start' | 'stop';
  readonly sentAtMs: number;
  visibleAtMs: number;
}

const latencyMs = 40;
/** Reads and writes of the ledger before and after a call. */
const ledgerMs = 50;
/** What a gateway that refuses asks for, and how wide the gate spreads those that waited for it. */
const retryAfterMs = 1000;
const spreadMs = 30_000;

/** Lets every message come to its end, or six hours pass. */
export async function simulateSlots(scenario: SlotScenario): Promise<SlotFigures> {
  const { environments, rates, pick, gatewayGapMs = 0 } = scenario;
  const random = randomOf(scenario.seed);
  const time = createTime();
  const messages = new Set<Message>();
  const free = Array.from({ length: environments }, (_, index) => createEnvironment(index));
  const startedAtMs: number[] = [];
  const stopWaitsMs: number[] = [];
  let deliveries = 0;
  let refused = 0;
  let calls = 0;
  let lastCallMs = -Infinity;
  let pausedUntilMs = 0;

  function createEnvironment(index: number) {
    const clock = { monotonicMs: time.now, sleep: time.sleep };
    const share = { runs: rates.runs / environments, reads: rates.reads / environments };
    const distanceMs = scenario.distanceMs ?? requestDistanceMs(share);
    return { index, limiter: createRateLimiter(share, { distanceMs, clock }) };
  }
  type Environment = (typeof free)[number];

  async function call(): Promise<boolean> {
    await time.sleep(latencyMs / 2);
    calls += 1;
    const isRefused = time.now() - lastCallMs < gatewayGapMs;
    if (isRefused) refused += 1;
    else lastCallMs = time.now();
    await time.sleep(latencyMs / 2);
    if (isRefused) pausedUntilMs = time.now() + retryAfterMs;
    return !isRefused;
  }

  /** Answers how long the message stays away, or `undefined` at its end. */
  async function handle({ action, sentAtMs }: Message, { limiter }: Environment): Promise<number | undefined> {
    await time.sleep(ledgerMs);
    const pauseMs = pausedUntilMs - time.now();
    if (pauseMs > 0) return pauseMs + spreadMs * random();
    if (action === 'start') {
      const slotWaitMs = limiter.waitMs('reads', 'runs');
      if (slotWaitMs > longestSlotWaitMs) return slotWaitMs * (1 + random());
      await limiter.take('reads');
      if (!(await call())) return retryAfterMs + spreadMs * random();
    }
    await limiter.take('runs', Infinity);
    const leftAtMs = time.now();
    if (!(await call())) return retryAfterMs + (action === 'start' ? spreadMs * random() : 0);
    if (action === 'start') startedAtMs.push(leftAtMs);
    else stopWaitsMs.push(leftAtMs - sentAtMs);
    await time.sleep(ledgerMs);
    return undefined;
  }

  function poll(): void {
    for (;;) {
      const due = [...messages].filter(({ visibleAtMs }) => visibleAtMs <= time.now());
      const message = due[Math.floor(random() * due.length)];
      const environment = message === undefined ? undefined : takeEnvironment();
      if (message === undefined || environment === undefined) return;
      message.visibleAtMs = Infinity;
      deliveries += 1;
      void deliver(message, environment);
    }
  }

  function takeEnvironment(): Environment | undefined {
    if (pick === 'first') free.sort((a, b) => a.index - b.index);
    const at = pick === 'any' ? Math.floor(random() * free.length) : pick === 'first' ? 0 : free.length - 1;
    return free.splice(at, 1)[0];
  }

  async function deliver(message: Message, environment: Environment): Promise<void> {
    const delayMs = await handle(message, environment);
    free.push(environment);
    if (delayMs === undefined) messages.delete(message);
    else showAt(message, Math.ceil(delayMs / 1000) * 1000);
    poll();
  }

  function showAt(message: Message, delayMs: number): void {
    message.visibleAtMs = time.now() + delayMs;
    void time.sleep(delayMs).then(poll);
  }

  function send(action: Message['action'], atMs: number): void {
    const message: Message = { action, sentAtMs: atMs, visibleAtMs: atMs };
    messages.add(message);
    void time.sleep(atMs).then(poll);
  }

  for (let start = 0; start < scenario.starts; start += 1) send('start', 0);
  for (const atMs of scenario.stopsAtMs ?? []) send('stop', atMs);
  await time.run(() => messages.size === 0, 6 * 3_600_000);
  return { startedAtMs, stopWaitsMs, deliveries, refused, calls };
}

function createTime() {
  const sleepers: { readonly atMs: number; readonly wake: () => void }[] = [];
  let nowMs = 0;
  return {
    now: () => nowMs,
    sleep: (ms: number) => new Promise<void>((wake) => void sleepers.push({ atMs: nowMs + ms, wake })),
    /** Lets time pass from one sleeper to the next, until all is done or the end has come. */
    async run(isDone: () => boolean, endMs: number): Promise<void> {
      while (!isDone()) {
        await new Promise<void>((resolve) => void setImmediate(resolve));
        sleepers.sort((a, b) => b.atMs - a.atMs);
        const next = sleepers.pop();
        if (next === undefined) continue;
        if (next.atMs > endMs) return;
        nowMs = Math.max(nowMs, next.atMs);
        next.wake();
      }
    },
  };
}

/** mulberry32: the same seed gives the same simulation. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = Math.trunc(state + 0x6d2b79f5);
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

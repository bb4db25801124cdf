import { createGate } from '#functions/_gateway/create-gate.ts';
import type { PatchFate } from '../explore/counting-gateway.ts';
import { type Arrival, judge } from '../explore/oracle.ts';
import { nameOf } from '../explore/play.ts';
import { campaignId, commandOf, configOf, tenOClock } from '../explore/scenarios.ts';
import { createStage } from '../explore/stage.ts';
import { createWatchedWrites } from '../explore/light-ledger.ts';

/** What goes wrong at the hour of a start. */
export const troubles = [
  'the PATCH is applied and its answer is lost',
  'the PATCH is lost before it is applied',
  'the gateway refuses connections for 20 minutes',
  'the gateway answers nothing for 20 minutes',
  'the worker is killed right after the PATCH',
  'the gateway answers 429 for ten minutes',
  'the first reading and the answer are both lost',
] as const;

/** One of {@link troubles}. */
export type Trouble = (typeof troubles)[number];

/** How a start came through. */
export type Passage = 'in time' | 'late' | 'skipped' | 'needs a person';

/** How many starts of each kind, and the promises that any of them broke. */
export interface Measured {
  readonly count: Readonly<Record<Passage, number>>;
  readonly faults: readonly string[];
}

const minuteMs = 60_000;
/** Later than this is late. */
const inTimeMs = 5 * minuteMs;
const hoursMs = 26 * 60 * minuteMs;

/**
 * Plays the same trouble with so many seeds: each has its own jitter, clock, and minute at which
 * the trouble begins.
 */
export async function measure(
  trouble: Trouble,
  of: { readonly confirm: boolean; readonly seeds: number },
): Promise<Measured> {
  const count: Record<Passage, number> = { 'in time': 0, late: 0, skipped: 0, 'needs a person': 0 };
  const faults: string[] = [];
  for (let seed = 1; seed <= of.seeds; seed += 1) {
    const { passage, broken } = await playNight(trouble, of.confirm, seededRandom(seed));
    count[passage] += 1;
    faults.push(...broken.map((fault) => `seed ${seed}: ${fault}`));
  }
  return { count, faults };
}

async function playNight(
  trouble: Trouble,
  confirm: boolean,
  random: () => number,
): Promise<{ readonly passage: Passage; readonly broken: readonly string[] }> {
  const seen = createWatchedWrites();
  const config = configOf({ confirm, overlap: 'skip', stopAfter: 'PT8H' });
  const arrival: Arrival = {
    command: commandOf('start', 0),
    atMs: tenOClock + Math.round(random() * 20_000),
    skewMs: Math.round(random() * 300_000),
  };
  const world = troubleOf(trouble, random);
  const nowMs = () => stage.world.nowMs();
  const stage = createStage({
    startMs: tenOClock - 15 * minuteMs,
    config: () => config,
    campaign: { runCount: 'counts starts', fateOfRead: () => world.fateOfRead(nowMs()) },
    campaignId,
    fateOf: ({ status }) => (status === 'running' ? world.fateOf(nowMs()) : 'ok'),
    skewMs: ({ id }) => (id === arrival.command.id ? arrival.skewMs : 0),
    dies: (where) => (where === 'after a PATCH' && world.kills() ? 'dead' : false),
    onWritten: (rows, atMs) => seen.see(rows, atMs),
    random,
    gateOver: (ledger, now) =>
      createGate({
        ledger,
        now,
        random,
        owner: 'worker-1',
        log: { debug() {}, info() {}, warn() {}, error() {} },
        count() {},
        async probe() {
          if (world.fateOfRead(nowMs()) !== 'ok') throw new Error('the gateway is down');
        },
      }),
  });
  stage.send(arrival.command, arrival.atMs);
  await stage.world.runUntil(tenOClock + hoursMs);

  const broken = judge({
    arrivals: [arrival],
    gateway: stage.gateway,
    outcomes: seen.outcomes,
    nameOf: (id) => nameOf(config, id),
    stopAfterMs: () => 8 * 60 * minuteMs,
    endMs: nowMs(),
  });
  const outcome = seen.outcomes.get(arrival.command.id);
  const [stint] = stage.gateway.stints;
  if (outcome?.kind === 'parked') return { passage: 'needs a person', broken };
  if (stint === undefined) return { passage: 'skipped', broken };
  return { passage: stint.fromMs - tenOClock <= inTimeMs ? 'in time' : 'late', broken };
}

/** What the gateway and the platform do at an instant. */
interface World {
  readonly fateOf: (atMs: number) => PatchFate;
  readonly fateOfRead: (atMs: number) => 'ok' | 'not sent' | 'hangs' | 429;
  readonly kills: () => boolean;
}

function troubleOf(trouble: Trouble, random: () => number): World {
  let patches = 0;
  let kills = 0;
  const calm: World = { fateOf: () => 'ok', fateOfRead: () => 'ok', kills: () => false };
  const first = (fate: PatchFate) => (): PatchFate => (patches++ === 0 ? fate : 'ok');
  const outage = (fate: 'not sent' | 'hangs' | 429, lastsMs: number): World => {
    const beginMs = tenOClock + 20_000 - random() * (lastsMs / 2);
    const isIn = (atMs: number) => atMs >= beginMs && atMs < beginMs + lastsMs;
    return {
      ...calm,
      fateOf: (atMs) => (isIn(atMs) ? fate : 'ok'),
      fateOfRead: (atMs) => (isIn(atMs) ? fate : 'ok'),
    };
  };
  switch (trouble) {
    case 'the PATCH is applied and its answer is lost':
      return { ...calm, fateOf: first('applied, no answer') };
    case 'the PATCH is lost before it is applied':
      return { ...calm, fateOf: first('not applied, no answer') };
    case 'the gateway refuses connections for 20 minutes':
      return outage('not sent', 20 * minuteMs);
    case 'the gateway answers nothing for 20 minutes':
      return outage('hangs', 20 * minuteMs);
    case 'the worker is killed right after the PATCH':
      return { ...calm, kills: () => kills++ === 0 };
    case 'the gateway answers 429 for ten minutes':
      return outage(429, 10 * minuteMs);
    case 'the first reading and the answer are both lost': {
      const fate: PatchFate = random() < 0.5 ? 'applied, no answer' : 'not applied, no answer';
      const readsAgainMs = tenOClock + 61 * minuteMs;
      return { ...calm, fateOf: first(fate), fateOfRead: (atMs) => (atMs < readsAgainMs ? 'not sent' : 'ok') };
    }
  }
}

/** Mulberry32. */
function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

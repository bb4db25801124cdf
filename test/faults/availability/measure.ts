import { commandIds } from '#shared/messages/command-ids.ts';
import { withTimersOf } from '../model/world/virtual-time.ts';
import type { GatewayFaultName } from '../model/world/gateway-faults.ts';
import {
  aStart,
  at,
  campaignId,
  minuteMs,
  type Night,
  type NightGateway,
  openNight,
  realGateway,
  smokeIds,
} from '../runs/open-night.ts';

/** What goes wrong at the hour of a start, or of its planned stop. */
export const troubles = [
  'the PATCH is applied and its answer is lost',
  'the PATCH is lost before it is applied',
  'its answer is lost, and no campaign can be read for an hour',
  'the gateway refuses connections for 20 minutes',
  'the gateway answers nothing for 20 minutes',
  'the worker is killed right after the PATCH',
  'the gateway answers 429 for ten minutes',
  'three workers in a row die at it',
  'the gateway refuses its planned stop for good',
] as const;

/** One of {@link troubles}. */
export type Trouble = (typeof troubles)[number];

/** Those in which an answer is lost: none of them needs a person. */
export const lostAnswers: readonly Trouble[] = troubles.slice(0, 7);

/** The gateways, and whether the campaign of the run is configured. */
export const places = {
  '`startAt`': { gateway: realGateway, isReadable: false },
  '`startAt`, with its campaign': { gateway: realGateway, isReadable: true },
  'a word': { gateway: { kind: { starts: 'word, again' } }, isReadable: false },
  'a word, with its campaign': { gateway: { kind: { starts: 'word, again' } }, isReadable: true },
} as const satisfies Record<string, { readonly gateway: NightGateway; readonly isReadable: boolean }>;

/** The name of one of {@link places}. */
export type Place = keyof typeof places;

/**
 * How a start came through. `unconfirmed`: it ran to its planned stop, and its outcome says that it may have. `cut short`: it ran, and was ended when
 * it was too late for it.
 */
export type Passage = 'in time' | 'late' | 'unconfirmed' | 'cut short' | 'skipped' | 'needs a person';

/** How many starts of each kind, and the promises that any of them broke. */
export interface Measured {
  readonly count: Readonly<Record<Passage, number>>;
  readonly faults: readonly string[];
}

const secondMs = 1000;
/** Reads of rows, the mark, and one step more. */
const stepsToMark = 4;
/** Later than this is late. */
const inTimeMs = 5 * minuteMs;
/** Of the run: it outlasts the validity of its start. */
const lastsMinutes = 100;
const startsAt = at('22:00');
const startsMs = Date.parse(startsAt);

/** Plays the same trouble with so many seeds: each has its own jitter, clocks, and minute at which the trouble begins. */
export async function measure(
  trouble: Trouble,
  of: { readonly place: Place; readonly seeds: number },
): Promise<Measured> {
  const count: Record<Passage, number> = {
    'in time': 0,
    late: 0,
    unconfirmed: 0,
    'cut short': 0,
    skipped: 0,
    'needs a person': 0,
  };
  const faults: string[] = [];
  for (let seed = 1; seed <= of.seeds; seed += 1) {
    const night = nightOf(places[of.place], seed);
    const { passage, broken } = await withTimersOf(night.time, () => playNight(night, trouble));
    count[passage] += 1;
    faults.push(...broken.map((fault) => `seed ${seed}: ${fault}`));
  }
  return { count, faults };
}

function nightOf({ gateway, isReadable }: (typeof places)[Place], seed: number): Night {
  return openNight({
    runs: { smoke: { ids: smokeIds, stopAfter: `PT${lastsMinutes}M` } },
    gateway,
    campaignId: isReadable ? campaignId : undefined,
    seed,
    mostSkewMs: minuteMs / 2,
    from: at('21:58'),
  });
}

async function playNight(night: Night, trouble: Trouble) {
  const { random } = night.time;
  night.send(aStart('start', startsAt), Math.round(random() * 20_000));
  makeTrouble(night, trouble, random);
  await night.until(at('23:59'));

  const [start = '', stop = ''] = await night.ends('start', commandIds.plannedStop('start'));
  const { detail = '' } = (await night.outcome('start')) ?? {};
  const stints = night.stintsOf('start');
  const [stint] = stints;
  const ended: Ended = {
    start,
    detail,
    isStopParked: stop.startsWith('parked'),
    begun: stints.length,
    fromMs: stint?.fromMs,
    lasted: stint === undefined ? 0 : stint.endMs - stint.fromMs,
  };
  return { passage: passageOf(ended), broken: brokenOf(ended) };
}

/** What came of a start, by the ledger and by the gateway. */
interface Ended {
  readonly start: string;
  readonly detail: string;
  readonly isStopParked: boolean;
  readonly begun: number;
  readonly fromMs: number | undefined;
  readonly lasted: number;
}

function brokenOf({ start, detail, isStopParked, begun, lasted }: Ended): readonly string[] {
  const isApplied = start === 'applied';
  const saysWhen = /may have run from \S+ until \S+/.test(detail);
  const promises: readonly (readonly [isBroken: boolean, sentence: string])[] = [
    [start === 'no outcome', 'I1: it has no outcome'],
    [begun > 1, 'I2: it began two runs'],
    [isApplied && begun === 0, 'I4: it is applied, and no run began'],
    [!isApplied && begun > 0 && !saysWhen, 'I4: it ran, and its outcome says no interval'],
    [lasted > (lastsMinutes + 5) * minuteMs && !isStopParked, 'I6: its run was not stopped'],
  ];
  return promises.filter(([isBroken]) => isBroken).map(([, sentence]) => sentence);
}

function passageOf({ start, isStopParked, fromMs, lasted }: Ended): Passage {
  if (isStopParked || start.startsWith('parked')) return 'needs a person';
  if (fromMs === undefined) return 'skipped';
  if (start !== 'applied') return lasted >= (lastsMinutes - 10) * minuteMs ? 'unconfirmed' : 'cut short';
  return fromMs - startsMs <= inTimeMs ? 'in time' : 'late';
}

/** Orders what the gateway and the platform do. */
function makeTrouble({ gateway, worker, time, breakUntil }: Night, trouble: Trouble, random: () => number): void {
  const outage = (fault: GatewayFaultName, minutes: number) => {
    const fromMs = startsMs + 20_000 - (random() * minutes * minuteMs) / 2;
    const until = new Date(fromMs + minutes * minuteMs).toISOString();
    for (const what of ['start', 'read', 'stop'] as const) breakUntil(until, what, fault);
  };
  /** The first worker dies right after its PATCH, and those after it once they have left their mark. */
  const kill = (most: number) => {
    const before = worker.processes();
    const killNext = () => {
      if (worker.processes() > before + most) return worker.spare();
      worker.kill(worker.processes() <= before + 1 ? 1 : stepsToMark, 'before');
      time.at(secondMs, killNext);
    };
    gateway.onRequest((asks) => {
      if (asks === 'start' && worker.processes() <= before + 1) killNext();
    });
  };
  switch (trouble) {
    case 'the PATCH is applied and its answer is lost':
      return gateway.fail('start', { fault: 'reset after applying' });
    case 'the PATCH is lost before it is applied':
      return gateway.fail('start', { fault: 'reset before applying' });
    case 'its answer is lost, and no campaign can be read for an hour':
      gateway.fail('start', { fault: random() < 0.5 ? 'reset after applying' : 'reset before applying' });
      return breakUntil(at('23:01'), 'read', 'connection refused');
    case 'the gateway refuses connections for 20 minutes':
      return outage('connection refused', 20);
    case 'the gateway answers nothing for 20 minutes':
      return outage('silence, not applied', 20);
    case 'the worker is killed right after the PATCH':
      return kill(1);
    case 'the gateway answers 429 for ten minutes':
      return outage('429', 10);
    case 'three workers in a row die at it':
      return kill(4);
    case 'the gateway refuses its planned stop for good':
      return breakUntil(at('23:59'), 'stop', '422 about a field');
  }
}

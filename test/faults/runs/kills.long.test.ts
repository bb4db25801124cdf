/**
 * A worker that dies before or after each of its effects: every read and write of rows, every
 * request, every event, every message that it sends back. What the gateway did and how the command
 * ended is looked at afterwards, at the gateways that start by `startAt` and by a word, with a
 * campaign that shows starts and one that cannot be read.
 */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { aStart, aStop, at, campaignId, createNight, minuteMs, type Night, smokeIds } from './night.ts';
import type { NightAnswer } from './night-gateway.ts';
import { type NightGatewayKind, realGateway } from './wired-night.ts';

afterEach(() => void vi.unstubAllGlobals());

/** What becomes of the first request of the command. */
const answers = [
  ['is answered', { kind: 'ok' }],
  ['is refused with 429', { kind: 429 }],
  ['[A7] meets a FIN, not applied', { kind: 'reset, not applied' }],
  ['[A8 A9] is applied, then reset', { kind: 'applied, then reset' }],
  ['[A10] is applied, then silence', { kind: 'applied, then silence' }],
  ['is reset, then applied', { kind: 'reset, applied late' }],
] as const satisfies readonly (readonly [string, NightAnswer])[];

/** Where a night plays. */
interface Place {
  readonly gateway: NightGatewayKind;
  readonly isReadable: boolean;
}

const word: NightGatewayKind = { kind: { starts: 'word, again' } };
const places: readonly (readonly [string, Place])[] = [
  ['by startAt, its campaign shows it', { gateway: realGateway, isReadable: true }],
  ['by startAt, its campaign cannot be read', { gateway: realGateway, isReadable: false }],
  ['by a word, its campaign shows it', { gateway: word, isReadable: true }],
  ['by a word, its campaign cannot be read', { gateway: word, isReadable: false }],
];

const matrix = answers.flatMap(([how, answer]) => places.map(([where, place]) => ({ how, answer, where, place })));

const startsAt = at('22:00');
const stopsAt = at('22:30');
/** Of the run: it outlasts the validity of its start. */
const lastsMinutes = 75;

/** A start at ten that plans its stop; a person's stop half an hour later. */
function aNight({ gateway, isReadable }: Place, hasStop: boolean): Night {
  const night = createNight({
    runs: { smoke: { ids: smokeIds, stopAfter: `PT${lastsMinutes}M` } },
    from: at('21:58'),
    gateway,
    campaign: isReadable ? { id: campaignId } : undefined,
  });
  night.send(aStart('start', startsAt));
  if (hasStop) night.send(aStop('stop', stopsAt));
  return night;
}

interface Kill {
  readonly effects: number;
  readonly when: 'before' | 'after';
}

/**
 * Plays a night for each effect that the worker makes from `fromInstant` on, killed before and
 * after it, until no effect is left.
 */
async function killedAtEach(
  of: { readonly fromInstant: string; readonly place: Place; readonly hasStop: boolean },
  order: (night: Night) => void,
  judge: (night: Night) => Promise<readonly string[]>,
): Promise<{ readonly broken: readonly string[]; readonly kills: number }> {
  const broken: string[] = [];
  let kills = 0;
  for (const { effects, when } of killsUpTo(60)) {
    const night = aNight(of.place, of.hasStop);
    await night.until(new Date(Date.parse(of.fromInstant) - minuteMs).toISOString());
    order(night);
    const before = night.worker.processes();
    night.worker.kill(effects, when);
    await night.until(at('23:45'));
    night.worker.spare();
    const sentences = await judge(night);
    broken.push(...sentences.map((sentence) => `killed ${when} effect ${effects}: ${sentence}`));
    vi.unstubAllGlobals();
    if (night.worker.processes() <= Math.max(1, before)) break;
    kills += 1;
  }
  return { broken, kills };
}

function killsUpTo(most: number): readonly Kill[] {
  return Array.from({ length: most }, (_, position) => position + 1).flatMap((effects) =>
    (['before', 'after'] as const).map((when) => ({ effects, when })),
  );
}

/** I1, I2, I3, I4: one outcome that is true, one effect, an end, and no person is needed. */
async function judgeStart(night: Night, { gateway, isReadable }: Place): Promise<readonly string[]> {
  const outcome = await night.outcome('start');
  const [end = ''] = await night.ends('start');
  const minutes = night.minutesOf('start');
  const isApplied = end === 'applied';
  const isByWord = gateway !== realGateway;
  const ids = new Set(night.patchesOf('start').map(({ campaignRunId }) => campaignRunId));
  const promises: readonly (readonly [isBroken: boolean, sentence: string])[] = [
    // By a word a start without an answer is not sent again, and is ended once it is too late for it. By startAt its repeat may be refused since it
    // runs, and no campaign shows that.
    [!isApplied && !(end.startsWith('skipped ') && (isByWord || !isReadable)), `I1: it ended as ${end}`],
    [isByWord && isReadable && minutes.length === 1 && !isApplied, `I3: it began and ended as ${end}`],
    [minutes.length > 1, `I2: it began ${minutes.length} runs`],
    [isApplied && minutes.length !== 1, 'I4: it is applied, and no run began'],
    [!isApplied && !/may have run from \S+ until \S+/.test(outcome?.detail ?? ''), 'I4: no interval'],
    [ids.size > 1, `I2: it used ${ids.size} ids`],
    ...minutes.map(
      (length) =>
        [
          !isWithin(length, isApplied || !isByWord ? lastsMinutes - 20 : 0, lastsMinutes + 5),
          `I6: it ran ${length} minutes`,
        ] as const,
    ),
  ];
  const broken = promises.filter(([isBroken]) => isBroken).map(([, sentence]) => sentence);
  return [...broken, ...(await judgeEvents(night))];
}

function isWithin(length: number | 'running', least: number, most: number): boolean {
  return length !== 'running' && length >= least && length <= most;
}

/** Each thing is told of under one id. */
async function judgeEvents(night: Night): Promise<readonly string[]> {
  const ids = Map.groupBy(
    night.events.filter(({ detail }) => detail['commandId'] === 'start' || detail['commandId'] === 'stop'),
    ({ type, detail }) => `${type} of ${String(detail['commandId'])}`,
  );
  const many = [...ids].filter(([, events]) => new Set(events.map(({ detail }) => detail['eventId'])).size > 1);
  return many.map(([what]) => `I2: ${what} has several event ids`);
}

async function judgeStop(night: Night): Promise<readonly string[]> {
  const broken: string[] = [];
  const [end] = await night.ends('stop');
  if (end !== 'applied') broken.push(`I8: the stop ended as ${end}`);
  for (const length of night.minutesOf('start')) {
    if (!isWithin(length, 25, 40)) broken.push(`I8: the run lasted ${length} minutes`);
  }
  if (night.stintsOf('start').length !== 1) broken.push('I2: the run did not begin once');
  return [...broken, ...(await judgeEvents(night))];
}

/**
 * A worker makes at least this many effects for one command: fewer kills would say that nothing was
 * tried.
 */
const fewestKills = 10;
/** Each case plays some thirty nights. */
const timeout = 180_000;

describe('a worker that dies at each of its effects', () => {
  test.each(matrix)(
    '[C5 F10] begins one run at most if its start $how, $where',
    { timeout },
    async ({ answer, place }) => {
      const { broken, kills } = await killedAtEach(
        { fromInstant: startsAt, place, hasStop: false },
        ({ gateway }) => gateway.answer('start', answer),
        async (night) => judgeStart(night, place),
      );

      expect(broken).toEqual([]);
      expect(kills).toBeGreaterThanOrEqual(fewestKills);
    },
  );

  test.each(answers)('[C5 F10] has stopped the run all the same if its stop %s', { timeout }, async (_how, answer) => {
    const { broken, kills } = await killedAtEach(
      { fromInstant: stopsAt, place: { gateway: realGateway, isReadable: false }, hasStop: true },
      ({ gateway }) => gateway.answer('stop', answer),
      judgeStop,
    );

    expect(broken).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(fewestKills);
  });
});

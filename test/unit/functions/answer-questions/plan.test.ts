import { describe, expect, test, vi } from 'vitest';
import type { ResolvedGuards, ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import type { ResolvedBlackout } from '#shared/schedule/blackouts.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { Previewed } from '#shared/messages/questions.ts';
import { campaignId, aCommand, createUpdateBench } from '../update-campaign-runs/harness/update-bench.ts';

const [first, second, third] = [1, 2, 3].map((number) => `019ba000-0000-7000-8000-00000000000${number}`) as [
  string,
  string,
  string,
];

const night = (day: number, time = '22:00') => `2026-11-${day}T${time}:00.000Z`;
const until = (instant: string) => new Date(instant);
const endOfPlan = until('2026-12-01T00:00:00.000Z');

interface Settings extends Partial<Omit<ResolvedGuards, 'target'>> {
  /** Of a start; `none`: it plans no stop. @default 'PT8H' */
  readonly stopAfter?: string;
  readonly ofCampaign?: string;
}

/** A run with ids for three nights, stopped after eight hours. */
function nightly({ stopAfter = 'PT8H', ofCampaign, ...guards }: Settings = {}): Record<string, ResolvedRun> {
  return {
    nightly: {
      name: 'nightly',
      campaign: 'chat-bot',
      campaignId: ofCampaign,
      campaignRunIds: [first, second, third],
      guards: { target: 'chat-bot', overlap: 'skip', longestRun: 'PT8H', ...guards },
      stopAfter: stopAfter === 'none' ? undefined : stopAfter,
      nameTemplate: 'nightly {date}',
    },
  };
}

type Bench = ReturnType<typeof createUpdateBench>;

/** At noon before the first night. */
function benchAtNoon(settings?: Settings, options: Parameters<typeof createUpdateBench>[0] = {}): Bench {
  const bench = createUpdateBench({ runs: nightly(settings), ...options });
  bench.passMs(Date.parse(night(20, '12:00')) - bench.now().getTime());
  return bench;
}

function start(issuedAt: string, more: Partial<CampaignRunCommand> = {}): CampaignRunCommand {
  return aCommand({ id: `weeknights@${issuedAt}`, run: 'nightly', issuedAt, ...more });
}

/** One line each: `20T22:00 start applied`. */
const linesOf = (commands: readonly Previewed[]) =>
  commands.map(({ at, action, outcome, reason }) => [at.slice(8, 16), action, outcome, reason ?? ''].join(' ').trim());

/** What becomes of these commands, a line each. */
async function plan(bench: Bench, commands: readonly CampaignRunCommand[], end = endOfPlan) {
  const answer = await bench.preview(commands, end);
  return { ...answer, lines: linesOf(answer.commands) };
}

const startsOf = ({ commands }: { readonly commands: readonly Previewed[] }) =>
  linesOf(commands.filter(({ action }) => action === 'start'));

/** A night under a blackout. */
function inTheDark(starts: ResolvedBlackout['starts']): Bench {
  const window = { kind: 'once', from: night(20, '19:00'), to: night(21, '04:00') } as const;
  return benchAtNoon({}, { blackouts: [{ name: 'year-end', starts, window }] });
}

describe('a plan', () => {
  test('shows the exact request of a start, the stop that it plans, and the ids that are left', async () => {
    const { commands } = await plan(benchAtNoon(), [start(night(20), { startDelay: 'PT15M' })]);

    expect(commands).toMatchObject([
      {
        at: night(20),
        outcome: 'applied',
        requests: [
          {
            method: 'PATCH',
            path: `/backend/v1/campaign-runs/${first}`,
            body: { startAt: night(20, '22:15'), name: 'nightly 2026-11-20' },
          },
        ],
        stopDueAt: night(21, '06:15'),
        idsLeft: 2,
      },
      {
        id: `weeknights@${night(20)}`,
        at: night(21, '06:15'),
        action: 'stop',
        run: 'nightly',
        origin: { kind: 'watcher' },
        requests: [{ path: `/backend/v1/campaign-runs/${first}`, body: { status: 'cancelled' } }],
      },
    ]);
  });

  test('follows a start that has to wait to its outcome, also past the end of the plan', async () => {
    const bench = benchAtNoon({ overlap: 'stop-previous' });
    const back = start(night(21, '06:00'), { id: 'back-to-back' });

    const { lines } = await plan(bench, [start(night(20)), start(night(20, '23:00'))], until(night(20, '23:00')));
    const backToBack = await plan(benchAtNoon(), [start(night(20)), back], until(night(21, '06:00')));

    expect(lines).toEqual(['20T22:00 start applied', '20T23:00 start applied']);
    expect(backToBack.lines).toEqual(['20T22:00 start applied', '21T06:00 start applied', '21T06:00 stop applied']);
  });

  test('counts the starts of the month in the zone of the stage, and the starts that are left', async () => {
    const nights = [28, 29, 30].map((day) => start(night(day)));
    // In Dublin it is December already.
    const december = start('2026-12-01T00:30:00.000Z');
    const bench = benchAtNoon({ startsPerMonth: 2, stopAfter: 'PT30M' });

    const { commands } = await plan(bench, [...nights, december], until('2026-12-02T00:00:00.000Z'));

    const starts = commands.filter(({ action }) => action === 'start');
    expect(linesOf(starts)).toEqual([
      '28T22:00 start applied',
      '29T22:00 start applied',
      '30T22:00 start skipped BUDGET',
      '01T00:30 start applied',
    ]);
    expect(starts.map(({ startsLeft }) => startsLeft)).toEqual([1, 0, undefined, 1]);
  });

  test('stops what is in flight now in the word of its start, and starts again after that', async () => {
    const bench = benchAtNoon({ stopAfter: 'PT11H' });
    await bench.deliver(start(bench.now().toISOString(), { id: 'earlier' }));
    const nights = [start(night(20)), start(night(20, '23:30'))];

    const { lines, commands } = await plan(bench, nights, until(night(21, '00:00')));

    expect(lines).toEqual(['20T22:00 start skipped OVERLAP', '20T23:00 stop applied', '20T23:30 start applied']);
    expect(commands[1]).toMatchObject({ id: 'earlier', run: 'nightly', requests: [{ body: { status: 'cancelled' } }] });
  });

  test('a run without a planned stop ends by itself: a later stop finds nothing to stop', async () => {
    const settings = { stopAfter: 'none', longestRun: 'PT6H' };
    const bench = benchAtNoon(settings);
    await bench.deliver(start(bench.now().toISOString(), { id: 'earlier' }));
    const stopAt = (time: string) => start(night(20, time), { id: `stop@${time}`, action: 'stop' });

    const inTime = await plan(bench, [stopAt('17:00')]);
    const late = await plan(bench, [stopAt('19:00'), start(night(20)), start(night(20, '23:00'))]);

    expect(inTime.lines).toEqual(['20T17:00 stop applied']);
    expect(late.lines).toEqual([
      '20T19:00 stop skipped NOTHING_TO_STOP',
      '20T22:00 start applied',
      '20T23:00 start skipped OVERLAP',
    ]);
  });

  test('lets a stop that is under way end first, so that the next start need not wait for it', async () => {
    const bench = benchAtNoon();
    await bench.deliver(start(bench.now().toISOString(), { id: 'earlier', startDelay: 'PT15M' }));
    bench.passMs(60_000);
    bench.answerWith({ status: 503, text: 'down' });
    const stop = await bench.deliver(start(bench.now().toISOString(), { id: 'by-hand', action: 'stop' }));

    const { lines } = await plan(bench, [start(night(20, '12:30'))], until(night(20, '18:00')));

    expect(stop).toMatchObject({ kind: 'later' });
    expect(lines).toEqual(['20T12:01 stop applied', '20T12:30 start applied']);
  });

  test('tries a start without an answer again first, and judges the next one by it', async () => {
    const bench = benchAtNoon({ ofCampaign: campaignId, stopAfter: 'PT2H' });
    bench.answerWith('lost');
    const doubtful = await bench.deliver(start(bench.now().toISOString(), { id: 'earlier' }));

    const { lines } = await plan(bench, [start(night(20, '13:00')), start(night(20))], until(night(20, '23:00')));

    expect(doubtful).toMatchObject({ kind: 'later' });
    expect(lines).toEqual([
      '20T12:00 start applied',
      '20T13:00 start skipped OVERLAP',
      '20T14:00 stop applied',
      '20T22:00 start applied',
    ]);
  });

  test('a stop of what was never started has nothing to stop; a run that is not configured is parked', async () => {
    const stop = start(night(20), { action: 'stop' });

    expect((await plan(benchAtNoon(), [stop])).lines).toEqual(['20T22:00 stop skipped NOTHING_TO_STOP']);
    expect((await plan(benchAtNoon(), [start(night(21), { run: 'weekly' })])).commands).toMatchObject([
      { outcome: 'parked', reason: 'CONFIG', detail: expect.stringContaining('weekly') },
    ]);
  });
});

describe('a plan under a blackout', () => {
  test('knows of the starts that are deferred already', async () => {
    const bench = inTheDark('defer');
    bench.passMs(Date.parse(night(20, '20:00')) - bench.now().getTime());
    await bench.deliver(start(night(20, '20:00')));

    expect((await plan(bench, [], until(night(21, '05:00')))).lines).toEqual(['21T04:00 start applied']);
  });
});

describe('a plan with a minimum gap', () => {
  const nights = [start(night(20)), start(night(21, '08:00')), start(night(21, '19:59')), start(night(21, '20:00'))];
  const gap = { ofCampaign: campaignId, minimumGap: 'PT12H', stopAfter: 'PT1H' };

  test('judges it by the last run at the gateway, and then by the starts that it plans itself', async () => {
    const bench = benchAtNoon(gap);
    bench.passMs(8 * 3_600_000);
    bench.startByHand();

    const planned = await plan(bench, nights, until(night(21, '20:30')));

    expect(startsOf(planned)).toEqual([
      '20T22:00 start skipped MINIMUM_GAP',
      '21T08:00 start applied',
      '21T19:59 start skipped MINIMUM_GAP',
      '21T20:00 start applied',
    ]);
    expect(planned.unread).toEqual([]);
  });

  test('goes on without a campaign that cannot be read, names it, and reads each campaign once', async () => {
    const bench = benchAtNoon(gap, { campaignAnswers: ['not-sent'] });
    bench.startByHand();

    const planned = await plan(bench, nights, until(night(21, '20:30')));

    expect(planned.unread).toEqual([{ campaign: 'chat-bot', why: expect.any(String) }]);
    expect(startsOf(planned)).toEqual([
      '20T22:00 start applied',
      '21T08:00 start skipped MINIMUM_GAP',
      '21T19:59 start applied',
      '21T20:00 start skipped OVERLAP',
    ]);
  });

  test('a campaign that cannot be read ran when this stage started it last, as far as that is in flight', async () => {
    const bench = benchAtNoon(gap, { campaignAnswers: ['ok', 'not-sent'] });
    bench.startByHand();
    bench.passMs(12 * 3_600_000);
    await bench.deliver(start(bench.now().toISOString(), { id: 'earlier' }));

    const planned = await plan(bench, [start(night(21, '11:58')), start(night(21, '12:00'))], until(night(21)));

    expect(startsOf(planned)).toEqual(['21T11:58 start skipped MINIMUM_GAP', '21T12:00 start applied']);
  });
});

/** How often a plan of a start on each of these days reads rows. */
async function readsOf(days: readonly number[]): Promise<number> {
  const bench = benchAtNoon();
  const readMany = vi.spyOn(bench.ledger, 'readMany');
  const starts = days.map((day) => start(night(day)));
  expect((await plan(bench, starts)).lines).toHaveLength(2 * days.length);
  return readMany.mock.calls.length;
}

// Each start and each planned stop was a read of its own: 1,000 starts took 1,900 reads and ten
// seconds.
test('a plan of many starts reads their rows together, and the rows of their stops not at all', async () => {
  const one = await readsOf([20]);

  expect(one).toBeGreaterThan(0);
  expect(await readsOf([20, 21, 22])).toBe(one + 2); // the row of each further run
});

test('a plan that has no time left says so', async () => {
  const bench = benchAtNoon();

  const asked = bench.preview([start(night(20))], endOfPlan, () => 500);

  await expect(asked).rejects.toThrow('the plan takes too long: ask about a shorter time');
});

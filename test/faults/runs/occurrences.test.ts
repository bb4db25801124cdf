import { describe, expect, test } from 'vitest';
import type { RecordResult } from '#functions/_handler/queue-record.ts';
import { createWorkerReports } from '#functions/_handler/worker-reports.ts';
import { scheduledCommandInput } from '#infra/constructs/compute/stage-schedules.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { readRunsInFlight } from '#shared/ledger/open-rows.ts';
import {
  tenOClock,
  aCommand,
  createUpdateBench,
} from '../../unit/functions/update-campaign-runs/harness/update-bench.ts';
import type { Answer } from '../../unit/functions/update-campaign-runs/harness/bench-gateway.ts';

type Bench = ReturnType<typeof createUpdateBench>;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The message of the occurrence at ten, as Scheduler makes it of the target's input. */
const occurrence = scheduledCommandInput({
  name: 'weeknights',
  action: 'start',
  run: 'smoke',
  expression: 'cron(0 22 ? * MON-FRI *)',
  timezone: 'Europe/Dublin',
  enabled: true,
  validFor: 'PT30M',
}).replaceAll('<aws.scheduler.scheduled-time>', '2026-11-20T22:00:00Z');

describe('an occurrence of a schedule', () => {
  test('[E1] that Scheduler delivers twice, hours apart, is one start', async () => {
    const bench = createUpdateBench();

    const results = [await bench.deliver(occurrence)];
    bench.passMs(10_000);
    results.push(await bench.deliver(occurrence));
    bench.passMs(20 * hourMs);
    results.push(await bench.deliver(occurrence));

    expect(results).toMatchObject([{ outcomes: [{ kind: 'applied' }] }, { outcomes: [] }, { outcomes: [] }]);
    expect(bench.patches).toHaveLength(1);
    expect(await bench.ledger.read(ledgerKeys.command('weeknights@2026-11-20T22:00:00Z'))).toBeDefined();
  });

  test('[E2] ten minutes late is applied, with its stop counted from the occurrence', async () => {
    const bench = createUpdateBench();
    bench.passMs(10 * minuteMs);

    const result = await bench.deliver(occurrence);

    expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(bench.events).toMatchObject([
      { type: 'CampaignRunStarted', detail: { endsAt: '2026-11-20T22:30:00.000Z' } },
    ]);
  });

  test('[E2] 25 hours late is skipped MISSED_WINDOW, is counted, told to the bus, and starts nothing', async () => {
    const bench = createUpdateBench();
    bench.passMs(25 * hourMs);

    const result = await bench.deliver(occurrence);

    expect(result).toMatchObject({ outcomes: [{ kind: 'skipped', reason: 'MISSED_WINDOW' }] });
    expect(bench.events).toMatchObject([{ type: 'CampaignRunStartSkipped', detail: { reason: 'MISSED_WINDOW' } }]);
    expect(bench.patches).toEqual([]);
    expect(await countedBy(bench, result)).toEqual([
      ['Skipped', 1],
      ['MissedWindow', 1],
    ]);
    expect(await readRunsInFlight(bench.ledger)).toEqual([]);
  });
});

const quiet = () => {};

/** The metrics that the wrapper makes of a result. */
async function countedBy(bench: Bench, { outcomes = [] }: RecordResult): Promise<unknown[]> {
  const counts: unknown[] = [];
  const { reportBatch } = createWorkerReports({
    functionName: 'update-campaign-runs',
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    metrics: { count: (...count) => void counts.push(count), level: quiet, publish: quiet },
    ledger: bench.ledger,
    now: bench.now,
  });
  await reportBatch(outcomes, 0);
  return counts;
}

describe('a start that fails for six hours', () => {
  const faults: readonly (readonly [string, Answer])[] = [
    ['is never sent', 'not-sent'],
    ['is refused for its rate', { status: 429, text: 'busy' }],
    ['is never answered', 'lost'],
    ['is answered 500', { status: 500, text: 'oops' }],
  ];

  test.each(faults)('[E7] because it %s does not hold up its stop for two minutes', async (_how, answer) => {
    const bench = createUpdateBench();
    const start = aCommand({ validFor: 'P1D', stopAfter: 'PT12H' });
    const stop = aCommand({ id: 'stop', action: 'stop', issuedAt: '2026-11-21T04:00:00Z' });
    bench.answerWith(...Array.from({ length: 500 }, () => answer));
    while (bench.now().getTime() < tenOClock + 6 * hourMs) {
      await bench.deliver(start);
      bench.passMs(5 * minuteMs);
    }
    await bench.deliver(start);
    const sentBefore = bench.patches.length;
    bench.answerWith();

    const dueAt = bench.now().getTime();
    let result = await bench.deliver(stop);
    while (result.kind === 'later' && bench.now().getTime() < dueAt + hourMs) {
      bench.passMs(result.delayMs);
      result = await bench.deliver(stop);
    }
    const tookMs = bench.now().getTime() - dueAt;

    expect(tookMs).toBeLessThanOrEqual(2 * minuteMs);
    expect(result).toMatchObject({ outcomes: [{ kind: expect.stringMatching(/^(?:applied|skipped)$/) }] });
    expect(bench.patches.slice(sentBefore).every(({ status }) => status === 'cancelled')).toBe(true);

    bench.passMs(hourMs);
    await bench.deliver(start);
    bench.passMs(5 * minuteMs);
    expect(bench.begun()).toEqual([]);
    expect(await bench.ledger.read<CommandRow>(ledgerKeys.command(start.id))).toMatchObject({
      outcome: { kind: 'superseded' },
    });
  });
});

import { describe, expect, test } from 'vitest';
import { withEnds } from '#operator/plan/schedule-occurrences.ts';
import type { ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { blackoutWindows } from '#shared/schedule/blackouts.ts';
import {
  nightlyIds,
  nightlyOfProject,
  aCommand,
  createUpdateBench,
} from '../../functions/update-campaign-runs/harness/update-bench.ts';

const until = new Date('2026-11-23T00:00:00.000Z');
const byMorning = { kind: 'schedule', name: 'by-morning' } as const;

const start = (day: number, more: Partial<CampaignRunCommand> = {}) =>
  aCommand({ id: `start-${day}`, run: 'nightly', issuedAt: `2026-11-${day}T22:00:00.000Z`, ...more });

/** The ends of the starts of a plan, by their ids, as the worker's own code plans it. */
async function endsOf(run: Partial<ResolvedRun>, ...commands: readonly CampaignRunCommand[]) {
  const bench = createUpdateBench({ runs: { nightly: { ...nightlyOfProject, ...run } } });
  bench.passMs(-3_600_000);
  const answer = await bench.preview(commands, until);
  const starts = withEnds(answer.commands, until).filter(({ action }) => action === 'start');
  return Object.fromEntries(starts.map((one) => [one.id, one]));
}

describe('the run of a planned start', () => {
  test('ends by a scheduled stop that comes before its planned stop', async () => {
    const stop = aCommand({
      id: 'by-morning',
      action: 'stop',
      run: 'nightly',
      issuedAt: '2026-11-21T06:00:00.000Z',
      origin: byMorning,
    });

    const ends = await endsOf({ stopAfter: 'PT10H' }, start(20), stop);

    expect(ends['start-20']).toMatchObject({
      campaign: 'chat-bot',
      campaignRunId: nightlyIds[0],
      effectAt: '2026-11-20T22:01:00.000Z',
      stopDueAt: '2026-11-21T08:00:00.000Z',
      endsAt: '2026-11-21T06:00:00.000Z',
      endsBy: { kind: 'stop', commandId: 'by-morning', askedBy: byMorning },
    });
  });

  test('ends by its planned stop if nothing comes before', async () => {
    const ends = await endsOf({ stopAfter: 'PT10H' }, start(20));

    expect(ends['start-20']).toMatchObject({ endsAt: '2026-11-21T08:00:00.000Z', endsBy: { kind: 'planned-stop' } });
  });

  test('ends by itself if nothing stops it', async () => {
    const ends = await endsOf({}, start(20));

    expect(ends['start-20']).toMatchObject({ endsAt: '2026-11-21T06:00:00.000Z', endsBy: { kind: 'itself' } });
  });

  test('has no end here if it goes on after the plan', async () => {
    const ends = await endsOf({ stopAfter: 'PT10H' }, start(20), start(22));

    expect(ends['start-22']).toMatchObject({ outcome: 'applied', stopDueAt: '2026-11-23T08:00:00.000Z' });
    expect(ends['start-22']).not.toHaveProperty('endsAt');
  });
});

test('a blackout of the night before covers the beginning of a range, and one after it does not', () => {
  const window = { kind: 'recurring', expression: 'cron(0 20 * * ? *)', timezone: 'UTC', lasts: 'PT10H' } as const;
  const range = { from: new Date('2026-11-21T00:00:00Z'), until: new Date('2026-11-21T20:00:00Z') };

  expect(blackoutWindows({ name: 'nights', starts: 'skip', window }, range)).toEqual([
    { from: new Date('2026-11-20T20:00:00Z'), until: new Date('2026-11-21T06:00:00Z') },
  ]);
});

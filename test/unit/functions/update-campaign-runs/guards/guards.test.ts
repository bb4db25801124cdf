/** I11, and what each guard refuses. */
import { describe, expect, test } from 'vitest';
import { guardNames } from '#shared/vocabulary/reason-codes.ts';
import { stageSwitch } from '#shared/ledger/switches.ts';
import { aStop, atTen, hours, minutes, nightly } from '../harness/guard-nights.ts';
import { campaignId, createUpdateBench, type UpdateBench } from '../harness/update-bench.ts';

describe('a freeze or a pause', () => {
  test.each([
    [stageSwitch, 'FROZEN'],
    [{ scope: 'campaign', name: 'chat-bot' } as const, 'PAUSED'],
    [{ scope: 'schedule', name: 'weeknights' } as const, 'PAUSED'],
  ])('%o holds a start back, and none once it is lifted', async (subject, reason) => {
    const bench = createUpdateBench();
    await bench.turn(subject, true);
    await bench.deliver(atTen());
    await bench.turn(subject, false);
    await bench.deliver(nightly('after'));

    expect(await bench.outcomeOf('at-ten')).toMatchObject({ kind: 'skipped', reason });
    expect(await bench.outcomeOf('after')).toMatchObject({ kind: 'applied' });
  });

  test('that comes while the campaign is read is obeyed', async () => {
    const bench = createUpdateBench({ campaignId, minimumGap: 'PT1H' });
    const gateway = {
      ...bench.gateway,
      async getCampaign(input: Parameters<typeof bench.gateway.getCampaign>[0]) {
        await bench.turn(stageSwitch, true);
        return bench.gateway.getCampaign(input);
      },
    };
    await bench.deliver(atTen(), { gateway });

    expect(await bench.outcomeOf('at-ten')).toMatchObject({ reason: 'FROZEN' });
    expect(bench.patches).toEqual([]);
  });
});

const gapped = (fields = {}) => createUpdateBench({ campaignId, minimumGap: 'PT12H', overlap: 'allow', ...fields });
const later = (bench: UpdateBench) => nightly('later', { issuedAt: bench.now().toISOString() });

describe('a minimum gap', () => {
  test('[E40] counts an own start that the campaign does not show yet, also once it was stopped', async () => {
    const bench = gapped({ kind: { starts: 'startAt', lastRunLagMs: hours(5) } });
    await bench.deliver(atTen());
    bench.passMs(minutes(6));
    await bench.deliver(aStop());
    await bench.deliver(later(bench));

    expect(await bench.outcomeOf('later')).toMatchObject({ reason: 'MINIMUM_GAP' });
  });

  test('[A22] of a campaign that may not be read parks its start after three tries', async () => {
    const forbidden = { status: 403, text: 'no permission' };
    const bench = createUpdateBench({
      campaignId,
      minimumGap: 'PT12H',
      campaignAnswers: [forbidden, forbidden, forbidden],
    });
    for (const receiveCount of [1, 2, 3]) await bench.deliver(atTen(), { receiveCount });

    expect(await bench.outcomeOf('at-ten')).toMatchObject({ kind: 'parked', reason: 'FORBIDDEN' });
  });
});

describe('a budget', () => {
  test('counts the starts of a month, and none of the next', async () => {
    const bench = createUpdateBench({ startsPerMonth: 1, overlap: 'allow' });
    await bench.deliver(atTen());
    await bench.deliver(nightly('b'));
    bench.passMs(hours(24 * 11));
    await bench.deliver(nightly('c', { issuedAt: bench.now().toISOString() }));

    expect(await bench.outcomeOf('b')).toMatchObject({ kind: 'skipped', reason: 'BUDGET' });
    expect(await bench.outcomeOf('c')).toMatchObject({ kind: 'applied' });
  });
});

test('the row of a start that was applied has the verdict of each guard', async () => {
  const bench = createUpdateBench();
  await bench.deliver(atTen());

  expect((await bench.commandOf('at-ten'))?.verdicts).toEqual(guardNames.map((guard) => ({ guard, verdict: 'apply' })));
});

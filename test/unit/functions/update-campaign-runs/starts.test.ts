import { describe, expect, test } from 'vitest';
import { quietLog } from '../../../builders/ports.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { type IdRow } from '#shared/ledger/rows/run-row.ts';
import { aStop, atTen, hours, minutes, nightly } from './harness/guard-nights.ts';
import { configWith, nightlyIds, smokeId, aCommand, createUpdateBench } from './harness/update-bench.ts';

const idRowOf = (bench: ReturnType<typeof createUpdateBench>, id: string) =>
  bench.ledger.read<IdRow>(ledgerKeys.runId(id));

describe('a start', () => {
  test('moves the startAt of the next id a minute ahead; the run begins once, and its start is published', async () => {
    const bench = createUpdateBench();

    const result = await bench.deliver(nightly('start'));
    bench.passMs(minutes(1));

    expect(bench.patches).toMatchObject([
      {
        campaignRunId: nightlyIds[0],
        startAt: '2026-11-20T22:01:00.000Z',
        name: 'nightly 2026-11-20',
        status: undefined,
      },
    ]);
    expect(bench.begun()).toEqual([nightlyIds[0]]);
    expect(result).toMatchObject({ kind: 'done', outcomes: [{ kind: 'applied' }] });
    expect(bench.events).toMatchObject([
      {
        type: 'CampaignRunStarted',
        detail: { campaignRunId: nightlyIds[0], due: '2026-11-20T22:00:00.000Z', endsAt: '2026-11-21T06:00:00.000Z' },
      },
    ]);
  });

  test('counts run ids that run low for their alarm, and none while enough are left', async () => {
    const bench = createUpdateBench({ overlap: 'allow' });
    const said: string[] = [];
    const log = { ...quietLog, warn: (_event: string, sentence: string) => void said.push(sentence) };

    await bench.deliver(nightly('first'), { log });
    const whileOneIsLeft = [...bench.counted, ...said];
    await bench.deliver(nightly('second'), { log });

    expect(whileOneIsLeft).not.toContain('RunIdsLow');
    expect(bench.counted).toContain('RunIdsLow');
    expect(said).toEqual(['nightly has 0 unused run ids left: autopilot bind nightly ID…']);
  });

  test('has its entry, its id and its planned stop in the ledger before the PATCH leaves', async () => {
    const bench = createUpdateBench();
    const seen: unknown[] = [];
    const gateway = {
      ...bench.gateway,
      async updateCampaignRun(input: Parameters<typeof bench.gateway.updateCampaignRun>[0]) {
        seen.push(await bench.inFlight(), await idRowOf(bench, smokeId));
        return bench.gateway.updateCampaignRun(input);
      },
    };

    await bench.deliver(atTen(), { gateway });

    expect(seen).toMatchObject([
      [
        {
          campaignRunId: smokeId,
          state: 'starting',
          unanswered: 1,
          plansStop: true,
          endsAt: '2026-11-20T22:30:00.000Z',
        },
      ],
      { run: 'smoke', startId: 'at-ten' },
    ]);
    expect(await bench.inFlight()).toMatchObject([{ state: 'running', unanswered: 0 }]);
  });

  test('uses one id, and the next start the next one; none is left for the third, which is parked', async () => {
    const bench = createUpdateBench({ overlap: 'allow' });

    for (const id of ['a', 'b', 'c']) await bench.deliver(nightly(id));
    bench.passMs(minutes(2));

    expect(bench.begun()).toEqual([...nightlyIds]);
    expect(await bench.outcomeOf('c')).toMatchObject({ kind: 'parked', reason: 'NO_RUN_LEFT' });
  });

  test('[E35 E36] passes over an id that another name has used, also if its own row does not know', async () => {
    const { nightly: run, smoke } = configWith({ overlap: 'allow' }).runs;
    if (run === undefined || smoke === undefined) throw new Error('no runs');
    const bench = createUpdateBench({
      overlap: 'allow',
      runs: { nightly: run, smoke: { ...smoke, campaignRunIds: nightlyIds } },
    });

    await bench.deliver(atTen());
    await bench.deliver(nightly('other'));

    expect(bench.patches.map(({ campaignRunId }) => campaignRunId)).toEqual([...nightlyIds]);
  });

  test('[C5 E1] the same command again changes nothing and repeats its event under the same id', async () => {
    const bench = createUpdateBench();
    await bench.deliver(atTen());

    const again = await bench.deliver(atTen());
    bench.passMs(minutes(2));

    expect(again).toEqual({ kind: 'done', outcomes: [] });
    expect(bench.patches).toHaveLength(1);
    expect(bench.events).toHaveLength(2);
    expect(bench.events[0]).toEqual(bench.events[1]);
  });

  test('[E2] that comes after its validity is skipped, and uses no id', async () => {
    const bench = createUpdateBench();
    bench.passMs(hours(2));

    await bench.deliver(nightly('late'));

    expect(await bench.outcomeOf('late')).toMatchObject({ kind: 'skipped', reason: 'MISSED_WINDOW' });
    expect(await bench.freeIds()).toEqual([...nightlyIds]);
    expect(bench.events).toMatchObject([{ type: 'CampaignRunStartSkipped' }]);
  });

  test('[E4] older than a stop of its name, delivered later, is superseded and takes no id', async () => {
    const bench = createUpdateBench();
    await bench.deliver(aStop());

    await bench.deliver(atTen());

    expect(await bench.outcomeOf('stop')).toMatchObject({ kind: 'skipped', reason: 'NOTHING_TO_STOP' });
    expect(await bench.outcomeOf('at-ten')).toMatchObject({ kind: 'superseded' });
    expect(bench.patches).toEqual([]);
  });

  test('of a name that the configuration does not know is parked CONFIG', async () => {
    const bench = createUpdateBench();

    await bench.deliver(aCommand({ id: 'a', run: 'nigthly' }));

    expect(await bench.outcomeOf('a')).toMatchObject({
      reason: 'CONFIG',
      detail: expect.stringContaining('known are: nightly, smoke'),
    });
  });

  test('sends preserve and the word of a gateway that starts by one', async () => {
    const kind = { starts: 'word' } as const;
    const { smoke } = configWith({ kind }).runs;
    if (smoke === undefined) throw new Error('no run');
    const bench = createUpdateBench({ kind, runs: { smoke: { ...smoke, preserve: true } } });

    await bench.deliver(atTen());

    expect(bench.patches).toMatchObject([{ status: 'running', startAt: undefined, preserve: true }]);
    expect(bench.begun()).toEqual([smokeId]);
  });

  test('by a word sends startAt only while it is due later', async () => {
    const bench = createUpdateBench({ kind: { starts: 'word' } });

    await bench.deliver(atTen({ startDelay: 'PT15M' }));

    expect(bench.patches).toMatchObject([{ status: 'running', startAt: '2026-11-20T22:15:00.000Z' }]);
  });
});

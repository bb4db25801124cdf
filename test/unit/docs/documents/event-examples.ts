import { messageOfLinkTest } from '#shared/messages/link-test.ts';
import { type EventType, eventTypes } from '#shared/vocabulary/resource-names.ts';
import { setSwitch, stageSwitch } from '#shared/ledger/switches.ts';
import { withChange } from '#shared/ledger/results/changes-row.ts';
import { aRunInFlight, commandRow, runEndsRow, targetRow } from '../../../builders/run-rows.ts';
import { createSilenceBench } from '../../functions/reconcile-ledger/silence-bench.ts';
import { createUploadBench } from '../../functions/register-datasets/upload-bench.ts';
import { aCommand, createUpdateBench } from '../../functions/update-campaign-runs/harness/update-bench.ts';
import { peerInProcess } from '../../functions/watch-campaigns/pools/peer-in-process.ts';
import { createPoolStage } from '../../functions/watch-campaigns/pools/pool-stage.ts';
import { createWatchBench, minute, outcomeAt } from '../../functions/watch-campaigns/watch-bench.ts';

/** `type` is the detail-type, the rest the detail. */
type Event = Readonly<Record<string, unknown>>;

const flat = ({ type, detail }: { readonly type: string; readonly detail: object }): Event => ({ type, ...detail });

/** A run of nightly that has ended after two complete ones, between which and it a package changed. */
async function endedBench(shown: object) {
  const ofRun = { nightly: { watches: ['vendor'], score: { atLeast: 80, mayFallBy: 5 } } };
  const bench = createWatchBench({ readsRuns: true, results: { digest: 'first', ofRun } });
  await bench.put(commandRow(undefined, outcomeAt('2026-11-20T22:00:00.000Z')));
  await bench.put(targetRow(aRunInFlight()));
  await bench.put(runEndsRow(40, 40));
  const line = { id: 'set-1', at: '2026-11-20T15:40:00.000Z', says: 'changed: prompt-injection-core (version)' };
  await bench.put(withChange(undefined, 'vendor', line));
  bench.showRun(shown);
  await bench.tickFor(minute);
  return bench;
}

/** What a worker publishes, as the example of its event. */
const made: Partial<Record<EventType, () => Promise<readonly Event[]>>> = {
  [eventTypes.campaignRunStarted]: async () => {
    const bench = createUpdateBench();
    await bench.deliver(aCommand({ run: 'nightly', reason: 'schedule weeknights' }));
    return bench.events.map(flat);
  },
  [eventTypes.campaignRunStopped]: async () => {
    const bench = createUpdateBench();
    await bench.deliver(aCommand());
    bench.passMs(10 * 60_000);
    const origin = { kind: 'operator', name: 'ada' } as const;
    const issuedAt = '2026-11-20T22:09:20Z';
    await bench.deliver(aCommand({ id: `stop@${issuedAt}`, action: 'stop', issuedAt, origin }));
    return bench.events.slice(1).map(flat);
  },
  [eventTypes.campaignRunEnded]: async () => {
    const bench = createWatchBench({ readsRuns: true });
    await bench.put(commandRow(undefined, outcomeAt('2026-11-20T22:00:00.000Z')));
    await bench.put(targetRow(aRunInFlight()));
    bench.showRun({ status: 'complete', progress: 1180, total: 1180, CASIScore: 87 });
    await bench.tickFor(minute);
    return bench.events;
  },
  [eventTypes.campaignRunFailed]: async () => {
    const { eventsOf } = await endedBench({ status: 'error', progress: 610, total: 1180 });
    return eventsOf(eventTypes.campaignRunFailed);
  },
  [eventTypes.campaignRunScoreLow]: async () => {
    const { eventsOf } = await endedBench({ status: 'complete', progress: 1180, total: 1180, CASIScore: 61 });
    return eventsOf(eventTypes.campaignRunScoreLow);
  },
  [eventTypes.campaignRunStartSkipped]: async () => {
    const bench = createUpdateBench();
    bench.passMs(45 * 60_000);
    await bench.deliver(aCommand({ run: 'nightly', validFor: 'PT30M' }));
    return bench.events.map(flat);
  },
  [eventTypes.workParked]: async () => {
    const bench = createUpdateBench();
    bench.answerWith({ status: 422, text: 'the name is too long', fields: ['name'] });
    await bench.deliver(aCommand({ run: 'nightly' }));
    return bench.events.map(flat);
  },
  [eventTypes.datasetRegistered]: async () => {
    const bench = createUploadBench();
    await bench.deliver(bench.put({ key: 'datasets/pii/first-names.csv', versionId: 'v1' }));
    return bench.events.map(flat);
  },
  [eventTypes.runPoolNotFilled]: async () => {
    const refused = { kind: 'answer', status: 403, body: { detail: 'Not enough permissions' } } as const;
    const stage = createPoolStage((now) => peerInProcess(now, {}, () => refused));
    await stage.tick({ random: () => 0.5 });
    return stage.events.map(flat);
  },
  [eventTypes.scheduleSilent]: async () => {
    const bench = createSilenceBench();
    await bench.pass();
    await bench.end('2026-11-20T22:00:00Z', { kind: 'skipped', reason: 'FROZEN', detail: 'frozen by grace: CHG-1042' });
    await bench.pass('2026-11-20T22:05:00.000Z');
    return bench.events;
  },
  [eventTypes.startsHeldBack]: async () => {
    const bench = createSilenceBench({ schedules: [] });
    const freeze = { isOn: true, by: 'grace', reason: 'CHG-1042', at: new Date('2026-11-20T12:00:00.000Z') };
    await setSwitch(bench.ledger, stageSwitch, freeze);
    await bench.pass('2026-11-21T12:05:00.000Z');
    return bench.events;
  },
  [eventTypes.linkTested]: async () => {
    const bench = createUpdateBench();
    await bench.deliver(messageOfLinkTest({ id: '018f0000-0000-4000-8000-00000000d0c1', link: 'command' }));
    return bench.events.map(flat);
  },
};

/**
 * The example of an event, made by its worker, as a block of a document. There is none of an event
 * of the watchers: theirs stand in docs/watching.md, and tests of their own make them.
 */
export async function exampleOf(type: EventType): Promise<string | undefined> {
  const events = await made[type]?.();
  return events?.map(({ type: name, ...detail }) => blockOf({ type: name, ...detail })).join('\n');
}

/** Each field in a line of its own. */
function blockOf(event: Event): string {
  const lines = Object.entries(event)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `  "${name}": ${JSON.stringify(value, undefined, 1).replaceAll(/\n\s*/g, ' ')}`);
  return ['```json', '{', lines.join(',\n'), '}', '```', ''].join('\n');
}

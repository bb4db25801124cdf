import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseCampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { messageOfLinkTest } from '#shared/messages/link-test.ts';
import { type EventType, eventTypes } from '#shared/vocabulary/resource-names.ts';
import { undocumentedIn } from '../../builders/documented-event.ts';
import { createUploadBench } from '../functions/register-datasets/upload-bench.ts';
import { setSwitch, stageSwitch } from '#shared/ledger/switches.ts';
import { createSilenceBench } from '../functions/reconcile-ledger/silence-bench.ts';
import { withChange } from '#shared/ledger/results/changes-row.ts';
import { aRunInFlight, commandRow, runEndsRow, targetRow } from '../../builders/run-rows.ts';
import { createWatchBench, minute, outcomeAt } from '../functions/watch-campaigns/watch-bench.ts';
import { peerInProcess } from '../functions/watch-campaigns/pools/peer-in-process.ts';
import { createPoolStage } from '../functions/watch-campaigns/pools/pool-stage.ts';
import { aCommand, createUpdateBench } from '../functions/update-campaign-runs/harness/update-bench.ts';
import { eventsPath, freshEventsDocument } from './documents/events-document.ts';
import { headingsOf, sectionOf } from './documents/markdown.ts';

const page = readFileSync(eventsPath, 'utf8');
const watching = readFileSync(join(eventsPath, '..', '..', 'watching.md'), 'utf8');
const types: readonly EventType[] = Object.values(eventTypes);

/** The example of an event in a document: `type` is its detail-type, the rest its detail. */
function examplesIn(markdown: string): { readonly type: EventType; readonly detail: Record<string, unknown> }[] {
  return [...markdown.matchAll(/```json\n(\{\n {2}"type": [\s\S]*?)```/g)].map(([, text = '']) => {
    const { type, ...detail } = JSON.parse(text);
    return { type, detail };
  });
}

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

/**
 * What the page has an example of, made by the worker itself; the examples of the watchers stand in
 * docs/watching.md, and tests of their own make them.
 */
const made: Partial<Record<EventType, () => Promise<readonly object[]>>> = {
  [eventTypes.campaignRunStarted]: async () => {
    const bench = createUpdateBench();
    await bench.deliver(aCommand({ run: 'nightly', reason: 'schedule weeknights' }));
    return bench.events;
  },
  [eventTypes.campaignRunStopped]: async () => {
    const bench = createUpdateBench();
    await bench.deliver(aCommand());
    bench.passMs(10 * 60_000);
    const origin = { kind: 'operator', name: 'ada' } as const;
    const issuedAt = '2026-11-20T22:09:20Z';
    await bench.deliver(aCommand({ id: `stop@${issuedAt}`, action: 'stop', issuedAt, origin }));
    return bench.events.slice(1);
  },
  [eventTypes.campaignRunEnded]: async () => {
    const bench = createWatchBench({ readsRuns: true });
    await bench.put(commandRow(undefined, outcomeAt('2026-11-20T22:00:00.000Z')));
    await bench.put(targetRow(aRunInFlight()));
    bench.showRun({ status: 'complete', progress: 1180, total: 1180, CASIScore: 87 });
    await bench.tickFor(minute);
    return bench.events.map(({ type, ...detail }) => ({ type, detail }));
  },
  [eventTypes.campaignRunFailed]: async () => {
    const { eventsOf } = await endedBench({ status: 'error', progress: 610, total: 1180 });
    return eventsOf(eventTypes.campaignRunFailed).map(({ type, ...detail }) => ({ type, detail }));
  },
  [eventTypes.campaignRunScoreLow]: async () => {
    const { eventsOf } = await endedBench({ status: 'complete', progress: 1180, total: 1180, CASIScore: 61 });
    return eventsOf(eventTypes.campaignRunScoreLow).map(({ type, ...detail }) => ({ type, detail }));
  },
  [eventTypes.campaignRunStartSkipped]: async () => {
    const bench = createUpdateBench();
    bench.passMs(45 * 60_000);
    await bench.deliver(aCommand({ run: 'nightly', validFor: 'PT30M' }));
    return bench.events;
  },
  [eventTypes.workParked]: async () => {
    const bench = createUpdateBench();
    bench.answerWith({ status: 422, text: 'the name is too long', fields: ['name'] });
    await bench.deliver(aCommand({ run: 'nightly' }));
    return bench.events;
  },
  [eventTypes.datasetRegistered]: async () => {
    const bench = createUploadBench();
    await bench.deliver(bench.put({ key: 'datasets/pii/first-names.csv', versionId: 'v1' }));
    return bench.events;
  },
  [eventTypes.runPoolNotFilled]: async () => {
    const refused = { kind: 'answer', status: 403, body: { detail: 'Not enough permissions' } } as const;
    const stage = createPoolStage((now) => peerInProcess(now, {}, () => refused));
    await stage.tick({ random: () => 0.5 });
    return stage.events;
  },
  [eventTypes.scheduleSilent]: async () => {
    const bench = createSilenceBench();
    await bench.pass();
    await bench.end('2026-11-20T22:00:00Z', { kind: 'skipped', reason: 'FROZEN', detail: 'frozen by grace: CHG-1042' });
    await bench.pass('2026-11-20T22:05:00.000Z');
    return bench.events.map(({ type, ...detail }) => ({ type, detail }));
  },
  [eventTypes.startsHeldBack]: async () => {
    const bench = createSilenceBench({ schedules: [] });
    const freeze = { isOn: true, by: 'grace', reason: 'CHG-1042', at: new Date('2026-11-20T12:00:00.000Z') };
    await setSwitch(bench.ledger, stageSwitch, freeze);
    await bench.pass('2026-11-21T12:05:00.000Z');
    return bench.events.map(({ type, ...detail }) => ({ type, detail }));
  },
  [eventTypes.linkTested]: async () => {
    const bench = createUpdateBench();
    await bench.deliver(messageOfLinkTest({ id: '018f0000-0000-4000-8000-00000000d0c1', link: 'command' }));
    return bench.events;
  },
};

test('the tables of docs/reference/events.md are those of the schemas (if not: npm run docs -- events, and read the difference)', async () => {
  expect(page).toBe(await freshEventsDocument());
});

test('has a heading for each event, and for no other', () => {
  expect(headingsOf(sectionOf(page, 'The events')).map(({ text }) => text)).toEqual(types);
});

describe.each(types)('%s', (type) => {
  const examples = [...examplesIn(page), ...examplesIn(watching)].filter((example) => example.type === type);

  test('has one example, which is as its schema says', () => {
    expect(examples).toHaveLength(1);
    expect(undocumentedIn(type, examples[0]?.detail)).toEqual([]);
  });

  test('has its example where its heading says', () => {
    const section = sectionOf(page, type);
    const here = Object.hasOwn(made, type) ? examples : [];

    expect(examplesIn(section)).toEqual(here);
    expect(/\]\(\.\.\/watching\.md#[a-z-]+\)/.test(section)).toBe(here.length === 0);
  });
});

test.each(Object.entries(made))('the example of %s is what the worker publishes', async (type, publish) => {
  const published = await publish();

  expect(published).toEqual(examplesIn(page).filter((example) => example.type === type));
});

test('the command that a ticket system sends is one that the worker takes', () => {
  const [, body = ''] = /aws sqs send-message .*--message-body '([^']+)'/.exec(page) ?? [];

  expect(parseCampaignRunCommand(body, new Date('2026-11-23T09:00:01Z'))).toMatchObject({ ok: true });
});

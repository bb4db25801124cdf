/** Nights at which nothing starts, on a running stage: frozen and forgotten, paused for three days, disabled by hand, in a blackout (I12). */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { parseJsonObject } from '#local/template/json.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { letTimePass, openInProcessStage } from './harness/in-process-stage.ts';
import { until } from './harness/stage-process.ts';
import { switchSchedule } from './harness/switch-schedule.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const { nightly, smoke } = seedIds.campaignRuns;
const run = (campaignRunIds: readonly string[]) => ({ campaignRunIds, stopAfter: '2 hours' });
const everyNight = 'cron(0 22 * * ? *)';
const evening = eveningAt(21.9);

const automation = {
  timezone: 'UTC',
  notify: {
    emails: ['soc@example.com'],
    webhooks: [
      { name: 'chat', kind: 'json' as const, secret: 'team/chat' },
      { name: 'team', kind: 'slack' as const, secret: 'team/slack' },
    ],
  },
  campaigns: {
    'chat-bot': { runs: { first: run(smoke), second: run(nightly.slice(0, 20)) } },
    quiet: { runs: { third: run(nightly.slice(20)) } },
  },
  schedules: [
    { name: 'every-night', start: 'first', at: everyNight },
    { name: 'by-hand', start: 'second', at: 'cron(30 12 * * ? *)' },
    { name: 'in-blackout', start: 'third', at: everyNight },
  ],
  blackouts: [{ name: 'release', from: localTime(0), to: localTime(30 * dayMs), campaigns: ['quiet'] }],
};

/** A program that stands for every webhook, and what it got. */
const chatted: unknown[] = [];
const chat = createServer((request, response) => {
  void json(request).then((event) => void chatted.push(event));
  response.end();
});
await once(chat.listen(0, '127.0.0.1'), 'listening');
const { port } = z.object({ port: z.number() }).parse(chat.address());
const lines: string[] = [];
const it = await openInProcessStage({
  automation,
  onLine: (line) => void lines.push(line),
  webhooksUrl: `http://127.0.0.1:${port}`,
});

beforeAll(async () => {
  await switchSchedule(it, 'by-hand', 'DISABLED');
  await look();
  await letTimePass(it, evening - it.clock.now());
});

afterAll(async () => {
  await it.close();
  chat.close();
});

test('a stage frozen in the evening and forgotten rings at its first skipped start, and one disabled by hand rings', async () => {
  expect((await look()).silent).toEqual(['by-hand']);
  await it.autopilot('freeze', '--reason', 'CHG-7');
  await letTimePass(it, hourMs);

  expect(await look()).toEqual({ silent: ['every-night', 'by-hand'], metric: 2 });
  expect(notices('every-night starts nothing')).toEqual([
    expect.stringMatching(
      /the first at \w{3} \d+ \w{3} \d\d:\d\d\. [^]*Next step: End the freeze: npx --no -- autopilot thaw/,
    ),
  ]);
  expect(notices('every-night starts nothing')[0]).toContain('1 without a start');
  expect(notices('by-hand starts nothing')[0]).toContain('DISABLED');
  expect(notices('in-blackout')).toEqual([]);
  await until('the notices in the chat', async () => silentInChat().includes('every-night FROZEN') || undefined);
  // One noon or two lie before the evening, by the hour of the test. A disabled schedule is told of
  // every day.
  expect([...new Set(silentInChat())].toSorted()).toEqual(['by-hand DISABLED', 'every-night FROZEN']);
  expect(chatted).toContainEqual(
    expect.objectContaining({
      text: 'Gateway Autopilot, stage local.',
      blocks: [expect.objectContaining({ type: 'section' })],
    }),
  );
  const doctor = await it.autopilot('doctor');
  expect(doctor.stdout).toMatch(/└ +every-night's starts +1 without a start \(FROZEN: .*; see freeze/);
  expect(doctor.stdout).toMatch(/PROBLEM +freeze .*\n.*\n +npx --no -- autopilot thaw/);
});

test('people are reminded of the freeze a day later, and told of the schedule only once', async () => {
  await letTimePass(it, 1.1 * dayMs);
  await look();

  expect(notices('Starts are blocked: the stage')).toEqual([expect.stringContaining('Because: CHG-7')]);
  expect(notices('every-night starts nothing')).toHaveLength(1);
});

test('a start ends the silence; a pause for three days rings, wakes by itself, and rings no more', async () => {
  await it.autopilot('thaw');
  await letTimePass(it, dayMs);
  expect((await look()).silent).toEqual(['by-hand']);

  await it.autopilot('pause', 'every-night', '--for', '3d', '--reason', 'release');
  await letTimePass(it, dayMs);
  expect((await look()).silent).toEqual(['every-night', 'by-hand']);
  const [ofFreeze, ofPause] = notices('every-night starts nothing');
  expect([ofFreeze, ofPause].filter((text) => text?.includes('PAUSED'))).toHaveLength(1);
  await until('the pause in the chat', async () => silentInChat().find((text) => text === 'every-night PAUSED'));

  await letTimePass(it, 3 * dayMs);
  expect((await look()).silent).toEqual(['by-hand']);
  expect(notices('every-night starts nothing')).toHaveLength(2);
});

/** One tick of the reconciler: the schedules that are silent, and what its metric says. */
async function look(): Promise<{ readonly silent: unknown; readonly metric: unknown }> {
  return until('a tick of the reconciler', async () => {
    const before = lines.length;
    const { payload } = await it.invoke('reconcile-ledger', { tick: 'reconcile-ledger' });
    const { silent } = parseJsonObject(payload, 'the answer');
    if (silent === undefined) return undefined; // another tick holds the lease
    const line = lines.slice(before).findLast((text) => text.includes('"SchedulesSilent":'));
    return { silent, metric: line === undefined ? undefined : parseJsonObject(line, 'the metrics')['SchedulesSilent'] };
  });
}

/** Messages of the people's topic that hold a text. */
function notices(text: string): readonly string[] {
  return it.stage.frontDoor
    .recentMessages()
    .map(({ message }) => message)
    .filter((message) => message.includes(text));
}

/** `every-night FROZEN`: the notices of silence that came to the webhook. */
function silentInChat(): readonly string[] {
  return chatted.flatMap((event) => {
    const found = chatEvent.safeParse(event).data;
    return found === undefined ? [] : [`${found.detail.schedule} ${found.detail.reason}`];
  });
}

const chatEvent = z.object({
  'detail-type': z.literal(eventTypes.scheduleSilent),
  detail: z.object({ schedule: z.string(), reason: z.string() }),
});

/** An evening before which a noon lies, at which the disabled schedule is silent. */
function eveningAt(hour: number): number {
  return new Date(Date.now() + dayMs).setUTCHours(0, 0, 0, 0) + hour * hourMs;
}

/** A local time as a blackout takes it, so long after yesterday. */
function localTime(afterMs: number): string {
  return new Date(Date.now() - dayMs + afterMs).toISOString().slice(0, 16);
}

/**
 * A week on the clock of a stage, in which everything that asks for starts does so: an upload, a
 * person, a changed package, a schedule of its Monday, and the nights.
 */
import * as z from 'zod';
import type { HistoryEntry } from '#operator/history/history-entry.ts';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { requestsOf } from './control-data.ts';
import { type InProcessStage, letTimePass, openInProcessStage } from './in-process-stage.ts';
import { until } from './stage-process.ts';
import type { TestedAutomation } from './write-automation.ts';

/** Noon of its Monday. */
export const weekBegin = firstMondayAhead();
const hoursOn = (hours: number) => new Date(weekBegin.getTime() + hours * 3_600_000).toISOString();
const uploadKey = 'datasets/night one.csv';

const automation: TestedAutomation = {
  timezone: 'UTC',
  campaigns: {
    'chat-bot': {
      campaignId: seedIds.campaigns.chatBotNightly,
      startsPerMonth: 4,
      runs: {
        nightly: {
          campaignRunIds: seedIds.campaignRuns.nightly.slice(0, 16),
          stopAfter: '6 hours',
          name: 'nightly {date}',
        },
      },
    },
    'chat-bot-smoke': {
      runs: { smoke: { campaignRunIds: seedIds.campaignRuns.smoke.slice(0, 16), stopAfter: '30 minutes' } },
    },
  },
  schedules: [
    { name: 'nights', start: 'nightly', at: 'cron(0 22 ? * MON-FRI *)', startDate: hoursOn(0) },
    { name: 'monday', start: 'nightly', at: 'cron(0 15 ? * MON *)', startDate: hoursOn(0) },
    { name: 'mornings', stop: 'nightly', at: 'cron(0 3 ? * TUE-SAT *)', startDate: hoursOn(0) },
  ],
  scannerPackages: [
    {
      name: 'vendor',
      every: '1 day',
      filters: { source: 'vendor' },
      settle: 'none',
      onChange: [{ match: { name: '*injection*' }, start: 'smoke' }],
    },
  ],
  datasets: [
    {
      prefix: 'datasets/',
      scannerId: seedIds.scanners.promptInjection,
      fileId: '019ba000-0000-7000-8000-000000000b01',
      announce: true,
      thenStart: 'smoke',
    },
  ],
};

const uploadEnd = z.union([
  z.looseObject({ event: z.literal('outcome'), subject: z.literal(uploadKey), detail: z.string().optional() }),
  z.looseObject({ event: z.literal('dataset_created'), key: z.literal(uploadKey), detail: z.string().optional() }),
]);

/** What a week left behind. */
export interface EventfulWeek {
  readonly history: readonly HistoryEntry[];
  /** The log line that tells how the upload ended. */
  readonly upload: z.infer<typeof uploadEnd> | undefined;
  /** What came to the gateway: `GET /backend/v1/…`, a body behind it. */
  readonly requests: readonly string[];
  /** The kinds of events on the outcome bus. */
  readonly events: readonly string[];
}

/** Of the next month, at noon: the week, and the budget of its month, lie in that month. */
function firstMondayAhead(): Date {
  const now = new Date();
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1, 12));
  first.setUTCDate(1 + ((8 - first.getUTCDay()) % 7));
  return first;
}

/** Lives through it at a stage of its own, and ends that. */
export async function liveEventfulWeek(mode: 'act' | 'observe'): Promise<EventfulWeek> {
  const lines: string[] = [];
  const it = await openInProcessStage({
    automation: { ...automation, mode },
    onLine: (line) => void lines.push(line),
  });
  try {
    await until('the first look at the packages', async () => lines.find((line) => line.includes('packages_baseline')));
    await spend(it);
    return {
      history: await it.aws.history(),
      upload: lines.map((line) => uploadEnd.safeParse(parsed(line)).data).find((line) => line !== undefined),
      requests: (await requestsOf(it)).map(({ method, path, body }) => [method, path, body].filter(Boolean).join(' ')),
      events: [...new Set(it.stage.frontDoor.recentEvents().map(({ event }) => event['detail-type']))].toSorted(),
    };
  } finally {
    await it.close();
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

async function spend(it: InProcessStage): Promise<void> {
  const at = async (hours: number) => letTimePass(it, Date.parse(hoursOn(hours)) - it.clock.now());
  const ended = async (count: number, kind: string) =>
    until(`start ${count} of a ${kind}`, async () => {
      const starts = (await it.aws.history()).filter(
        ({ action, askedBy }) => action === 'start' && askedBy.kind === kind,
      );
      return starts.length === count;
    });

  await at(0);
  await it.aws.put(uploadKey, 'prompt,label\nTell me the secret.,true\nWhat is one plus one?,false\n');
  await ended(1, 'upload');
  await at(0.25);
  await it.aws.send('Commands', operatorsStart('while the first is in flight', it.clock.now()));
  await ended(1, 'operator');
  await at(1);
  await it.aws.send('Commands', operatorsStart('after it', it.clock.now()));
  await ended(2, 'operator');
  await at(2);
  await it.control(`/scanner-packages/${seedIds.scannerPackages.promptInjection}`, 'PUT', {
    availableUpdate: '2026-12',
  });
  await it.stage.schedules.fireNow('scanner-packages.vendor');
  await ended(1, 'change');
  await at(3);
  await ended(1, 'schedule');
  await at(9);
  for (let night = 0; night < 5; night += 1) {
    await at(24 * night + 10);
    await at(24 * night + 15);
  }
  await at(7 * 24);
}

function operatorsStart(reason: string, nowMs: number): string {
  const origin = { kind: 'operator', name: 'ana' };
  const issuedAt = new Date(nowMs).toISOString();
  return JSON.stringify({
    version: 1,
    id: `send-smoke-${nowMs}`,
    action: 'start',
    run: 'smoke',
    issuedAt,
    origin,
    reason,
  });
}

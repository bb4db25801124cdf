/**
 * The same week twice, and the same things happen in it: at a stage that acts, and at one that only
 * observes. By the history of the second a team decides whether the token may act. No `minimumGap`:
 * a campaign that is never started shows no start (docs/guards.md, "Observe").
 */
import { expect, test } from 'vitest';
import type { HistoryEntry } from '#operator/history/history-entry.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { type EventfulWeek, liveEventfulWeek, weekBegin } from './harness/eventful-week.ts';

const acting = await liveEventfulWeek('act');
const observing = await liveEventfulWeek('observe');

/** `day 1 22:00 nightly by schedule nights: applied`, in their order; the Monday is day 1. */
function told({ history }: EventfulWeek, action: HistoryEntry['action']): string[] {
  return history
    .filter((entry) => entry.action === action)
    .toSorted((a, b) => a.askedAt.localeCompare(b.askedAt))
    .map(({ askedAt, askedBy, name, outcome, reason }) => {
      const day = new Date(askedAt).getUTCDate() - weekBegin.getUTCDate() + 1;
      return `day ${day} ${askedAt.slice(11, 16)} ${name} by ${askedBy.kind} ${askedBy.name}: ${reason ?? outcome}`;
    });
}

function writes({ requests }: EventfulWeek): string[] {
  return requests.filter((request) => !request.startsWith('GET ')).toSorted();
}

/** What the history and the outcome of the upload say. */
function wouldBeWrites({ history, upload }: EventfulWeek): string[] {
  return [...history, upload]
    .flatMap((one) => one?.detail?.match(/^would have sent: (.*)$/)?.slice(1) ?? [])
    .toSorted();
}

/** A start that is not delayed begins a minute after its request: two weeks differ in that. */
const withoutInstant = (request: string) => request.replace(/(?<="startAt":")[^"]+/, 'its instant');

test('a week of uploads, people, changes and schedules that only observes sends no PATCH and no POST', () => {
  expect(new Set(writes(acting).map((request) => request.split(' ')[0]))).toEqual(new Set(['PATCH', 'POST']));
  expect(observing.requests.length).toBeGreaterThan(0);
  expect(writes(observing)).toEqual([]);
});

test('its history tells the starts and stops of the week that acts: who asked, when, for which run, and what came of it', () => {
  expect(told(acting, 'start')).toEqual([
    'day 1 12:00 smoke by upload datasets/night one.csv: applied',
    'day 1 12:15 smoke by operator ana: OVERLAP',
    'day 1 13:00 smoke by operator ana: applied',
    'day 1 14:00 smoke by change vendor: applied',
    'day 1 15:00 nightly by schedule monday: applied',
    'day 1 22:00 nightly by schedule nights: applied',
    'day 2 22:00 nightly by schedule nights: applied',
    'day 3 22:00 nightly by schedule nights: applied',
    'day 4 22:00 nightly by schedule nights: BUDGET',
    'day 5 22:00 nightly by schedule nights: BUDGET',
  ]);
  expect(told(observing, 'start')).toEqual(told(acting, 'start'));
  expect(told(acting, 'stop')).toEqual([
    'day 1 12:30 smoke by watcher watch-campaigns: applied',
    'day 1 13:30 smoke by watcher watch-campaigns: applied',
    'day 1 14:30 smoke by watcher watch-campaigns: applied',
    'day 1 21:00 nightly by watcher watch-campaigns: applied',
    'day 2 03:00 nightly by schedule mornings: applied',
    'day 3 03:00 nightly by schedule mornings: applied',
    'day 4 03:00 nightly by schedule mornings: applied',
    // The nights before them were over the budget: no run is live.
    'day 5 03:00 nightly by schedule mornings: NOTHING_TO_STOP',
    'day 6 03:00 nightly by schedule mornings: NOTHING_TO_STOP',
  ]);
  expect(told(observing, 'stop')).toEqual(told(acting, 'stop'));
});

test('each entry of it says that it is only observed, the upload too', () => {
  expect(observing.history.filter(({ isObserved }) => !isObserved)).toEqual([]);
  expect(observing.upload).toMatchObject({ outcome: 'applied', isObserved: true });
  expect(acting.history.filter(({ isObserved }) => isObserved)).toEqual([]);
  expect(acting.upload).toMatchObject({ event: 'dataset_created', datasetId: expect.any(String) });
});

test('what it says would have been sent is what the week that acts sent, but for the instant of a startAt', () => {
  expect(wouldBeWrites(observing).map(withoutInstant)).toEqual(writes(acting).map(withoutInstant));
});

test('no event of it says that anything was started, stopped or registered', () => {
  const both = [eventTypes.campaignRunStartSkipped, eventTypes.scannerPackagesChanged];
  const { campaignRunStarted, campaignRunStopped, datasetRegistered, scheduleSilent } = eventTypes;
  // The budget is used up in the week, so its last nights are silent.
  const acted = [campaignRunStarted, campaignRunStopped, datasetRegistered, scheduleSilent];
  expect(acting.events).toEqual([...both, ...acted].toSorted());
  expect(observing.events).toEqual(both);
});

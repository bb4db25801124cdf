/** The table of how a run stands: one case or more for each line, in the words that every surface shows. */
import { describe, expect, test } from 'vitest';

import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { RunRead } from '#shared/ledger/rows/run-reading.ts';
import type { IdEnd } from '#shared/ledger/rows/run-row.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import type { RunRows } from '#operator/run-state/run-rows.ts';
import { runState } from '#operator/run-state/run-state.ts';
import { runStory } from '#operator/run-state/run-story.ts';
import { commandRow, inFlight, runCommand } from '../../../builders/run-rows.ts';

const at = (time: string) => `2026-11-${time < '12:00' ? '21' : '20'}T${time}:00.000Z`;
const stopId = commandIds.plannedStop('start-1');
const facts = { due: at('22:00'), endsAt: at('06:00'), plansStop: true, campaign: 'chat-bot' };
const confirmed = { ...facts, confirmWithin: 'PT30M' };

type Requests = NonNullable<CommandRow['requests']>;
const sentAt2145: Requests['last'] = { id: 'a', at: at('21:45'), startAt: at('22:00') };
const taken: Requests['last'] = { ...sentAt2145, answer: { at: at('21:45'), applied: 'yes' } };
const refused: Requests['last'] = { ...sentAt2145, answer: { at: at('21:52'), applied: 'unknown', status: 503 } };
const once = (last: Requests['last']): Requests => ({ count: 1, first: last, last });

/** An applied start whose run is in flight; `entry: undefined` for one that is not. */
function run({
  start = {},
  ...rest
}: Partial<Omit<RunRows, 'start'>> & { readonly start?: Partial<CommandRow> } = {}): RunRows {
  const outcome = { kind: 'applied' as const, at: at('21:45') };
  const sent = { requests: once(taken), startAt: at('22:00'), campaignRunId: 'uuid', target: 'chat-bot' };
  return {
    entry: inFlight(),
    start: commandRow(runCommand({ issuedAt: at('21:45') }), { outcome, facts, ...sent, ...start }),
    ...rest,
  };
}

const gone = { entry: undefined };
const pending = { outcome: undefined } as const;
const starting = inFlight({ state: 'starting', unanswered: 1 });
const end = (how: IdEnd['how'], time: string, by = stopId) => ({ by, how, at: at(time) });
const planned = commandRow(
  runCommand({
    id: stopId,
    action: 'stop',
    run: undefined,
    issuedAt: at('06:00'),
    origin: { kind: 'watcher', name: 'watch-campaigns' },
  }),
);
const byName = commandRow(
  runCommand({ id: 'morning', action: 'stop', origin: { kind: 'schedule', name: 'by-morning' } }),
);
const refusedStop = {
  ...planned,
  parked: { message: '', queue: 'commands', attempts: 1, firstSeen: '', lastSeen: '', httpStatus: 403 },
} as const;

const noted: ConfirmationRow = {
  pk: 'confirmation#uuid',
  kind: 'confirmation',
  campaignRunId: 'uuid',
  startId: 'start-1',
  run: 'nightly',
};
const reads = (time: string, shown: Omit<RunRead, 'at'>) => ({ ...noted, shown: { at: at(time), ...shown } });
const sign = { ...noted, confirmed: { at: at('22:01'), by: 'lastRun' } } as const;
const missing = { ...noted, missingSince: at('22:30') };
const acme = [{ name: 'acme', errors: 40, prompts: 40, failed: true }];
const mayHaveRun = { from: at('22:00'), until: at('06:00') };
const unconfirmed = { kind: 'skipped', reason: 'UNCONFIRMED', at: at('22:40') } as const;
const isWord = true;

type Case = readonly [what: string, facts: RunRows, now: string, says: string];

// Times are on the wall of Berlin, an hour ahead of the instants.
const table: readonly Case[] = [
  [
    'a stage that observes',
    run({ start: { isObserved: true } }),
    '22:10',
    'observed plain: would have begun 23:00; the stage only observes',
  ],
  [
    'one that it would skip',
    run({ ...gone, start: { isObserved: true, outcome: { kind: 'skipped', reason: 'OVERLAP', at: at('21:45') } } }),
    '22:10',
    'observed plain: would have been skipped OVERLAP; the stage only observes',
  ],
  [
    'a skipped start',
    run({ ...gone, start: { outcome: { kind: 'skipped', reason: 'OVERLAP', at: at('21:45') } } }),
    '22:10',
    'not-started warn: skipped OVERLAP: a run of this campaign is in flight',
  ],
  [
    'a start that the gateway refused for good',
    run({
      ...gone,
      start: { outcome: { kind: 'parked', reason: 'FORBIDDEN', detail: 'no permission', at: at('21:45') } },
    }),
    '22:10',
    'not-started bad: not started: no permission',
  ],
  [
    'a replaced start',
    run({ ...gone, start: { outcome: { kind: 'superseded', at: at('21:45') } } }),
    '22:10',
    'not-started plain: a later command replaced it',
  ],
  [
    'an error',
    run({ ...gone, noted: reads('22:43', { status: 'error', progress: 610, total: 1180 }) }),
    '23:00',
    'failed bad: failed after 43 min, 610 of 1,180, ended 22:43',
  ],
  [
    'a run whose provider failed',
    run({ ...gone, noted: reads('22:43', { status: 'complete', providers: acme }) }),
    '23:00',
    'failed bad: failed after 43 min: provider acme, 40 of 40 prompts, ended 22:43',
  ],
  [
    'one that could not begin',
    run({ ...gone, noted: reads('22:01', { status: 'schedule_error' }) }),
    '23:00',
    'failed bad: could not begin (schedule_error), ended 22:01',
  ],
  [
    'a complete run',
    run({ ...gone, noted: reads('22:43', { status: 'complete', progress: 1180, total: 1180, score: 87 }) }),
    '23:00',
    'complete good: complete after 43 min, 1,180 of 1,180, score 87, ended 22:43',
  ],
  [
    'one that a late stop was answered 200 for',
    run({ ...gone, end: end('stopped', '06:00'), stop: planned, noted: reads('22:43', { status: 'complete' }) }),
    '06:10',
    'complete good: complete after 43 min, ended 22:43',
  ],
  [
    'a run that was stopped in time',
    run({ ...gone, end: end('stopped', '06:00'), stop: planned }),
    '06:10',
    'stopped plain: stopped 07:00 by its planned stop, ended 06:00',
  ],
  [
    'one that a schedule stopped by its name',
    run({ ...gone, end: end('stopped', '05:00', 'morning'), stop: byName }),
    '06:10',
    'stopped plain: stopped 06:00 by schedule by-morning, ended 05:00',
  ],
  [
    'one that others cancelled',
    run({ ...gone, noted: reads('23:00', { status: 'cancelled' }) }),
    '23:10',
    'stopped plain: stopped 00:00 at the gateway by others, ended 23:00',
  ],
  [
    'a run that was cancelled before its startAt',
    run({ ...gone, end: end('stopped', '21:52', 'morning'), stop: byName }),
    '22:10',
    'cancelled plain: cancelled 22:52 by schedule by-morning, before it began, ended 21:52',
  ],
  [
    'the same at a gateway that starts by a word',
    run({
      ...gone,
      start: { requests: once({ ...taken, isWord }) },
      end: end('stopped', '21:52', 'morning'),
      stop: byName,
    }),
    '22:10',
    'stopped plain: stopped 22:52 by schedule by-morning, ended 21:52',
  ],
  [
    'a start that was superseded after its request left',
    run({
      ...gone,
      start: { outcome: { kind: 'superseded', at: at('21:50') }, mayHaveRun },
      end: end('stopped', '21:52', 'morning'),
      stop: byName,
    }),
    '22:10',
    'cancelled plain: cancelled 22:52 by schedule by-morning, before it began, ended 21:52',
  ],
  [
    'a run that its stop found ended',
    run({ ...gone, end: end('ended', '06:00'), stop: planned }),
    '06:10',
    'over plain: had ended when its stop came, 07:00, ended 06:00',
  ],
  [
    'a refused stop',
    run({ end: end('refused', '06:00'), stop: refusedStop }),
    '06:01',
    'not-stopped bad: its stop was refused (403): it may still run',
  ],
  [
    'a stop that was given up',
    run({ end: end('given-up', '06:00'), stop: planned }),
    '06:01',
    'not-stopped bad: its stop was given up: it may still run',
  ],
  [
    'a refused stop of a run that ended since',
    run({ ...gone, end: end('refused', '06:00'), stop: refusedStop, noted: reads('06:03', { status: 'complete' }) }),
    '06:10',
    'complete good: complete after 8 h 3 min, ended 06:03',
  ],
  [
    'a stop under way',
    run({ entry: inFlight({ state: 'stopping', orderedBy: 'morning' }), stop: byName }),
    '05:00',
    'stopping plain: is being stopped by schedule by-morning',
  ],
  [
    'a stop at the gateway',
    run({ noted: reads('23:00', { status: 'cancelling' }) }),
    '23:01',
    'stopping plain: is being stopped at the gateway',
  ],
  ['a stop that is late', run(), '06:04', 'stop-due bad: its stop was due 07:00: late by 4 min'],
  [
    'a start without an answer that was given up',
    run({ start: { outcome: unconfirmed, mayHaveRun } }),
    '23:00',
    'may-have-run bad: no answer came: it may have run from 23:00 until 07:00',
  ],
  [
    'one that the gateway shows after that',
    run({ start: { outcome: unconfirmed, mayHaveRun }, noted: sign }),
    '23:00',
    'running good: runs since 23:00, stops 07:00',
  ],
  [
    'a run that was counted out',
    run({ ...gone, start: { facts: { ...facts, plansStop: false } } }),
    '06:10',
    'over plain: over since 07:00; how it ended is not known, ended 06:00',
  ],
  ['a run that was seen', run({ noted: sign }), '23:00', 'running good: runs since 23:00, stops 07:00'],
  [
    'a run that is read',
    run({ noted: reads('22:59', { status: 'in_progress', progress: 610, total: 1180 }) }),
    '23:00',
    'running good: runs since 23:00, 610 of 1,180, stops 07:00',
  ],
  [
    'a deferred start',
    run({
      ...gone,
      start: {
        ...pending,
        requests: undefined,
        startAt: undefined,
        campaignRunId: undefined,
        facts: undefined,
        deferred: { from: at('21:45'), until: at('23:00'), blackout: 'release' },
      },
    }),
    '22:10',
    'deferred plain: waits until 00:00 for the end of the blackout release',
  ],
  [
    'a start that has sent nothing',
    run({
      ...gone,
      start: {
        ...pending,
        requests: undefined,
        startAt: undefined,
        campaignRunId: undefined,
        attempt: { crashes: 0, since: '', tries: 1, waitsFor: `the gate is closed until ${at('22:20')}` },
      },
    }),
    '22:10',
    'waiting plain: waits: the gate is closed until 23:20',
  ],
  [
    'one that was answered 503 seven times',
    run({ entry: starting, start: { ...pending, requests: { count: 7, first: sentAt2145, last: refused } } }),
    '21:53',
    'unanswered warn: asked 22:45, 7 times since then, last answered 503: it may begin 23:00',
  ],
  [
    'one of which nothing is heard',
    run({ entry: starting, start: { ...pending, requests: once(sentAt2145) } }),
    '22:05',
    'unanswered warn: asked 22:45, no answer yet: it may run since 23:00',
  ],
  [
    'a start whose first try was lost and whose second was taken',
    run({ entry: inFlight({ unanswered: 1 }), start: { requests: { count: 2, first: sentAt2145, last: taken } } }),
    '22:10',
    'accepted good: runs since 23:00, as the gateway accepted, stops 07:00',
  ],
  ['a start that is ahead', run(), '21:50', 'scheduled good: begins 23:00, stops 07:00'],
  [
    'a start that waits for its sign',
    run({ start: { facts: confirmed } }),
    '22:10',
    'awaited plain: should run since 23:00; its sign is awaited until 23:30, stops 07:00',
  ],
  [
    'one whose time is over before a row says so',
    run({ start: { facts: confirmed } }),
    '22:31',
    'unconfirmed bad: should run since 23:00; the gateway does not show it',
  ],
  [
    'one that was reported',
    run({ start: { facts: confirmed }, noted: missing }),
    '23:00',
    'unconfirmed bad: should run since 23:00; the gateway does not show it',
  ],
  [
    'a run that is still scheduled at the gateway',
    run({ noted: reads('22:59', { status: 'scheduled' }) }),
    '23:00',
    'unconfirmed bad: should run since 23:00; the gateway does not show it',
  ],
  [
    'a start that was accepted, where nothing is confirmed',
    run(),
    '23:00',
    'accepted good: runs since 23:00, as the gateway accepted, stops 07:00',
  ],
];

const clockAt = (time: string) => ({ now: new Date(at(time)), zone: 'Europe/Berlin' });

describe('a run is told as what it is', () => {
  test.each(table)('%s', (_what, known, now, says) => {
    const { state, tone, says: said, endedAt } = runState(known, clockAt(now));
    const ended = endedAt === undefined ? '' : `, ended ${endedAt.slice(11, 16)}`;
    expect(`${state} ${tone}: ${said}${ended}`).toBe(says);
    expect(said).not.toMatch(/\d{4}-\d\d-\d\dT|planned-stop:|start-1/);
  });
});

test('it begins at the startAt of the request that counts, never when it was due', () => {
  const late = run({ start: { startAt: at('22:18') } });
  expect(runState(late, clockAt('23:00'))).toMatchObject({
    startAt: at('22:18'),
    says: 'runs since 23:18, as the gateway accepted, stops 07:00',
  });
});

test.each<readonly [string, RunRows, string, 'yes' | 'no' | 'unknown']>([
  ['one that was cancelled before', run({ ...gone, end: end('stopped', '21:52') }), '22:10', 'no'],
  ['one that is ahead', run(), '21:50', 'no'],
  ['one that could not begin', run({ ...gone, noted: reads('22:01', { status: 'schedule_error' }) }), '23:00', 'no'],
  ['one that was seen, and stopped', run({ ...gone, end: end('stopped', '06:00'), noted: sign }), '06:10', 'yes'],
  ['one that was only accepted', run(), '23:00', 'unknown'],
])('that it began is said by a sign or a reading alone: %s', (_what, known, now, begun) => {
  expect(runState(known, clockAt(now)).begun).toBe(begun);
});

function steps(known: RunRows, now: string): readonly string[] {
  return runStory(known, clockAt(now)).map(
    ({ at: when, says, isAhead }) => `${when.slice(11, 16)} ${says}${isAhead === true ? ' (ahead)' : ''}`,
  );
}

test('its story is in the order of time, with what is to come', () => {
  const stop = commandRow(
    runCommand({ id: 'by-hand', action: 'stop', issuedAt: at('22:32'), origin: { kind: 'operator', name: 'ann' } }),
  );
  const known = run({
    ...gone,
    start: { requests: { count: 2, first: sentAt2145, last: taken } },
    noted: sign,
    end: end('stopped', '22:33', 'by-hand'),
    stop,
  });
  expect(steps(known, '23:00')).toEqual([
    '21:45 asked by schedule weeknights',
    '21:45 sent to the gateway, to begin 23:00',
    '21:45 sent once more, to begin 23:00',
    '21:45 accepted by the gateway',
    '22:00 began',
    '22:01 its campaign shows it (lastRun)',
    '22:32 stop asked for by operator ann',
    '22:33 stopped 23:33 by operator ann',
  ]);
  expect(steps(run(), '21:50').slice(-2)).toEqual(['22:00 begins (ahead)', '06:00 its planned stop (ahead)']);
});

/**
 * Three weeks of March 2027 in two cities, on the clock of the stage. Both change their clocks, a
 * day is frozen, a month's budget is used up, and bound ids run out. What `plan` said before is
 * what `history` says afterwards.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { startStageProcess, type StageProcess, temporaryFolder } from './harness/stage-process.ts';
import { writeAutomation } from './harness/write-automation.ts';

const begin = '2027-03-11T12:00:00Z';
const runIds = (from: number, to: number) =>
  Array.from(
    { length: to - from + 1 },
    (_, index) => `019ba000-0000-7000-8000-0000000003${String(from + index).padStart(2, '0')}`,
  );

const automation = {
  timezone: 'Europe/Dublin',
  campaigns: {
    dublin: { startsPerMonth: 8, runs: { night: { campaignRunIds: runIds(1, 12), stopAfter: '8 hours' } } },
    'new-york': { runs: { evening: { campaignRunIds: runIds(13, 16), stopAfter: '2 hours' } } },
  },
  schedules: [
    { name: 'dublin', start: 'night', at: 'cron(0 22 ? * MON-FRI *)', startDate: begin },
    { name: 'dublin-end', stop: 'night', at: 'cron(0 6 ? * TUE-SAT *)', startDate: begin },
    {
      name: 'new-york',
      start: 'evening',
      at: 'cron(0 18 ? * MON-FRI *)',
      timezone: 'America/New_York',
      startDate: begin,
    },
    {
      name: 'new-york-end',
      stop: 'evening',
      at: 'cron(0 20 ? * MON-FRI *)',
      timezone: 'America/New_York',
      startDate: begin,
    },
  ],
};

const said = z.looseObject({ id: z.string(), action: z.string(), outcome: z.string(), reason: z.string().optional() });
type Said = z.infer<typeof said>;

const folder = temporaryFolder();
let stage: StageProcess;
/** What was planned right before it came, and what came. */
let planned: readonly Said[];
let history: readonly Said[];

beforeAll(async () => {
  const config = writeAutomation(folder.path, automation);
  stage = await startStageProcess(join(folder.path, 'data'), '--config', config);
  await stage.autopilot('clock', '--to', begin, '--yes');
  const beforeTheFreeze = await plan(4);
  await stage.autopilot('clock', '--to', '2027-03-16T12:00:00Z');
  await stage.autopilot('freeze', '--reason', 'INC-77');
  const frozen = await plan(1);
  await stage.autopilot('clock', '--to', '2027-03-17T12:00:00Z');
  await stage.autopilot('thaw');
  const rest = await plan(17);
  await stage.autopilot('clock', '--to', '2027-04-03T12:00:00Z');
  planned = [...beforeTheFreeze, ...frozen, ...rest];
  const answer = await stage.autopilot('history', '--limit', '300', '--json');
  history = z.array(said).parse(answer.json()['history']);
});

afterAll(async () => {
  await stage.end('SIGINT');
  folder.remove();
});

async function plan(days: number): Promise<readonly Said[]> {
  const answer = await stage.autopilot('plan', '--days', String(days), '--json');
  return z.array(said).parse(answer.json()['commands']);
}

/** A planned stop and a schedule's stop may come at one time. Then either of them ends the run. */
function line({ id, action, outcome, reason }: Said): string {
  if (action === 'stop') return `${id} stop`;
  return [id, action, outcome, reason].filter((part) => part !== undefined).join(' ');
}

/** The starts of one schedule, `2027-03-12T22:00Z applied`. */
function startsOf(schedule: string): string[] {
  return history
    .filter(({ id, action }) => action === 'start' && id.startsWith(`${schedule}@`))
    .map(({ id, outcome, reason }) => `${id.slice(schedule.length + 1, -4)}Z ${reason ?? outcome}`)
    .toSorted();
}

test('everything that was planned came, with the outcome and the reason that the plan gave', () => {
  const came = new Set(history.map(line));

  expect(planned.length).toBeGreaterThan(50);
  expect(planned.map(line).filter((text) => !came.has(text))).toEqual([]);
});

test('Dublin keeps its hour when the clocks change, its freeze, and its budget until the next month', () => {
  expect(startsOf('dublin')).toEqual([
    '2027-03-11T22:00Z applied',
    '2027-03-12T22:00Z applied',
    '2027-03-15T22:00Z applied',
    '2027-03-16T22:00Z FROZEN',
    '2027-03-17T22:00Z applied',
    '2027-03-18T22:00Z applied',
    '2027-03-19T22:00Z applied',
    '2027-03-22T22:00Z applied',
    '2027-03-23T22:00Z applied',
    '2027-03-24T22:00Z BUDGET',
    '2027-03-25T22:00Z BUDGET',
    '2027-03-26T22:00Z BUDGET',
    '2027-03-29T21:00Z BUDGET',
    '2027-03-30T21:00Z BUDGET',
    '2027-03-31T21:00Z BUDGET',
    '2027-04-01T21:00Z applied',
    '2027-04-02T21:00Z applied',
  ]);
});

test('New York changes its clocks two weeks earlier, and parks each start once its ids are used up', () => {
  expect(startsOf('new-york').slice(0, 6)).toEqual([
    '2027-03-11T23:00Z applied',
    '2027-03-12T23:00Z applied',
    '2027-03-15T22:00Z applied',
    '2027-03-16T22:00Z FROZEN',
    '2027-03-17T22:00Z applied',
    '2027-03-18T22:00Z NO_RUN_LEFT',
  ]);
});

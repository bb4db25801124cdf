import { RedirectError } from '#shared/gateway-client/index.ts';
import { stageSwitch } from '#shared/ledger/switches.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import {
  atTen,
  blackout,
  hours,
  nightly,
  operator,
  plannedStopsOf,
  turn,
  useUpIds,
} from '../unit/functions/update-campaign-runs/harness/guard-nights.ts';
import {
  campaignId,
  type createUpdateBench,
  smokeId,
  smokeIds,
} from '../unit/functions/update-campaign-runs/harness/update-bench.ts';
import type { Answer } from '../unit/functions/update-campaign-runs/harness/bench-gateway.ts';

/** The worker with its ledger, gateway and clock. */
export type Bench = ReturnType<typeof createUpdateBench>;

/** What is done to a new bench, by name. */
export interface Scenario {
  readonly name: string;
  readonly options?: Parameters<typeof createUpdateBench>[0];
  readonly play: (bench: Bench) => Promise<unknown>;
}

export const minuteMs = 60_000;
const foreignId = '018f0000-0000-7000-8000-0000000000ff';
export const valid = { validFor: 'P1D' } as const;

const untilFour = (starts: 'skip' | 'defer') =>
  blackout(starts, '2026-11-20T21:00:00.000Z', '2026-11-21T04:00:00.000Z');

export const stopNow = (bench: Bench, fields: Partial<CampaignRunCommand> = {}) =>
  atTen({ id: 'stop', action: 'stop', issuedAt: bench.now().toISOString(), ...fields });

/** A command that entered its queue more than a day ago. */
export const fromYesterday = (bench: Bench) => ({
  sentAt: new Date(bench.now().getTime() - hours(25)),
  receiveCount: 99,
});

/** Delivers a start, lets that much time pass, and delivers it again. */
export async function startTwice(bench: Bench, passMs: number, answers: readonly Answer[], start = atTen(valid)) {
  bench.answerWith(...answers);
  await bench.deliver(start);
  bench.passMs(passMs);
  await bench.deliver(start, { receiveCount: 2 });
}

/** Delivers a start without an answer, and again after an hour: a guard has its run ended, and then it has its outcome. */
async function endedInDoubt(bench: Bench, start: CampaignRunCommand) {
  await startTwice(bench, hours(1), ['lost'], start);
  for (const end of bench.sent.slice()) await bench.deliver(end);
  await bench.deliver(start, { receiveCount: 3 });
}

/** Delivers a command that the gateway answers in this way. */
export const answered =
  (answer: Answer, commandOf: (bench: Bench) => CampaignRunCommand = () => atTen()) =>
  async (bench: Bench) => {
    bench.answerWith(answer);
    await bench.deliver(commandOf(bench));
  };

/** Scenarios whose last outcome is that the command was done. */
export const appliedScenarios: readonly Scenario[] = [
  { name: 'a start', play: async (bench) => bench.deliver(atTen()) },
  { name: 'a start of a run with listed ids', play: async (bench) => bench.deliver(nightly('at-ten')) },
  { name: 'a delayed start', play: async (bench) => bench.deliver(nightly('at-ten', { startDelay: 'PT15M' })) },
  {
    name: 'the same start again',
    async play(bench) {
      await bench.deliver(atTen());
      await bench.deliver(atTen(), { receiveCount: 2 });
    },
  },
  {
    name: 'a start that the gateway says is running already',
    async play(bench) {
      bench.answerWith('applied-then-lost', { status: 409, text: 'run is already running' });
      await bench.deliver(atTen());
      bench.passMs(minuteMs);
      await bench.deliver(atTen(), { receiveCount: 2 });
    },
  },
  {
    name: 'a start without an answer is sent again',
    play: async (bench) => startTwice(bench, minuteMs, ['lost', 'ok']),
  },
  {
    name: 'a start by a word without an answer is sent again to a gateway that ignores a second one',
    options: { kind: { starts: 'word' }, startsRepeatSafely: true },
    play: async (bench) => startTwice(bench, minuteMs, ['lost', 'ok']),
  },
  {
    name: 'a start without an answer, the campaign shows that it began',
    options: { campaignId },
    play: async (bench) => startTwice(bench, 2 * minuteMs, ['applied-then-lost']),
  },
  {
    name: 'a start that was refused for its rate and is sent again',
    play: async (bench) => startTwice(bench, minuteMs, [{ status: 429, text: 'busy' }, 'ok']),
  },
  {
    name: 'a start of one id of the run by an operator',
    play: async (bench) => bench.deliver(atTen({ campaignRunId: smokeIds[1], origin: operator })),
  },
  {
    name: 'a start of an id that no run has, by an operator',
    play: async (bench) => bench.deliver(atTen({ campaignRunId: foreignId, origin: operator })),
  },
  {
    name: 'a start in a freeze that an operator overrides',
    async play(bench) {
      await turn(bench, stageSwitch, true);
      await bench.deliver(atTen({ origin: operator, override: { guards: ['frozen'], reason: 'CHG-9' } }));
    },
  },
  {
    name: 'a start that has the run before it stopped',
    options: { overlap: 'stop-previous' },
    async play(bench) {
      await bench.deliver(atTen());
      bench.passMs(minuteMs);
      const second = nightly('second', { issuedAt: bench.now().toISOString() });
      await bench.deliver(second);
      for (const stop of bench.sent.slice()) await bench.deliver(stop);
      await bench.deliver(second, { receiveCount: 2 });
    },
  },
  {
    name: 'a start that a blackout defers',
    options: { blackouts: [untilFour('defer')] },
    async play(bench) {
      await bench.deliver(nightly('at-ten'));
      bench.passMs(hours(6) + minuteMs);
      await bench.deliver(nightly('at-ten'));
    },
  },
  {
    name: 'a start and a stop of a stage that only observes',
    options: { mode: 'observe' },
    async play(bench) {
      await bench.deliver(atTen());
      bench.passMs(minuteMs);
      await bench.deliver(stopNow(bench));
    },
  },
  {
    name: 'a stop by an operator',
    async play(bench) {
      await bench.deliver(atTen());
      bench.passMs(minuteMs);
      await bench.deliver(stopNow(bench, { origin: operator, reason: 'CHG-1' }));
    },
  },
  {
    name: 'a stop that comes late, of a run with listed ids',
    async play(bench) {
      await bench.deliver(nightly('at-ten'));
      bench.passMs(hours(8));
      const stop = stopNow(bench, { run: 'nightly' });
      bench.passMs(5 * minuteMs);
      await bench.deliver(stop);
    },
  },
  {
    name: 'a stop by uuid',
    play: async (bench) => bench.deliver(stopNow(bench, { run: undefined, campaignRunId: smokeId })),
  },
];

/**
 * Scenarios whose last outcome is that a later command replaced the command, or that there was
 * nothing to do.
 */
export const supersededScenarios: readonly Scenario[] = [
  {
    name: 'ignored: a command of the stage while it only observed',
    play: async (bench) => bench.deliver(atTen({ isObserved: true })),
  },
  {
    name: 'a start that is older than a stop',
    async play(bench) {
      bench.passMs(minuteMs);
      await bench.deliver(stopNow(bench));
      await bench.deliver(atTen(valid));
    },
  },
  {
    name: 'a start that was refused for its rate, then stopped',
    async play(bench) {
      bench.answerWith({ status: 429, text: 'busy' }, 'ok');
      await bench.deliver(atTen(valid));
      bench.passMs(minuteMs);
      await bench.deliver(stopNow(bench));
      await bench.deliver(atTen(valid), { receiveCount: 2 });
    },
  },
  {
    name: 'a start in doubt, then stopped',
    options: { campaignId },
    async play(bench) {
      await answered('lost')(bench);
      bench.passMs(minuteMs);
      await bench.deliver(stopNow(bench));
      await bench.deliver(atTen(), { receiveCount: 2 });
    },
  },
  {
    name: 'a start by name that is older than a stop by name',
    async play(bench) {
      bench.passMs(minuteMs);
      await bench.deliver(stopNow(bench, { run: 'nightly' }));
      await bench.deliver(nightly('at-ten', valid));
    },
  },
  {
    name: 'a stop by uuid that is older than a start',
    async play(bench) {
      await bench.deliver(atTen());
      const older = { run: undefined, campaignRunId: smokeId, issuedAt: '2026-11-20T21:00:00Z' };
      await bench.deliver(stopNow(bench, older));
    },
  },
  {
    name: 'a deferred start that is older than a deferred start',
    options: { blackouts: [untilFour('defer')] },
    async play(bench) {
      await bench.deliver(nightly('at-ten'));
      bench.passMs(minuteMs);
      await bench.deliver(nightly('later', { issuedAt: bench.now().toISOString() }));
      bench.passMs(hours(6));
      await bench.deliver(nightly('at-ten'));
      await bench.deliver(nightly('later', { issuedAt: '2026-11-20T22:01:00Z' }));
    },
  },
  {
    name: 'a planned stop of a run that was stopped before',
    async play(bench) {
      await bench.deliver(atTen());
      const due = await plannedStopsOf(bench);
      bench.passMs(minuteMs);
      await bench.deliver(stopNow(bench));
      bench.passMs(30 * minuteMs);
      for (const stop of due) await bench.deliver(stop);
    },
  },
];

/** Scenarios whose last outcome is that the command was passed over. */
export const skippedScenarios: readonly Scenario[] = [
  {
    name: 'FROZEN',
    async play(bench) {
      await turn(bench, stageSwitch, true);
      await bench.deliver(atTen());
    },
  },
  {
    name: 'PAUSED, a campaign',
    async play(bench) {
      await turn(bench, { scope: 'campaign', name: 'chat-bot' }, true);
      await bench.deliver(atTen());
    },
  },
  {
    name: 'PAUSED, of a run without ids, in a stage that only observes',
    options: { mode: 'observe' },
    async play(bench) {
      await useUpIds(bench);
      await turn(bench, { scope: 'campaign', name: 'chat-bot' }, true);
      await bench.deliver(nightly('at-ten'));
    },
  },
  {
    name: 'PAUSED, a schedule',
    async play(bench) {
      await turn(bench, { scope: 'schedule', name: 'weeknights' }, true);
      await bench.deliver(atTen());
    },
  },
  {
    name: 'HELD_BY_ALARM',
    options: { haltOn: ['arn:aws:cloudwatch:eu-west-1:123456789012:alarm:target-5xx'] },
    async play(bench) {
      await turn(bench, { scope: 'alarm', name: 'chat-bot/target-5xx' }, true);
      await bench.deliver(atTen());
    },
  },
  {
    name: 'MISSED_WINDOW',
    async play(bench) {
      bench.passMs(hours(2));
      await bench.deliver(atTen());
    },
  },
  {
    name: 'MISSED_WINDOW, a start without an answer is ended first',
    play: async (bench) => endedInDoubt(bench, atTen({ validFor: 'PT5M' })),
  },
  {
    name: 'BLACKOUT',
    options: { blackouts: [untilFour('skip')] },
    play: async (bench) => bench.deliver(atTen()),
  },
  {
    name: 'OVERLAP',
    async play(bench) {
      await bench.deliver(atTen());
      bench.passMs(minuteMs);
      await bench.deliver(nightly('second'));
    },
  },
  {
    name: 'OVERLAP, the run before it cannot be stopped',
    options: { overlap: 'stop-previous' },
    async play(bench) {
      await bench.deliver(atTen());
      bench.passMs(minuteMs);
      const second = nightly('second', { issuedAt: bench.now().toISOString() });
      await bench.deliver(second);
      bench.answerWith({ status: 422, text: 'no', fields: ['status'] });
      for (const stop of bench.sent.slice()) await bench.deliver(stop);
      await bench.deliver(second, { receiveCount: 2 });
    },
  },
  {
    name: 'MINIMUM_GAP',
    options: { campaignId, minimumGap: 'PT12H' },
    async play(bench) {
      bench.startByHand();
      bench.passMs(minuteMs);
      await bench.deliver(atTen());
    },
  },
  {
    name: 'BUDGET',
    options: { startsPerMonth: 1, overlap: 'allow' },
    async play(bench) {
      await bench.deliver(atTen());
      await bench.deliver(nightly('second'));
    },
  },
  {
    name: 'ALREADY_ENDED',
    async play(bench) {
      await bench.deliver(atTen());
      bench.passMs(hours(1));
      bench.answerWith({ status: 409, text: 'archived' });
      await bench.deliver(stopNow(bench));
    },
  },
  {
    name: 'UNCONFIRMED, its repeat was refused and its campaign does not show it',
    options: { campaignId, confirm: { within: 'PT30M' } },
    async play(bench) {
      bench.answerWith('lost');
      await bench.deliver(atTen(valid));
      bench.answerWith({ status: 409, text: 'archived' });
      await bench.deliver(atTen(valid), { receiveCount: 2 });
      bench.passMs(hours(1));
      await bench.deliver(atTen(valid), { receiveCount: 3 });
    },
  },
  { name: 'NOTHING_TO_STOP', play: async (bench) => bench.deliver(stopNow(bench, { run: 'nightly' })) },
  {
    name: 'NOTHING_TO_STOP, a stop by name that is older than the start',
    async play(bench) {
      await bench.deliver(atTen());
      await bench.deliver(stopNow(bench, { issuedAt: '2026-11-20T21:00:00Z' }));
    },
  },
  {
    name: 'NOTHING_TO_STOP, a stage that only observes',
    options: { mode: 'observe' },
    play: async (bench) => bench.deliver(stopNow(bench, { run: 'nightly' })),
  },
];

export async function redirected(): Promise<never> {
  throw new RedirectError('PATCH', { status: 302, location: 'https://login.example.com' });
}

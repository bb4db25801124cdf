import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { type Known, mortalWorker } from './harness/mortal-worker.ts';
import {
  aCommand,
  type Answer,
  campaignId,
  createUpdateBench,
  proving,
  smokeId,
  surelyLandedMs,
} from './harness/update-bench.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';

const runs = propertyRuns(200);

type Bench = ReturnType<typeof createUpdateBench>;

/**
 * What went to the gateway about which command, and which answers reached a worker that lived to
 * hear them, in order.
 */
type Heard = {
  readonly what: Known;
  readonly id: string;
  /** By no worker's clock. */
  readonly atMs: number;
}[];

/** Of a start its own requests only: it may send the planned stop of the run before it, too. */
function noteOf(bench: Bench, heard: Heard, { id, action }: CampaignRunCommand) {
  return (what: Known, status: string | undefined) => {
    if (action !== 'start' || status === 'running') heard.push({ what, id, atMs: bench.now().getTime() });
  };
}

/**
 * A night of commands about one run, by its name or by its id: each a minute after the one before.
 */
const commandsOfOneRun = fc
  .array(fc.tuple(fc.constantFrom('start' as const, 'stop' as const), fc.boolean()), { minLength: 1, maxLength: 5 })
  .map((actions) =>
    actions.map(([action, isByName], index) =>
      aCommand({
        ...(isByName ? {} : { campaignRunId: smokeId }),
        id: `c${index}`,
        action,
        issuedAt: new Date(Date.parse('2026-11-20T21:50:00Z') + index * 60_000).toISOString(),
        ...(action === 'start' ? { validFor: 'P1D' } : {}),
      }),
    ),
  );

const answers = fc.array(
  fc.oneof(
    fc.constantFrom<Answer>('ok', 'ok', 'not-sent', 'applied-then-lost', 'lost', { status: 429, text: 'busy' }),
    // No server works on a request for longer than a minute: what cannot be promised beyond that is
    // in the ADR.
    fc.integer({ min: 1000, max: 59_000 }).map((lateMs): Answer => ({ lateMs })),
  ),
  { maxLength: 8 },
);

/**
 * A delivery: of which command, to which of the two workers, and after which of its effects that
 * one is killed.
 */
const delivery = fc.record(
  { command: fc.nat(4), worker: fc.nat(1), killAfter: fc.integer({ min: 1, max: 9 }) },
  { requiredKeys: ['command', 'worker'] },
);

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ deliver: fc.array(delivery, { minLength: 1, maxLength: 2 }) }) },
  { weight: 2, arbitrary: fc.record({ passMs: fc.constantFrom(1000, 20_000, 61_000, 200_000, 400_000) }) },
  { weight: 1, arbitrary: fc.record({ closeGateFor: fc.constantFrom(20_000, 600_000) }) },
);

/** No two clocks are further apart than five minutes. */
const skew = fc.integer({ min: -150_000, max: 150_000 });
const skews = fc.oneof(
  skew.map((same) => [same, same] as const),
  fc.tuple(skew, skew),
);

/**
 * Delivers to the end: nothing fails any more, the gate is open, and whatever is in doubt lands or
 * does not.
 */
async function drain(
  bench: Bench,
  commands: readonly CampaignRunCommand[],
  worker: { readonly skewMs: number; readonly heard: Heard },
): Promise<void> {
  const { skewMs, heard } = worker;
  for (let round = 0; round < 40; round += 1) {
    // What only the end of its validity ends takes a day.
    bench.passMs(round < 12 ? surelyLandedMs : 3_600_000);
    for (const command of commands) {
      await bench.deliver(command, {
        ...mortalWorker(bench, { note: noteOf(bench, heard, command) }),
        skewMs,
        receiveCount: 20,
      });
    }
    if ((await outcomesOf(bench, commands)).every((kind) => kind !== undefined)) return;
  }
}

async function outcomesOf(bench: Bench, commands: readonly CampaignRunCommand[]) {
  const rows = await Promise.all(commands.map(({ id }) => bench.ledger.read<CommandRow>(ledgerKeys.command(id))));
  return rows.map((row) => row?.outcome?.kind);
}

function keyOf({ id }: CampaignRunCommand): string {
  return createHash('sha256').update(id).digest('hex');
}

function transitionsOf(bench: Bench, command: CampaignRunCommand): number {
  return bench.effects.filter(({ idempotencyKey }) => idempotencyKey === keyOf(command)).length;
}

/** Whether a start went out although a worker had heard the gateway's yes to it. */
function wasSentAfterYes(heard: Heard, command: CampaignRunCommand): boolean {
  const own = heard.filter(({ id }) => id === command.id).map(({ what }) => what);
  return own.includes('heard') && own.lastIndexOf('sent') > own.indexOf('heard');
}

/** No server works on a request for longer. */
const mayLandMs = 60_000;

/**
 * Whether a newer stop went out while a request of this start was under way or could still land.
 * Only a worker whose clock is ahead sends one: such a stop is sent again once nothing can land
 * (docs/adr/0009-clocks-that-differ.md), and a repeat of the start may begin its run again until
 * then.
 */
function wasOvertaken(heard: Heard, start: CampaignRunCommand, stops: readonly CampaignRunCommand[]): boolean {
  const stopIds = new Set(stops.map(({ id }) => id));
  return heard.some(({ what, id, atMs }, sentAs) => {
    if (what !== 'sent' || id !== start.id) return false;
    const answer = heard.findIndex((one, index) => index > sentAs && one.id === id);
    const answeredAs = heard[answer]?.what === 'sent' || answer === -1 ? Infinity : answer;
    return heard.some(
      (stop, index) =>
        stop.what === 'sent' &&
        stopIds.has(stop.id) &&
        (index < sentAs ? stop.atMs === atMs : index < answeredAs && stop.atMs < atMs + mayLandMs),
    );
  });
}

/**
 * The latest command that was not skipped decides; one that waits for a person says nothing about
 * the run.
 */
async function wantedStatus(bench: Bench, commands: readonly CampaignRunCommand[]): Promise<string | undefined> {
  const outcomes = await outcomesOf(bench, commands);
  const last = outcomes.findLastIndex((kind) => kind === 'applied' || kind === 'parked');
  if (outcomes[last] !== 'applied') return undefined;
  return commands[last]?.action === 'start' ? 'running' : 'stopped';
}

test.each([{}, { campaignId }, proving, { startsRepeatSafely: true }])(
  '[C3 C5 E4 F8] any order, duplication, deaths, two workers with clocks that differ and a closed gate leave the latest command applied, and no start twice (%o)',
  async (options) => {
    const scenario = fc.record({
      commands: commandsOfOneRun,
      answers,
      steps: fc.array(step, { maxLength: 14 }),
      skews,
      scheduler: fc.scheduler(),
    });

    await fc.assert(
      fc.asyncProperty(scenario, async ({ commands, answers: given, steps, skews: skewOf, scheduler }) => {
        const bench = createUpdateBench(options);
        const received = new Map<string, number>();
        const heard: Heard = [];
        bench.answerWith(...given);

        async function deliver({
          command: index,
          worker,
          killAfter,
        }: {
          command: number;
          worker: number;
          killAfter?: number | undefined;
        }): Promise<void> {
          const command = commands[index % commands.length];
          if (command === undefined) return;
          const receiveCount = (received.get(command.id) ?? 0) + 1;
          received.set(command.id, receiveCount);
          const mortal = mortalWorker(bench, {
            note: noteOf(bench, heard, command),
            dueTo: (call) => scheduler.scheduleFunction(call),
            ...(killAfter === undefined ? {} : { killAfter }),
          });
          await bench.deliver(command, { ...mortal, skewMs: skewOf[worker] ?? 0, receiveCount });
        }

        for (const each of steps) {
          if ('passMs' in each) bench.passMs(each.passMs);
          else if ('closeGateFor' in each) bench.closeGateFor(each.closeGateFor);
          else await scheduler.waitFor(Promise.all(each.deliver.map(deliver)));
        }
        bench.answerWith();
        bench.closeGateFor(0);
        await drain(bench, commands, { skewMs: skewOf[0], heard });

        expect(await outcomesOf(bench, commands)).not.toContain(undefined);
        for (const [index, command] of commands.entries()) {
          if (command.action !== 'start') continue;
          const stops = commands.slice(index + 1).filter(({ action }) => action === 'stop');
          const isOvertaken = wasOvertaken(heard, command, stops);
          // A campaign that shows the start lets a stop out at once: the stop goes out once more
          // when nothing can land any more.
          const mayOvertake = skewOf[0] !== skewOf[1] || 'campaignId' in options;
          expect(isOvertaken && !mayOvertake).toBe(false);
          expect(transitionsOf(bench, command)).toBeLessThanOrEqual(isOvertaken ? Infinity : 1);
          expect(wasSentAfterYes(heard, command)).toBe(false);
        }
        const wanted = await wantedStatus(bench, commands);
        expect(wanted === undefined ? undefined : bench.statuses.get(smokeId)).toBe(wanted);
      }),
      runs,
    );
  },
);

test('two starts of one campaign delivered at once are one start', async () => {
  const bench = createUpdateBench();

  await Promise.all([bench.deliver(aCommand({ id: 'a' })), bench.deliver(aCommand({ id: 'b', run: 'nightly' }))]);
  for (const id of ['a', 'b']) {
    bench.passMs(5000);
    await bench.deliver(aCommand({ id, ...(id === 'b' ? { run: 'nightly' } : {}) }));
  }

  expect(bench.transitions).toHaveLength(1);
});

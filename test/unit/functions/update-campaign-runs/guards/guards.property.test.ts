import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ResolvedBlackout } from '#shared/schedule/blackouts.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { type GuardRow, uncountStart } from '#shared/ledger/rows/guard-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { bindId, dueStop, plannedStopsOf, useUpIds } from '../harness/guard-nights.ts';
import { mortalWorker } from '../harness/mortal-worker.ts';
import {
  aCommand,
  type Answer,
  campaignId,
  createUpdateBench,
  proving,
  smokeId,
  surelyLandedMs,
  tenOClock,
} from '../harness/update-bench.ts';
import { ledgerOf, watched } from '../harness/watched-starts.ts';
import { propertyRuns } from '../../../../builders/property-runs.ts';

const runs = propertyRuns(200);

type Bench = ReturnType<typeof createUpdateBench>;

const minuteMs = 60_000;
const instant = (minute: number) => new Date(tenOClock + minute * minuteMs).toISOString();

const window = (name: string, starts: 'skip' | 'defer', from: number, to: number): ResolvedBlackout => ({
  name,
  starts,
  window: { kind: 'once', from: instant(from), to: instant(to) },
});

const minimumGap = 'PT20M';
const minimumGapMs = 20 * minuteMs;

const skipping = window('maintenance', 'skip', 20, 40);
const deferring = window('demo', 'defer', 60, 100);

/** Commands about two runs of one campaign, a few minutes apart. */
const commandsOfTwoRuns = fc
  .array(
    fc.record({
      action: fc.constantFrom('start' as const, 'start' as const, 'stop' as const),
      run: fc.constantFrom('smoke', 'nightly'),
      minute: fc.integer({ min: -5, max: 110 }),
      validFor: fc.constantFrom('PT10M', 'PT2H'),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((given) =>
    given
      .toSorted((a, b) => a.minute - b.minute)
      .map(({ action, run, minute, validFor }, index) => {
        const fields = { id: `c${index}`, action, run, issuedAt: instant(minute) };
        return aCommand(action === 'start' ? { ...fields, validFor } : fields);
      }),
  );

const answers = fc.array(
  fc.constantFrom<Answer>(
    'ok',
    'ok',
    'not-sent',
    'applied-then-lost',
    'lost',
    { status: 429, text: 'busy' },
    { status: 422, text: 'no' },
  ),
  { maxLength: 8 },
);

const delivery = fc.record(
  { command: fc.nat(9), killAfter: fc.integer({ min: 1, max: 9 }) },
  { requiredKeys: ['command'] },
);

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record(
      // An operator freezes the stage, or binds an id, once this many more steps are done.
      { deliver: fc.array(delivery, { minLength: 1, maxLength: 2 }), freezeAfter: fc.nat(20), bindAfter: fc.nat(20) },
      { requiredKeys: ['deliver'] },
    ),
  },
  { weight: 3, arbitrary: fc.record({ passMinutes: fc.constantFrom(1, 7, 15, 35) }) },
  { weight: 1, arbitrary: fc.record({ isFrozen: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ startByHand: true as const }) },
  { weight: 1, arbitrary: fc.constant({ bind: true as const }) },
  { weight: 2, arbitrary: fc.constant({ watch: true as const }) },
);

const scenario = fc.record({
  commands: commandsOfTwoRuns,
  answers,
  steps: fc.array(step, { maxLength: 24 }),
  /** The ids of the configuration were used long ago: who starts needs one that is bound. */
  isUsedUp: fc.boolean(),
  scheduler: fc.scheduler(),
});

/** Starts that were reported as not sent, and were made. */
function denied(rows: readonly (CommandRow | undefined)[], effects: ReadonlySet<string | undefined>) {
  return rows.filter((row) => {
    if (row?.command.action !== 'start' || !effects.has(keyOf(row.command))) return false;
    const { kind, reason } = row.outcome ?? {};
    return kind === 'skipped' || (kind === 'parked' && reason !== 'START_OUTCOME_UNKNOWN');
  });
}

/** Starts that were skipped, and count in the month or hold the campaign. */
async function heldBySkipped(bench: Bench, rows: readonly (CommandRow | undefined)[]) {
  const guard = await bench.ledger.read<GuardRow>(ledgerKeys.guard('chat-bot'));
  const reserved = new Set((guard?.reservations ?? []).map(({ startId }) => startId));
  return rows.filter((row) => {
    if (row === undefined || row.outcome?.kind !== 'skipped' || row.command.action !== 'start') return false;
    return reserved.has(row.id) || (guard !== undefined && uncountStart(guard, row.id) !== guard);
  });
}

async function rowsOf(bench: Bench, commands: readonly CampaignRunCommand[]) {
  return Promise.all(commands.map(({ id }) => bench.ledger.read<CommandRow>(ledgerKeys.command(id))));
}

function keyOf({ id }: CampaignRunCommand): string {
  return createHash('sha256').update(id).digest('hex');
}

test.each([
  { overlap: 'skip', startsPerMonth: 2 },
  { overlap: 'skip', startsPerMonth: 2, ...proving },
  { overlap: 'skip', startsPerMonth: 2, startsRepeatSafely: true },
  { overlap: 'skip', startsPerMonth: 3, campaignId, minimumGap },
  { overlap: 'stop-previous', startsPerMonth: 3 },
] as const)(
  'in any order, with duplicates, deaths and two workers at once, no start is sent in a blackout, while frozen, over budget, within the minimum gap or beside another run, none that was sent is reported as not sent, none that was skipped holds a place, and the latest stop is last (%o)',
  async (options) => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ commands, answers: given, steps, isUsedUp, scheduler }) => {
        const bench = createUpdateBench({ ...options, blackouts: [skipping, deferring] });
        const { starts, gatewayOf, begin, freeze } = watched(bench);
        const received = new Map<string, number>();
        let bound = 0;
        bench.answerWith(...given);
        if (isUsedUp) await useUpIds(bench);

        async function deliver(command: CampaignRunCommand | undefined, killAfter?: number, isInterleaved = true) {
          // No command is sent before its time.
          if (command === undefined || Date.parse(command.issuedAt) > bench.now().getTime()) return;
          const receiveCount = (received.get(command.id) ?? 0) + 1;
          received.set(command.id, receiveCount);
          const mortal = mortalWorker(bench, {
            ...(isInterleaved ? { dueTo: (call) => scheduler.scheduleFunction(call) } : {}),
            ...(killAfter === undefined ? {} : { killAfter }),
          });
          const attempt = begin();
          const gateway = gatewayOf(mortal.gateway ?? bench.gateway, attempt);
          const ledger = ledgerOf(mortal.ledger ?? bench.ledger, attempt);
          await bench.deliver(command, { ...mortal, ledger, gateway, receiveCount });
        }

        async function after(stepsToGo: number | undefined, act: () => Promise<void>): Promise<void> {
          if (stepsToGo === undefined) return;
          for (let passed = 0; passed < stepsToGo; passed += 1) await scheduler.schedule(Promise.resolve());
          await act();
        }

        const bindNext = async () => {
          bound += 1;
          await bindId(bench, `018f0000-0000-7000-8000-0000000001${String(bound).padStart(2, '0')}`);
        };
        const due = new Map<string, CampaignRunCommand>();
        const all = () => [...commands, ...bench.sent, ...due.values()];
        /** What the watcher does each minute: every planned stop whose time has come is sent. */
        const watch = async () => {
          for (const planned of await plannedStopsOf(bench)) {
            const stop = dueStop(planned);
            if (Date.parse(planned.at) <= bench.now().getTime()) due.set(stop.id, stop);
          }
        };
        for (const each of steps) {
          if ('passMinutes' in each) bench.passMs(each.passMinutes * minuteMs);
          else if ('isFrozen' in each) await freeze(each.isFrozen);
          else if ('startByHand' in each) bench.startByHand();
          else if ('bind' in each) await bindNext();
          else if ('watch' in each) await watch();
          else {
            const chosen = each.deliver.map(({ command, killAfter }) => ({
              command: all()[command % all().length],
              killAfter,
            }));
            const deliveries = chosen.map(({ command, killAfter }) => deliver(command, killAfter));
            const frozen = after(each.freezeAfter, async () => freeze(true));
            const more = after(each.bindAfter, bindNext);
            await scheduler.waitFor(Promise.all([...deliveries, frozen, more]));
          }
        }
        // To the end: nothing fails any more, and what was put off comes again.
        bench.answerWith();
        bench.passMs(Math.max(0, tenOClock + 110 * minuteMs - bench.now().getTime()));
        for (let round = 0; round < 30; round += 1) {
          bench.passMs(surelyLandedMs);
          await watch();
          for (const command of all()) await deliver(command, undefined, false);
          if ((await rowsOf(bench, all())).every((row) => row?.outcome !== undefined)) break;
        }

        const rows = await rowsOf(bench, all());
        expect(rows.map((row) => row?.outcome?.kind)).not.toContain(undefined);
        // A freeze is obeyed by every start that looks at it after it was written. None that was
        // begun, or judged, during the freeze is sent. One that was judged a moment before may go
        // out while the freeze is being written: it is in flight, with its stop armed.
        expect(starts.filter(({ attempt }) => attempt.sawFrozen !== false)).toEqual([]);
        expect(starts.filter(({ isFrozen, attempt }) => isFrozen && attempt.beganFrozen)).toEqual([]);
        expect(starts.filter(({ isArmed }) => !isArmed)).toEqual([]);
        expect(starts.filter(({ sinceRunMs }) => 'minimumGap' in options && sinceRunMs < minimumGapMs)).toEqual([]);
        expect(starts.filter(({ atMs }) => isIn(skipping, atMs) || isIn(deferring, atMs))).toEqual([]);
        expect(starts.filter(({ running }) => running.length > 0)).toEqual([]);

        const effects = new Set(
          bench.effects.filter(({ status }) => status === 'running').map((one) => one.idempotencyKey),
        );
        expect(effects.size).toBeLessThanOrEqual(options.startsPerMonth);

        const putOff = rows.filter((row) => row?.deferred !== undefined && row.outcome?.kind === 'applied');
        const names = putOff.map((row) => row?.command.run);
        expect(new Set(names).size).toBe(names.length);

        expect(runningAfterStop(bench, commands, effects)).toEqual([]);
        expect(denied(rows, effects)).toEqual([]);
        expect(await heldBySkipped(bench, rows)).toEqual([]);
      }),
      runs,
    );
  },
);

function isIn({ window: { kind, ...times } }: ResolvedBlackout, atMs: number): boolean {
  if (kind !== 'once' || !('from' in times)) return false;
  return Date.parse(times.from) <= atMs && atMs < Date.parse(times.to);
}

/** Runs that go on although a stop came last: no guard refuses one, only the gateway itself may. */
function runningAfterStop(
  bench: Bench,
  commands: readonly CampaignRunCommand[],
  effects: ReadonlySet<string | undefined>,
): readonly string[] {
  return ['smoke', 'nightly'].flatMap((run) => {
    const ofRun = commands.filter((command) => command.run === run);
    const last = ofRun.findLast((command) => command.action === 'stop' || effects.has(keyOf(command)));
    if (last?.action !== 'stop' || isParked(bench, last)) return [];
    return [...bench.statuses]
      .filter(([id, status]) => (id === smokeId) === (run === 'smoke') && status === 'running')
      .map(([id]) => id);
  });
}

function isParked(bench: Bench, { id }: CampaignRunCommand): boolean {
  return bench.table.all().some((row) => row.kind === 'command' && row.id === id && row.outcome?.kind === 'parked');
}

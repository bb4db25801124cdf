import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decide } from '#functions/_runs/decide/decide.ts';
import type { CommandEvent, CommandState, Decision, Policy } from '#functions/_runs/decide/state.ts';
import { checkChangedOnce, type Stored } from '#shared/ledger/ledger.ts';
import { type CommandRow, newCommandRow } from '#shared/ledger/rows/command-row.ts';
import { newGuardRow, reservationOf } from '#shared/ledger/rows/guard-row.ts';
import { newRunIdPool, withLive } from '#shared/ledger/rows/run-id-pool-row.ts';
import {
  type RunRow,
  type RunState,
  type SentStart,
  type SentStop,
  startOf,
  type StateBefore,
} from '#shared/ledger/rows/run-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { propertyRuns } from '../../../../builders/property-runs.ts';
import { proving, smokeId } from '../../update-campaign-runs/harness/update-bench.ts';
import { aState, at, minute, policyOf, runIn, sentStart, stored } from './command-states.ts';

const runs = propertyRuns(600);

/** No id is that of a start and of a stop. */
const startIds = ['start-0', 'start-1'] as const;
const stopIds = ['stop-0', 'stop-1'] as const;
const takenOver = 'stop-2';
const startId = fc.constantFrom(...startIds);
const stopId = fc.constantFrom(...stopIds);
const minutes = fc.integer({ min: -20, max: 90 });
const instant = minutes.map(minute);
const planned = fc.record({ at: instant, word: fc.constantFrom('stopped', 'halted') });

const start = fc.record(
  {
    startId,
    issuedAt: instant,
    plannedStop: planned,
    campaignId: fc.constant(proving.campaignId),
    reading: fc.record({ runCount: fc.integer({ min: 6, max: 8 }), at: instant }),
    confirm: fc.record({ by: fc.constant('runCount' as const), until: instant }),
    startAt: instant,
    approvals: fc.nat(1),
    replaced: fc.record({ plannedStop: planned }, { requiredKeys: [] }),
  },
  { requiredKeys: ['startId', 'issuedAt', 'approvals'] },
);
const sent: fc.Arbitrary<SentStart> = start.map((fields) => ({ ...sentStart(), plannedStop: undefined, ...fields }));
const stop: fc.Arbitrary<SentStop> = fc.record(
  {
    id: stopId,
    issuedAt: instant,
    word: fc.constant('stopped'),
    plannedBy: fc.record({ startId, at: instant }),
    tookOver: fc.constant(takenOver),
  },
  { requiredKeys: ['id', 'issuedAt', 'word'] },
);

const latest = fc.oneof(
  fc.record({ action: fc.constant('start' as const), id: startId, issuedAt: instant }),
  fc.record({ action: fc.constant('stop' as const), id: stopId, issuedAt: instant }),
);
const idle = fc.record(
  { state: fc.constant('idle' as const), stopped: fc.record({ id: stopId, at: instant }), noStartBefore: instant },
  { requiredKeys: ['state'] },
);
const running = fc.record(
  { state: fc.constant('running' as const), start: sent, landsUntil: instant },
  { requiredKeys: ['state', 'start'] },
);
const startUnknown = fc.record(
  { state: fc.constant('start-unknown' as const), start: sent, landsUntil: instant, requestId: fc.constant('r') },
  { requiredKeys: ['state', 'start', 'landsUntil'] },
);
const before: fc.Arbitrary<StateBefore> = fc
  .tuple(fc.oneof(idle, running, startUnknown), fc.option(latest, { nil: undefined }))
  .map(([state, earlier]) => ({ ...state, latest: earlier }));
const lease = fc.record({ owner: fc.constantFrom('me', 'other'), until: instant });
const starting = fc.record({ state: fc.constant('starting' as const), start: sent, before, lease });
const stopping = fc.record(
  {
    state: fc.constant('stopping' as const),
    stop,
    before,
    lease,
    notBefore: instant,
    landsUntil: instant,
    appliedAt: instant,
  },
  { requiredKeys: ['state', 'stop', 'before'] },
);
const stopUnknown = fc.record(
  { state: fc.constant('stop-unknown' as const), stop, before, landsUntil: instant, appliedAt: instant },
  { requiredKeys: ['state', 'stop', 'before', 'landsUntil'] },
);
const runState: fc.Arbitrary<RunState> = fc.oneof(idle, starting, startUnknown, running, stopping, stopUnknown);

/** A command by name or by uuid. */
const about = fc.constantFrom({ run: 'smoke' }, { campaignRunId: smokeId });
const common = { version: fc.constant(1 as const), issuedAt: minutes.map(minute) };
const schedule = { kind: 'schedule', name: 'weeknights' } as const;
const origin = fc.constantFrom(
  { origin: schedule },
  {
    origin: { kind: 'operator' as const, name: 'ann' },
    override: { guards: ['overlap' as const], reason: 'CHG-9' },
  },
);
const starts = fc
  .tuple(
    fc.record(
      {
        ...common,
        id: startId,
        action: fc.constant('start' as const),
        validFor: fc.constantFrom('PT10M', 'PT2H'),
        startDelay: fc.constantFrom('PT5M', 'PT30M'),
      },
      { requiredKeys: ['version', 'issuedAt', 'id', 'action'] },
    ),
    about,
    origin,
  )
  .map(([fields, ...more]) => Object.assign({}, fields, ...more) as CampaignRunCommand);
const stops = fc
  .tuple(
    fc.record({ ...common, id: stopId, action: fc.constant('stop' as const), origin: fc.constant(schedule) }),
    fc.oneof(about, fc.record({ campaignRunId: fc.constant(smokeId), plannedBy: fc.record({ startId, at: instant }) })),
  )
  .map(([fields, more]): CampaignRunCommand => ({ ...fields, ...more }));
const updates = fc
  .tuple(
    fc.record({
      ...common,
      id: fc.constant('update'),
      action: fc.constant('update' as const),
      origin: fc.constant(schedule),
    }),
    about,
  )
  .map(([fields, more]): CampaignRunCommand => ({ ...fields, ...more, name: 'kept' }));
const command: fc.Arbitrary<CampaignRunCommand> = fc.oneof(
  { weight: 4, arbitrary: starts },
  { weight: 3, arbitrary: stops },
  { weight: 1, arbitrary: updates },
);

const failure = fc.record(
  {
    kind: fc.constantFrom('not-applied' as const, 'refused' as const, 'no-answer' as const),
    why: fc.constant('it failed'),
    evidence: fc.record({ httpStatus: fc.constantFrom(403, 409, 422, 429) }, { requiredKeys: [] }),
    patience: fc.constant({ status: 403, tries: 3 }),
    pauseMs: fc.constant(900_000),
  },
  { requiredKeys: ['kind', 'why', 'evidence'] },
);
const read = fc.record({
  kind: fc.constant('read' as const),
  reading: fc.record({ runCount: fc.integer({ min: 6, max: 8 }), at: instant }),
});
const event: fc.Arbitrary<CommandEvent> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ type: 'command' as const }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('campaign-read' as const), result: fc.oneof(read, failure) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('answered' as const),
      owner: fc.constant('me'),
      sentAt: minutes.map(at),
      answer: fc.oneof(fc.constant({ kind: 'applied' as const }), failure),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('last-chance' as const),
      reason: fc.constantFrom('HORIZON_EXCEEDED' as const, 'CRASH_LOOP' as const),
      detail: fc.constant('no time is left'),
    }),
  },
);

const options = fc.constantFrom(
  {},
  proving,
  { startsRepeatSafely: true },
  { overlap: 'allow' as const },
  { overlap: 'stop-previous' as const, startsPerMonth: 2 },
);

const scenario = fc
  .record({
    command,
    event,
    options,
    plansStop: fc.boolean(),
    runState: fc.option(runState, { nil: undefined }),
    latest: fc.option(latest, { nil: undefined }),
    hasRow: fc.boolean(),
    isRepeated: fc.boolean(),
    hasOthers: fc.boolean(),
    othersEnded: fc.boolean(),
    otherRuns: fc.constantFrom([], ['run-2']),
    failures: fc.nat(12),
    gateWaitMs: fc.constantFrom(0, 0, 600_000),
    runsMs: fc.constantFrom(0, 0, 20_000),
    now: minutes,
  })
  .map((given) => ({ ...given, now: at(given.now), state: stateOf(given), policy: policyFor(given) }));

type Given = Parameters<Parameters<typeof scenario.map>[0]>[0];

/** Only a start reads its campaign. */
const isPossible = ({ command: { action }, event: { type } }: Pick<Given, 'command' | 'event'>) =>
  type !== 'campaign-read' || action === 'start';

/** With a planned stop of the run's own, or without. */
function policyFor(drawn: {
  readonly command: CampaignRunCommand;
  readonly options: Parameters<typeof policyOf>[1];
  readonly plansStop: boolean;
}): Policy {
  const policy = policyOf(drawn.command, drawn.options);
  const { start: given } = policy;
  if (typeof given !== 'object' || drawn.plansStop) return policy;
  return { ...policy, start: { ...given, stopAfter: undefined } };
}

interface Drawn {
  readonly command: CampaignRunCommand;
  readonly runState?: RunState | undefined;
  readonly latest?: RunRow['latest'];
  readonly hasRow: boolean;
  readonly isRepeated: boolean;
  readonly hasOthers: boolean;
  readonly othersEnded: boolean;
  readonly otherRuns: readonly string[];
  readonly failures: number;
  readonly gateWaitMs: number;
  readonly runsMs: number;
}

function stateOf(drawn: Drawn): CommandState {
  const { command: given, runState: state, hasRow, otherRuns, gateWaitMs, runsMs } = drawn;
  const run = state === undefined ? undefined : runIn(state, { latest: drawn.latest });
  const held = state === undefined ? undefined : startOf(state);
  const guard = newGuardRow('chat-bot');
  return aState({
    command: given,
    run,
    row: hasRow ? stored(ownRow(drawn)) : undefined,
    guard: stored(held === undefined ? guard : { ...guard, reservations: [reservationOf(smokeId, held)] }),
    pool: stored(withLive(newRunIdPool('smoke'), smokeId)),
    others: drawn.hasOthers ? othersOf(drawn) : new Map(),
    otherRuns: given.run !== undefined && given.action === 'stop' ? otherRuns : [],
    gateWaitMs,
    slots: { runsMs, readsMs: runsMs, waiting: 0, spacingMs: 1000 },
  });
}

function ownRow({ command: given, isRepeated, failures }: Drawn): CommandRow {
  const resolutions = [{ decision: 'repeat', by: 'ann', reason: 'looked', at: minute(1) }] as const;
  const attempt = { crashes: 0, since: minute(0), tries: failures, failures };
  return { ...newCommandRow(given, at(0)), attempt, resolutions: isRepeated ? resolutions : undefined };
}

function othersOf({ command: given, othersEnded }: Drawn): Map<string, Stored<CommandRow>> {
  const outcome = othersEnded ? ({ kind: 'applied', at: minute(0) } as const) : undefined;
  const rows = [...startIds, ...stopIds, takenOver]
    .filter((one) => one !== given.id)
    .map((one) => stored({ ...newCommandRow({ ...given, id: one }, at(0)), outcome }));
  return new Map(rows.map((row) => [row.id, row]));
}

/** Frozen all the way down, so that a change of an input throws. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const one of value instanceof Map ? value.values() : Object.values(value)) frozen(one);
  return value;
}

function givenRow({ row, run, pool, guard, others }: CommandState, pk: string): Stored | undefined {
  return [row, run, pool, guard, ...others.values()].find((one) => one?.pk === pk);
}

const changedRun = ({ changes }: Decision) =>
  changes.map(({ after }) => after).find((row): row is RunRow => row.kind === 'run');

/** Plays decisions over every state and event. */
function decided(
  check: (
    decision: Decision,
    given: { readonly state: CommandState; readonly event: CommandEvent; readonly policy: Policy },
  ) => void,
) {
  fc.assert(
    fc.property(scenario.filter(isPossible), ({ state, event: happened, policy, now }) => {
      check(decide(state, happened, policy, now), { state, event: happened, policy });
    }),
    runs,
  );
}

test('a decision is total and pure: it never throws, changes no input, and is the same twice', () => {
  fc.assert(
    fc.property(scenario.filter(isPossible), ({ state, event: happened, policy, now }) => {
      const given = [frozen(state), frozen(happened), frozen(policy), now] as const;

      expect(decide(...given)).toEqual(decide(...given));
    }),
    runs,
  );
});

test('a command that waits does not come back at once: a thousand times at once is its end', () => {
  decided(({ then }) => {
    expect(then.kind === 'wait' ? then.delayMs : Infinity).toBeGreaterThan(0);
  });
});

test('each row is changed once, and from what was read', () => {
  decided(({ changes }, { state }) => {
    checkChangedOnce(changes);
    for (const { before: read_, after } of changes) expect(read_).toBe(givenRow(state, after.pk));
  });
});

/** What a request lacks that must be stored before it leaves. */
function missingBefore(decision: Decision): readonly string[] {
  const { effect } = decision;
  if (effect?.do !== 'patch' || effect.input.status === undefined) return [];
  const run = changedRun(decision);
  const { status } = effect.input;
  if (run?.state === 'stopping') return missingOf([['its lease or its word', isMine(run) && run.stop.word === status]]);
  if (run?.state !== 'starting' || status !== 'running') return ['its run'];
  const kinds = new Set(decision.changes.map(({ after }) => after.kind));
  return missingOf([
    ['its lease', isMine(run)],
    ['its end', run.start.plannedStop !== undefined || run.start.until !== ''],
    ['its reservation', kinds.has('guard')],
    ['its command', kinds.has('command')],
  ]);
}

function isMine(run: { readonly lease?: { readonly owner: string } | undefined }): boolean {
  return run.lease?.owner === 'me';
}

function missingOf(needed: readonly (readonly [what: string, isThere: boolean])[]): readonly string[] {
  return needed.filter(([, isThere]) => !isThere).map(([what]) => what);
}

test('a request leaves only after all is stored: its lease, and for a start its end, its place and its command', () => {
  decided((decision) => {
    expect(missingBefore(decision)).toEqual([]);
  });
});

test('an outcome is in the command’s own row, and no other decision writes one there', () => {
  decided(({ changes, then }, { state }) => {
    const own = changes.map(({ after }) => after).find(({ pk }) => pk === `command#${state.sent.id}`);
    const hasOutcome = own?.kind === 'command' && own.outcome !== undefined;
    expect(hasOutcome).toBe(then.kind === 'outcome');
  });
});

test('every wait ends: a stop’s within a minute', () => {
  decided(({ then }, { state }) => {
    if (then.kind !== 'wait') return;
    expect(then.delayMs).toBeGreaterThanOrEqual(0);
    expect(then.delayMs).toBeLessThanOrEqual(state.command.action === 'stop' ? 60_000 : 7 * 24 * 3_600_000);
  });
});

/**
 * A start that never began gives way to the run that it replaced; one that a person repeats is
 * planned by the configuration in force.
 */
function plansNone({ run, row }: CommandState, policy: Policy): boolean {
  const replaced = run === undefined ? undefined : startOf(run)?.replaced;
  const isRepeated = row?.resolutions?.at(-1)?.decision === 'repeat';
  const configured = typeof policy.start === 'object' ? policy.start.stopAfter : undefined;
  const gaveWay = replaced !== undefined && replaced.plannedStop === undefined;
  return gaveWay || (isRepeated && configured === undefined);
}

test('no transition loses a planned stop, unless the run is idle after it', () => {
  decided((decision, { state, policy }) => {
    const next = changedRun(decision);
    const plannedBefore = state.run === undefined ? undefined : startOf(state.run)?.plannedStop;
    if (next === undefined || next.state === 'idle' || plannedBefore === undefined) return;
    if (state.run?.state === 'starting') return; // It goes back to what was before it.
    if (startOf(next)?.plannedStop === undefined && plansNone(state, policy)) return;
    expect(startOf(next)?.plannedStop).toBeDefined();
  });
});

/**
 * The order of questions about one run: leases, unsettled states, later commands, waiting times.
 */
import { describe, expect, test } from 'vitest';
import { decide } from '#functions/_runs/decide/decide.ts';
import type { CommandEvent, CommandState, Decision, Policy } from '#functions/_runs/decide/state.ts';
import { type CommandRow, newCommandRow } from '#shared/ledger/rows/command-row.ts';
import { newGuardRow, reservationOf } from '#shared/ledger/rows/guard-row.ts';
import { newRunIdPool } from '#shared/ledger/rows/run-id-pool-row.ts';
import { type RunRow, runRowOf, type RunState } from '#shared/ledger/rows/run-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { aCommand, campaignId, smokeId } from '../../update-campaign-runs/harness/update-bench.ts';
import { aState, at, minute, policyOf, runIn, sentStart, stored } from './command-states.ts';

const start = (fields: Partial<CampaignRunCommand> = {}) => aCommand({ id: 'next', validFor: 'P1D', ...fields });
const stop = (fields: Partial<CampaignRunCommand> = {}) =>
  aCommand({ id: 'stop', action: 'stop', issuedAt: minute(6), campaignRunId: smokeId, ...fields });
const dueOf = (startId: string, instant: string) =>
  stop({ id: 'due', issuedAt: instant, plannedBy: { startId, at: instant } });

const unknown: RunState = { state: 'start-unknown', start: sentStart(), landsUntil: minute(1) };
const running: RunState = { state: 'running', start: sentStart() };
const readBackRun: RunState = { ...running, landsUntil: minute(1) };
const idle: RunState = { state: 'idle' };
const stopping = (fields: object = {}): RunState => ({
  state: 'stopping',
  stop: { id: 'earlier stop', issuedAt: minute(5), word: 'stopped' },
  before: running,
  ...fields,
});

interface About extends Partial<CommandState> {
  readonly state?: RunState;
  readonly latest?: RunRow['latest'];
  readonly event?: CommandEvent;
  readonly policy?: Policy;
}

/** What is decided about a command so many minutes after ten. */
function decided(command: CampaignRunCommand, minutes: number, about: About = {}): Decision {
  const { state = idle, latest, event = { type: 'command' }, policy = policyOf(command), ...more } = about;
  return decide(aState({ command, run: runIn(state, { latest }), ...more }), event, policy, at(minutes));
}

const commandsIn = ({ changes }: Decision): readonly CommandRow[] =>
  changes.map(({ after }) => after).filter((row) => row.kind === 'command');
const runAfter = ({ changes }: Decision) => changes.map(({ after }) => after).find((row) => row.kind === 'run');

/** In words: `patch`, `wait`, or how it ended. */
function wordsOf(decision: Decision): string {
  const { effect, then } = decision;
  if (effect !== undefined || then.kind !== 'outcome') return effect?.do ?? then.kind;
  const outcome = commandsIn(decision).at(-1)?.outcome;
  return [outcome?.kind, outcome?.reason].join(' ').trim();
}

/** The row of the start in doubt, with or without its outcome. */
function doubted(isParked: boolean): Pick<CommandState, 'others'> {
  const row = newCommandRow(aCommand({ id: 'at-ten' }), at(0));
  const outcome = { kind: 'parked', at: minute(2) } as const;
  return { others: new Map([['at-ten', stored(isParked ? { ...row, outcome } : row)]]) };
}

describe('the lease of another attempt', () => {
  const lease = { owner: 'another attempt', until: minute(7) };
  const starting: RunState = { state: 'starting', start: sentStart(), before: idle, lease };
  const lastChance: CommandEvent = { type: 'last-chance', reason: 'HORIZON_EXCEEDED', detail: 'a day' };

  test.each([
    ['its start', start({ id: 'at-ten' })],
    ['another start', start()],
    ['a stop', stop()],
    ['an update', stop({ action: 'update', name: 'new' })],
  ])('holds %s, also at its last chance', (_what, command) => {
    for (const state of [starting, stopping({ lease })]) {
      expect(wordsOf(decided(command, 6.9, { state }))).toBe('wait');
      expect(wordsOf(decided(command, 6.9, { state, event: lastChance }))).toBe('wait');
    }
  });

  test('holds nothing once it has ended', () => {
    expect(wordsOf(decided(stop(), 9, { state: starting }))).toBe('patch');
  });
});

describe('a start', () => {
  const override = { guards: ['overlap' as const], reason: 'CHG-9' };
  const insisted = start({ issuedAt: minute(3), override });

  test('that is earlier than a stop of its run is superseded', () => {
    const latest = { action: 'stop', id: 'stop', issuedAt: minute(1) } as const;

    expect(wordsOf(decided(start({ issuedAt: minute(0) }), 2, { latest }))).toBe('superseded');
  });

  test('waits until the start in doubt before it has its outcome', () => {
    const about = { state: unknown, latest: { action: 'start', id: 'at-ten', issuedAt: minute(0) } } as const;

    expect(wordsOf(decided(insisted, 8, { ...about, ...doubted(false) }))).toBe('wait');
    expect(wordsOf(decided(insisted, 8, { ...about, ...doubted(true) }))).toBe('patch');
  });

  test.each([
    ['in doubt', unknown],
    ['that was read back', readBackRun],
  ])('is not sent over a start %s while that one may still land', (_what, state) => {
    expect(wordsOf(decided(insisted, 5.9, { state, ...doubted(true) }))).toBe('wait');
    expect(wordsOf(decided(insisted, 6, { state, ...doubted(true) }))).toBe('patch');
  });

  test('that a stop may have ended waits for that stop, also once its validity is over', () => {
    const own = start({ id: 'at-ten', validFor: 'PT10M' });

    expect(wordsOf(decided(own, 20, { state: stopping({ before: unknown }) }))).toBe('wait');
  });

  test('is not sent a second time if its run runs already', () => {
    const again = decided(start({ id: 'at-ten' }), 3, { state: running });

    expect(wordsOf(again)).toBe('applied');
  });

  test('waits for an update whose PATCH is in the air', () => {
    const pending = { id: 'update', issuedAt: minute(0), lease: { owner: 'another attempt', until: minute(7) } };
    const run = stored(runRowOf({ campaignRunId: smokeId, run: 'smoke', update: { pending } }, idle));

    expect(wordsOf(decided(start(), 6.9, { run }))).toBe('wait');
    expect(wordsOf(decided(start(), 7, { run }))).toBe('patch');
  });

  test('of a run that is not configured any more waits for a stop that is not settled', () => {
    const policy: Policy = { ...policyOf(start()), start: 'no such run' };

    expect(wordsOf(decided(start(), 20, { state: stopping(), policy }))).toBe('wait');
    expect(wordsOf(decided(start(), 20, { policy }))).toBe('parked CONFIG');
  });

  test('leaves a planned stop to the watcher if that run has its place in another guard row', () => {
    const guard = stored({ ...newGuardRow('chat-bot'), reservations: [reservationOf(smokeId, sentStart())] });
    const elsewhere: RunState = { state: 'running', start: sentStart({ guardName: 'another target' }) };
    const next = start({ issuedAt: minute(31) });

    expect(wordsOf(decided(next, 31, { guard, state: elsewhere }))).toBe('wait');
    expect(wordsOf(decided(next, 31, { guard, state: running }))).toBe('patch');
  });
});

describe('a start whose campaign cannot be read', () => {
  const failed = { kind: 'not-applied', why: 'busy', evidence: {} } as const;
  const unread = (fields: object = {}): CommandEvent => ({ type: 'campaign-read', result: { ...failed, ...fields } });

  test.each([
    ['waits while more than five minutes of its validity remain', {}, 24.9, 'wait'],
    ['goes without its reading after that', {}, 25, 'patch'],
    ['waits if its minimum gap is judged by it', { minimumGap: 'PT1H' }, 25, 'wait'],
  ])('%s', (_what, settings, minutes, words) => {
    const command = start({ validFor: 'PT30M' });
    const policy = policyOf(command, { campaignId, ...settings });

    expect(wordsOf(decided(command, minutes, { policy, event: unread() }))).toBe(words);
  });

  test('and that is in doubt waits for the end of a pause that the gateway asks for', () => {
    const command = start({ id: 'at-ten' });
    const policy = policyOf(command, { campaignId });
    const event = unread({ pauseMs: 15 * 60_000 });

    const { then } = decided(command, 2, { policy, event, state: unknown });

    expect(then.kind === 'wait' && then.delayMs).toBeGreaterThanOrEqual(15 * 60_000);
  });
});

describe('a planned stop', () => {
  test.each([
    ['ends the start that planned it', dueOf('at-ten', minute(30)), 'patch'],
    ['ends no other start', dueOf('before', minute(30)), 'superseded'],
    ['of an earlier order of that start ends nothing', dueOf('at-ten', minute(20)), 'superseded'],
  ])('%s', (_what, due, words) => {
    expect(wordsOf(decided(due, 31, { state: running }))).toBe(words);
  });

  test('takes over no stop of a person, and waits for it', () => {
    expect(wordsOf(decided(dueOf('at-ten', minute(30)), 31, { state: stopping() }))).toBe('wait');
  });
});

describe('a stop', () => {
  test('that is earlier than a start in doubt waits until that one has its outcome', () => {
    const about = { state: unknown, latest: { action: 'start', id: 'at-ten', issuedAt: minute(0) } } as const;
    const earlier = stop({ issuedAt: minute(-5) });

    expect(wordsOf(decided(earlier, 2, { ...about, ...doubted(false) }))).toBe('wait');
    expect(wordsOf(decided(earlier, 2, { ...about, ...doubted(true) }))).toBe('superseded');
  });

  test('that takes over an earlier one keeps what is known of it', () => {
    const known = { notBefore: minute(10), landsUntil: minute(9), appliedAt: minute(6) };
    const state = stopping(known);

    expect(wordsOf(decided(stop(), 9.9, { state }))).toBe('wait');
    expect(wordsOf(decided(stop(), 10, { state }))).toBe('patch');
    expect(runAfter(decided(stop(), 10, { state }))).toMatchObject({
      state: 'stopping',
      stop: { id: 'stop' },
      ...known,
    });
  });

  test.each([
    ['takes over an earlier one', stop(), {}, 'patch'],
    ['takes over no later one', stop({ issuedAt: minute(4) }), {}, 'wait'],
    [
      'takes over a planned one, whenever that is due',
      stop(),
      { plannedBy: { startId: 'at-ten', at: minute(30) } },
      'patch',
    ],
  ])('%s', (_what, command, fields, words) => {
    const issuedAt = 'plannedBy' in fields ? minute(30) : minute(5);
    const state = stopping({ stop: { id: 'first stop', issuedAt, word: 'stopped', ...fields } });

    expect(wordsOf(decided(command, 31, { state }))).toBe(words);
  });

  test('sends the word that was configured when the run was started', () => {
    const state: RunState = { ...running, start: sentStart({ plannedStop: { at: minute(30), word: 'halted' } }) };

    expect(decided(stop(), 7, { state }).effect).toMatchObject({ input: { status: 'halted' } });
  });

  test('that its run has recorded as the one that ended it is applied', () => {
    const state: RunState = { state: 'idle', stopped: { id: 'stop', at: minute(7) } };

    expect(wordsOf(decided(stop(), 8, { state }))).toBe('applied');
  });

  test.each([
    ['is noted in the pool while it waits', undefined, ['stop']],
    ['takes the place of an earlier one there', { id: 'earlier', issuedAt: minute(5) }, ['stop']],
    ['takes the place of no later one', { id: 'later', issuedAt: minute(7) }, []],
  ])('by name %s', (_what, latestStop, noted) => {
    const command = stop({ run: 'smoke', campaignRunId: undefined });
    const pool = stored({ ...newRunIdPool('smoke'), live: [smokeId], latestStop });

    const { then, changes } = decided(command, 7, {
      pool,
      gateWaitMs: 60_000,
      delivery: { ...aState().delivery, sentAt: at(7) },
    });

    expect(then.kind).toBe('wait');
    expect(changes.flatMap(({ after }) => (after.kind === 'run-id-pool' ? [after.latestStop?.id] : []))).toEqual(noted);
  });

  test.each([
    ['has nothing to stop', {}, 'skipped NOTHING_TO_STOP'],
    ['ends as its runs did', { [smokeId]: { kind: 'applied' } }, 'applied'],
  ] as const)('by name that finds no live run %s', (_what, runVerdicts, words) => {
    const command = stop({ run: 'smoke', campaignRunId: undefined });
    const row = stored({ ...newCommandRow(command, at(0)), runVerdicts });

    expect(wordsOf(decided(command, 7, { row, run: undefined, campaignRunId: undefined }))).toBe(words);
  });

  test('by name is about its run from then on, whatever the configuration says', () => {
    const command = stop({ run: 'smoke', campaignRunId: undefined });

    const { changes } = decided(command, 7, { pool: undefined });

    expect(changes.flatMap(({ after }) => (after.kind === 'run-id-pool' ? after.live : []))).toEqual([smokeId]);
  });

  test.each([
    ['has ended that one too', { kind: 'applied' }, ['due superseded', 'stop applied']],
    [
      'leaves that one to go out',
      {
        kind: 'refused',
        why: 'no such word',
        reason: 'VALIDATION',
        evidence: { httpStatus: 422, requestSent: true, requestId: 'me' },
      },
      ['stop parked'],
    ],
  ] as const)('that takes over a planned one %s, by what the gateway says', (_what, answer, ends) => {
    const due = dueOf('at-ten', minute(30));
    const others = new Map([['due', stored(newCommandRow(due, at(30)))]]);
    const state = stopping({ stop: { id: 'due', issuedAt: minute(30), word: 'stopped', plannedBy: due.plannedBy } });

    const run = runAfter(decided(stop(), 31, { state, others }));
    const event: CommandEvent = { type: 'answered', owner: 'me', sentAt: at(31), answer };
    const decision = decided(stop(), 31, { run: run && stored(run), others, event });

    expect(commandsIn(decision).map(({ id, outcome }) => `${id} ${outcome?.kind}`)).toEqual(ends);
  });
});

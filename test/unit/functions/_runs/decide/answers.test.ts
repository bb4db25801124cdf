/** What the answer to a PATCH means for the row as it is when the answer comes. */
import { describe, expect, test } from 'vitest';
import { decide } from '#functions/_runs/decide/decide.ts';
import type { CallFailure, CommandState, Decision, PatchAnswer } from '#functions/_runs/decide/state.ts';
import { type CommandRow, newCommandRow, type Patience } from '#shared/ledger/rows/command-row.ts';
import type { RunState, StateBefore } from '#shared/ledger/rows/run-row.ts';
import { aCommand, smokeId } from '../../update-campaign-runs/harness/update-bench.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { aState, at, minute, policyOf, runIn, sentStart, stored } from './command-states.ts';

const start = aCommand({ id: 'at-ten', validFor: 'P1D' });
const stop = aCommand({ id: 'stop', action: 'stop', issuedAt: minute(5) });
const sentStop = { id: 'stop', issuedAt: minute(5), word: 'stopped' };
const lease = { owner: 'me', until: minute(7) };
const theirs = { owner: 'another attempt', until: minute(7) };
const unknown: StateBefore = { state: 'start-unknown', start: sentStart(), landsUntil: minute(1) };

const refused = (httpStatus: number): CallFailure => ({ kind: 'refused', why: 'no', evidence: { httpStatus } });
const noAnswer: CallFailure = { kind: 'no-answer', why: 'connection lost', evidence: { requestSent: true } };

const starting = (fields: object = {}): RunState => ({
  state: 'starting',
  start: sentStart(),
  before: { state: 'idle' },
  lease,
  ...fields,
});
const stopping = (fields: object = {}): RunState => ({
  state: 'stopping',
  stop: sentStop,
  before: { state: 'running', start: sentStart() },
  lease,
  ...fields,
});

/** What an answer means that was sent and came so many minutes after ten. */
function answered(
  command: typeof start,
  run: RunState,
  answer: PatchAnswer,
  { sentAfter = 6, cameAfter = 6, ...more }: Partial<CommandState> & { sentAfter?: number; cameAfter?: number } = {},
): Decision {
  const event = { type: 'answered', owner: 'me', sentAt: at(sentAfter), answer } as const;
  return decide(aState({ command, run: runIn(run), ...more }), event, policyOf(command), at(cameAfter));
}

/** The row of another command, by its id. */
const beside = (row: CommandRow): Pick<CommandState, 'others'> => ({ others: new Map([[row.id, stored(row)]]) });
const rowIn = ({ changes }: Decision, id: string): CommandRow | undefined =>
  changes.map(({ after }) => after).find((row): row is CommandRow => row.kind === 'command' && row.id === id);

const ownRowIn = ({ changes }: Decision): CommandRow | undefined =>
  changes.map(({ after }) => after).findLast((row) => row.kind === 'command');
const outcomeIn = (decision: Decision) => ownRowIn(decision)?.outcome;

describe('an answer that comes once another attempt has the row', () => {
  test.each([
    ['a start', start, starting({ lease: theirs })],
    ['a stop', stop, stopping({ lease: theirs })],
  ] as const)('changes nothing: %s', (_what, command, run) => {
    for (const answer of [{ kind: 'applied' } as const, refused(409)]) {
      const { changes, then } = answered(command, run, answer);

      expect([changes, then.kind]).toEqual([[], 'wait']);
    }
  });

  test('ends the start in doubt that it proves to have begun', () => {
    expect(outcomeIn(answered(start, unknown, { kind: 'applied' }))?.kind).toBe('applied');
  });
});

describe('a start', () => {
  test('without an answer says at once what came back, also if its worker dies before it reads the campaign', () => {
    const { attempt } = ownRowIn(answered(start, starting(), noAnswer)) ?? {};

    expect(attempt).toMatchObject({ lastError: 'connection lost', evidence: { requestSent: true } });
  });

  test('that was not applied holds no run id while it waits', () => {
    const row = stored({ ...newCommandRow(start, at(0)), campaignRunId: smokeId });
    const again = answered(start, starting(), { kind: 'not-applied', why: 'busy', evidence: {} }, { row });

    expect(again.then.kind).toBe('wait');
    expect(ownRowIn(again)?.campaignRunId).toBeUndefined();
  });
});

describe('a stop', () => {
  test.each([
    ['left before the start could land no more', 5.9, 'wait'],
    ['left after that', 6, 'outcome'],
  ])('that %s is the last one only then, however late its answer comes', (_when, sent, then) => {
    const decision = answered(
      stop,
      stopping({ before: unknown }),
      { kind: 'applied' },
      { sentAfter: sent, cameAfter: 6.1 },
    );

    expect(decision.then.kind).toBe(then);
  });

  test('of a delayed start goes out once more after its delay', () => {
    const before: StateBefore = { state: 'running', start: sentStart({ startAt: minute(15) }) };
    const sentAt = (sent: number) =>
      answered(stop, stopping({ before }), { kind: 'applied' }, { sentAfter: sent, cameAfter: sent });

    expect(sentAt(20.9).then.kind).toBe('wait');
    expect(sentAt(21).then.kind).toBe('outcome');
  });

  test.each([409, 412, 422])(
    'that was applied and goes out once more is applied if it is refused with %i',
    (status) => {
      expect(outcomeIn(answered(stop, stopping({ appliedAt: minute(5) }), refused(status)))?.kind).toBe('applied');
    },
  );

  test.each([
    [409, 'applied'],
    [412, 'applied'],
    [422, 'applied'],
    [400, 'parked'],
    [403, 'parked'],
    [404, 'parked'],
  ])('of a run that another stop ended and that is refused with %i is %s', (status, kind) => {
    const before: StateBefore = { state: 'idle', stopped: { id: 'earlier', at: minute(1) } };

    expect(outcomeIn(answered(stop, stopping({ before }), refused(status)))?.kind).toBe(kind);
  });
});

/** What becomes of the start in doubt that a stop has ended. */
const ended = (fields: object, row: CommandRow) =>
  rowIn(
    answered(
      stop,
      stopping({ before: unknown, ...fields }),
      { kind: 'applied' },
      { sentAfter: 31, cameAfter: 31, ...beside(row) },
    ),
    'at-ten',
  )?.outcome;

describe('the start in doubt that a stop ended', () => {
  const plannedBy = { startId: 'at-ten', at: minute(30) };
  const interval = expect.stringContaining(`it may have run from ${minute(0)} until ${minute(31)}`);

  test('is superseded, and says when it may have run', () => {
    expect(ended({}, newCommandRow(start, at(0)))).toMatchObject({ kind: 'superseded', detail: interval });
  });

  test('needs a person if it was its own planned stop that ended it', () => {
    const reason = 'START_OUTCOME_UNKNOWN';

    expect(ended({ stop: { ...sentStop, plannedBy } }, newCommandRow(start, at(0)))).toMatchObject({
      reason,
      detail: interval,
    });
  });

  test('goes on if a person has ordered its repeat since', () => {
    const resolutions = [{ decision: 'repeat', by: 'ann', reason: 'looked', at: minute(20) }] as const;

    expect(ended({}, { ...newCommandRow(start, at(0)), resolutions })).toBeUndefined();
  });
});

describe('a planned stop that a waiting start sends', () => {
  const at30 = minute(30);
  const due = aCommand({ id: commandIds.dueStop(smokeId, at30, 'at-ten'), action: 'stop', issuedAt: at30 });
  const next = aCommand({ id: 'next', issuedAt: minute(30) });
  const run = stopping({ stop: { ...sentStop, id: due.id, plannedBy: { startId: 'at-ten', at: at30 } } });
  const patience: Patience = { status: 403, tries: 3 };
  const forbidden: CallFailure = { kind: 'not-applied', why: 'no', evidence: { httpStatus: 403 }, patience };
  const twice = { crashes: 0, since: minute(0), tries: 2, refusals: { status: 403, count: 2, since: minute(0) } };

  test('counts its tries in its own row', () => {
    const decision = answered(next, run, forbidden, { cameAfter: 31, ...beside(newCommandRow(due, at(30))) });

    expect(rowIn(decision, due.id)).toMatchObject({
      openState: 'PENDING',
      attempt: { tries: 1, refusals: { count: 1 } },
    });
  });

  test('is not given up because of the refusals of that start', () => {
    const row = stored({ ...newCommandRow(next, at(30)), attempt: twice });
    const decision = answered(next, run, forbidden, { cameAfter: 31, row, ...beside(newCommandRow(due, at(30))) });

    expect(rowIn(decision, due.id)?.outcome).toBeUndefined();
  });

  test('is given up after its own', () => {
    const decision = answered(next, run, forbidden, {
      cameAfter: 31,
      ...beside({ ...newCommandRow(due, at(30)), attempt: twice }),
    });

    expect(rowIn(decision, due.id)?.outcome?.kind).toBe('parked');
  });
});

test('a second stop does not let a start pass that the stop before it holds back', () => {
  const before: StateBefore = { state: 'idle', noStartBefore: minute(20) };
  const run = answered(stop, stopping({ before }), { kind: 'applied' })
    .changes.map(({ after }) => after)
    .find((row) => row.kind === 'run');
  const later = aCommand({ id: 'later', issuedAt: minute(7) });
  const decidedAt = (minutes: number) =>
    decide(aState({ command: later, run: run && stored(run) }), { type: 'command' }, policyOf(later), at(minutes));

  expect(decidedAt(19.9).then.kind).toBe('wait');
  expect(decidedAt(20).effect?.do).toBe('patch');
});

test.each([
  ['a start in doubt can land no more', unknown],
  ['an earlier update can land no more', { state: 'idle' } as const],
])('an update waits until %s', (_what, state) => {
  const command = aCommand({ id: 'update', action: 'update', issuedAt: minute(2), name: 'second' });
  const pending = { id: 'earlier', issuedAt: minute(0), landsUntil: minute(1) };
  const run = { ...runIn(state), update: state === unknown ? undefined : { pending } };
  const loaded: CommandState = aState({ command, run });
  const decidedAt = (minutes: number) => decide(loaded, { type: 'command' }, policyOf(command), at(minutes));

  expect(decidedAt(5.9).then.kind).toBe('wait');
  expect(decidedAt(6).effect?.do).toBe('patch');
});

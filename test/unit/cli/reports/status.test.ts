import { describe, expect, test } from 'vitest';
import { command, severalStatuses } from '#cli/reports/status.ts';
import { personDeps } from '#cli/command-deps.ts';
import { exitCodes } from '#cli/terminal/command.ts';
import { setSwitch, stageSwitch } from '#shared/ledger/switches.ts';
import { UnreachableError } from '#operator/errors.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { WatchRow } from '#shared/ledger/rows/watch-row.ts';
import { type FindingRow, withFinding } from '#shared/ledger/results/finding-row.ts';
import type { FindingKind } from '#shared/ledger/rows/row-keys.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { InFlight } from '#shared/ledger/rows/target-row.ts';
import { argumentsOf, fakeClock, fakeDeps as anyDeps, type FakeStage, textOf } from '../../operator/fake-deps.ts';
import { keptTerminal } from '../../../builders/kept-terminal.ts';
import { commandRow, runCommand, runEndsRow, startOf, targetRow } from '../../../builders/run-rows.ts';
import { confirmationRow, eveningRun, gateRow, uploadRow, weeknightsSchedule } from '../../operator/parked-fixtures.ts';
const answering = (mode: string) => ({ payload: JSON.stringify({ mode, runs: {} }) });

/** A stage that acts, unless told otherwise. */
const fakeDeps = (stage: FakeStage = {}) => anyDeps({ functionAnswer: answering('act'), ...stage });

const schedule = weeknightsSchedule({ timezone: 'Europe/Berlin', input: '{}' });

test('status of a fresh stage says none, and names no past', async () => {
  const text = textOf(await command.run(argumentsOf(command), fakeDeps().deps));

  expect(text.match(/ {2}none/g)).toHaveLength(5);
});

test('status names a watch whose changes wait until nothing more changes', async () => {
  const { deps, ledger } = fakeDeps();
  const since = '2026-11-20T19:55:00.000Z';
  await ledger.write<WatchRow>(undefined, {
    pk: ledgerKeys.watch('vendor'),
    kind: 'watch',
    name: 'vendor',
    filtersHash: '0',
    changeSet: { id: 'c1', since, changedAt: since, changes: [], more: 0, starts: [], isClosing: false },
    openState: 'SETTLING',
    openSince: since,
  });

  const text = textOf(await command.run(argumentsOf(command), deps));

  expect(text).toMatch(/watch +vendor, changes that wait until nothing more changes +for 5 min/);
});

/** A run of `nightly` since ten in the morning. */
const morningRun = (campaignRunId: string, fields: Partial<InFlight> = {}): InFlight =>
  eveningRun({ campaignRunId, startId: campaignRunId, due: '2026-11-20T10:00:00.000Z', ...fields });

test('status of a stage that observes says on top which runs it started for real, and that no stop is sent', async () => {
  const { deps, ledger, acting } = fakeDeps({ mode: 'observe' });
  const overdue = morningRun('r-1', { plansStop: true, endsAt: '2026-11-20T18:00:00.000Z' });
  const before = await acting.write(undefined, targetRow(overdue));
  await acting.write(undefined, startOf(overdue));
  const text = async () => textOf(await command.run(argumentsOf(command), deps));

  expect(await text()).toMatch(
    /PROBLEM +nightly's stop +its stop was due 18:00: late by 2 h\n.*\n +PROBLEM +mode .*1 run that was started for real goes on/,
  );

  await acting.write(before, targetRow(overdue, morningRun('r-2')));
  await ledger.write(undefined, targetRow(morningRun('r-3')));
  expect(await text()).toContain('2 runs that were started for real go on');
});

test.each([
  [{}, /Gateway connection\n  ok: workers call the gateway/],
  [
    { closed: { probeAt: '2026-11-20T20:01:00.000Z', failedProbes: 3 } },
    /PROBLEM +gateway connection +down for 1 h: POST \/datasets was answered 401 \(since 2026-11-20T19:00:00.000Z; next probe 2026-11-20T20:01:00.000Z\)/,
  ],
  [
    { pausedUntil: '2026-11-20T20:00:30.000Z' },
    /warning +gateway connection +paused for 1 h: .*until 2026-11-20T20:00:30.000Z\)/,
  ],
  [{ pausedUntil: '2026-11-20T19:59:30.000Z' }, /Gateway connection\n  ok/],
])('status says whether workers may call the gateway, since when not, and why: %j', async (fields, line) => {
  const reason = 'POST /datasets was answered 401';
  const { deps } = fakeDeps({ rows: [gateRow({ closed: undefined, reason, ...fields })] });

  const result = await command.run(argumentsOf(command), deps);

  expect(textOf(result)).toMatch(line);
});

// With --utc the head said UTC, and the sentences had the clock of the stage.
test('the sentence of a run has its times by the clock that the operator asked for', async () => {
  const { deps } = fakeDeps({ rows: [targetRow(eveningRun()), startOf(eveningRun())] });

  const result = await command.run(argumentsOf(command), { ...deps, zone: 'Asia/Tokyo' });

  expect(textOf(result)).toContain('runs since 04:30');
  expect(personDeps(keptTerminal().terminal, { isUtc: true }).zone).toBe('UTC');
});

test('status tells how far a run is, if it was read, and when it usually ends', async () => {
  const shown = { status: 'in_progress', progress: 212, total: 1180, at: '2026-11-20T20:00:00.000Z' } as const;
  const { deps } = fakeDeps({
    rows: [targetRow(eveningRun()), startOf(eveningRun()), runEndsRow(45, 10, 120), confirmationRow({ shown })],
  });

  const text = textOf(await command.run(argumentsOf(command), deps));

  expect(text).toContain('nightly (r-1)  runs since 19:30, 212 of 1,180');
  expect(text).toContain('usually ends 2026-11-20T20:15:00.000Z');
});

/** A finding about the last start of nightly, as the watcher writes it. */
function aFinding(finding: FindingKind): FindingRow {
  const [startAt, at] = ['2026-11-20T19:30:00.000Z', '2026-11-20T19:50:00.000Z'];
  const start = { startId: 'start-1', campaignRunId: 'r-1', startAt, at };
  const row = withFinding(undefined, { run: 'nightly', finding }, start);
  if (row === undefined) throw new Error('a first finding is noted');
  return row;
}

// It was "Quiet until tomorrow", above "applied start nightly".
test('a failed night is red on top, a need and a line of the past, and one object in --json', async () => {
  const shown = { status: 'error', progress: 610, total: 1180, at: '2026-11-20T19:50:00.000Z' } as const;
  const start = startOf(eveningRun({ plansStop: true }), { openState: 'ENDED', openSince: '2026-11-20T19:30:00.000Z' });
  const { deps } = fakeDeps({ rows: [start, confirmationRow({ shown }), aFinding('RUN_FAILED')] });

  const result = await command.run(argumentsOf(command), deps);

  const says = 'failed after 20 min, 610 of 1,180';
  const lines = textOf(result).split('\n');
  expect(lines[1]).toBe('Last night: 1 run: 1 failed. Quiet: no start is scheduled');
  expect(lines.join('\n')).toContain(`PROBLEM  nightly's result  ${says}`);
  expect(lines).toContain(`  2026-11-20T19:50:00.000Z  nightly  ${says}`);
  expect(result.data).toMatchObject({
    headline: { tone: 'bad' },
    runs: [
      {
        run: 'nightly',
        campaignRunId: 'r-1',
        startId: 'start-1',
        state: 'failed',
        tone: 'bad',
        says,
        startAt: '2026-11-20T19:30:00.000Z',
        endedAt: '2026-11-20T19:50:00.000Z',
        findings: ['RUN_FAILED'],
      },
    ],
  });
});

describe('a run in flight', () => {
  test('is named beside the last run of its campaign, if that was started elsewhere', async () => {
    const { deps, ledger } = fakeDeps({ rows: [targetRow(eveningRun())] });
    const before = textOf(await command.run(argumentsOf(command), deps));
    const lastRun = '0197f3a0-5b1c-7d2e-8f30-0000000000ff';
    const row = await ledger.write(undefined, confirmationRow({ lastRun, lastRunAt: '2026-11-20T19:50:00.000Z' }));

    const text = textOf(await command.run(argumentsOf(command), deps));
    await ledger.write(row, confirmationRow({ lastRun, lastRunAt: '2026-02-20T19:50:00.000Z' }));
    const old = textOf(await command.run(argumentsOf(command), deps));

    expect(text).toContain(
      `\nThe last run of the campaign of nightly (r-1) was started elsewhere: ${lastRun}, began 2026-11-20T19:50:00.000Z\n`,
    );
    // One of February looked like an intruder.
    expect([before, old].join()).not.toContain('elsewhere');
  });
});

describe('a command that was tried and has no outcome', () => {
  const id = 'weeknights@2026-11-20T19:45:00Z';
  const pending: CommandRow = commandRow(runCommand({ id, issuedAt: '2026-11-20T19:45:00Z' }), {
    attempt: {
      crashes: 0,
      since: '2026-11-20T19:45:01.000Z',
      tries: 3,
      waitsFor: 'the gateway, whose connection was down at the last try',
      lastError: 'PATCH was answered 503: down for the night',
      nextTryAt: '2026-11-20T20:04:00.000Z',
    },
    openState: 'PENDING',
    openSince: '2026-11-20T19:45:01.000Z',
  });

  test('is an upload that was tried and waits, and no longer only in flight', async () => {
    const { deps, ledger } = fakeDeps();
    const openSince = '2026-11-20T19:45:01.000Z';
    const key = 'datasets/pii/names.csv';
    const waits = { lastError: 'POST was answered 503', notBefore: '2026-11-20T20:04:00.000Z' };
    const open = { state: 'READY', openState: 'IN_FLIGHT', openSince } as const;
    await ledger.write(undefined, uploadRow({ key, attempts: 2, ...waits, ...open }));

    const result = await command.run(argumentsOf(command), deps);

    expect(textOf(result)).toContain(
      `Retrying (1)\n  ${key}  2 tries  next try 2026-11-20T20:04:00.000Z  last error: POST was answered 503\n`,
    );
    expect(result.data).toMatchObject({ inFlight: [], pending: [{ id: key, tries: 2 }] });
  });

  test('is a deferred start only once it was tried after its blackout', async () => {
    const { deps, ledger } = fakeDeps();
    const openSince = '2026-11-20T19:50:00.000Z';
    const deferred: CommandRow = {
      ...pending,
      openState: 'DEFERRED',
      openSince,
      deferred: { from: '2026-11-20T19:45:00.000Z', until: openSince, blackout: 'freeze' },
    };
    await ledger.write<CommandRow>(undefined, { ...deferred, attempt: undefined });
    await ledger.write<CommandRow>(undefined, { ...deferred, pk: 'command#tried', id: 'tried' });

    const { data } = await command.run(argumentsOf(command), deps);

    expect(data).toMatchObject({
      inFlight: [{ subject: 'start nightly' }],
      pending: [{ id: 'tried' }],
    });
  });
});

test('status says that the clock of a local run was moved', async () => {
  const reading = { now: new Date('2026-11-21T06:00:00Z'), offsetMs: 10 * 3_600_000 };
  const moved = anyDeps({ functionAnswer: answering('act'), clock: { ...fakeClock(), read: async () => reading } });

  const result = await command.run(argumentsOf(command), moved.deps);

  expect(textOf(result)).toContain('The clock of this stage is 10 h ahead of this machine');
  expect(result.data).toMatchObject({ clock: { offsetMs: 10 * 3_600_000 } });
});

// "watch-campaigns in 4 s" beside each, and a clock that is days ahead was not told.
test('of several stages each tells its next start, and how far its clock is ahead', async () => {
  const reading = { now: new Date('2026-11-20T20:00:00Z'), offsetMs: 72 * 3_600_000 };
  const input = JSON.stringify({ action: 'start', run: 'nightly' });
  const { deps } = anyDeps({
    functionAnswer: answering('act'),
    clock: { ...fakeClock(), read: async () => reading },
    schedules: [
      { ...schedule, name: 'watch-campaigns', expression: 'cron(* * * * ? *)', input: '{"watch":true}' },
      { ...schedule, input },
    ],
  });

  const seen = await severalStatuses([{ label: 'a', words: ['--data', 'a'], open: () => deps }]);

  expect(textOf(seen)).toMatch(/\na +\S.* weeknights 2026-11-20T21:00:00.000Z \(its clock is 3 days ahead\)$/);
});

const lost = (): never => {
  throw new UnreachableError('nothing runs there');
};

test('of several stages --json keeps their order, and one that is not read is the exit code', async () => {
  const [calm, frozen] = [fakeDeps(), fakeDeps()];
  await setSwitch(frozen.ledger, stageSwitch, { isOn: true, by: 'ann', reason: 'INC-77', at: new Date() });
  const opened = Object.entries({ calm: () => calm.deps, frozen: () => frozen.deps, lost });

  const seen = await severalStatuses(opened.map(([label, open]) => ({ label, words: ['--data', label], open })));

  expect(seen).toMatchObject({
    exitCode: exitCodes.unreachable,
    data: [
      { asked: 'calm', switches: [], exitCode: 0 },
      { asked: 'frozen', switches: [{ scope: 'stage', reason: 'INC-77' }], exitCode: 0 },
      { asked: 'lost', error: { code: 'UNREACHABLE' }, exitCode: 3 },
    ],
  });
});

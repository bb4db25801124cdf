import { describe, expect, test } from 'vitest';
import { command, severalStatuses } from '#cli/status/status.ts';
import type { DeployedSchedule } from '#shared/aws/schedules.ts';
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import type { GateRow } from '#shared/ledger/rows/gate-row.ts';
import { ledgerKeys, observedPrefix } from '#shared/ledger/rows/row-keys.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { WatchRow } from '#shared/ledger/rows/watch-row.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { type RunRow, runRowOf, type RunState, type SentStart } from '#shared/ledger/rows/run-row.ts';
import { rememberStartsElsewhere } from '#shared/ledger/starts-elsewhere.ts';
import { rememberRecentOutcomes } from '#shared/ledger/recent-outcomes.ts';
import { argumentsOf, fakeClock, fakeDeps as anyDeps, type FakeStage, textOf } from '../../operator/fake-deps.ts';
import { anEveningStart, parkedUpload, runningRow, stopAt } from '../../operator/parked-fixtures.ts';
const answering = (mode: string) => ({ payload: JSON.stringify({ mode, runs: {} }) });

/** A stage that acts, unless told otherwise. */
const fakeDeps = (stage: FakeStage = {}) => anyDeps({ functionAnswer: answering('act'), ...stage });

const schedule: DeployedSchedule = {
  name: 'weeknights',
  expression: 'cron(0 22 ? * MON-FRI *)',
  timezone: 'Europe/Berlin',
  isEnabled: true,
  targetArn: 'arn:aws:sqs:eu-west-1:000000000000:commands',
  input: '{}',
};

test('status tells queues, schedules in both zones, what is parked and in flight, and the last outcomes', async () => {
  const { deps, ledger } = fakeDeps({
    schedules: [
      { ...schedule, name: 'off', isEnabled: false },
      { ...schedule, name: 'over', expression: 'at(2020-01-01T00:00:00)' },
      { ...schedule, name: 'poll', expression: 'rate(15 minutes)' },
      { ...schedule, name: 'hourly', expression: 'rate(1 hour)', createdAt: new Date('2026-11-19T06:40:00Z') },
      schedule,
    ],
    depths: { commands: 3, 'uploads-dlq': 1 },
  });
  await ledger.write<UploadRow>(undefined, parkedUpload());
  await ledger.write(undefined, runningRow('r-1', {}, { run: 'nightly' }));
  await rememberRecentOutcomes(ledger, [
    { worker: 'register-datasets', subject: 'datasets/b.csv', kind: 'applied', at: '2026-11-20T19:59:00.000Z' },
  ]);

  const result = await command.run(argumentsOf(command), deps);

  const text = textOf(result);
  for (const part of [
    /stage local \(\d+\.\d+\.\d+\), local run at http:\/\/127.0.0.1:4566, 2026-11-20T20:00:00.000Z/,
    /commands +3 waiting/,
    /uploads, dead letters +1 waiting/,
    /weeknights +2026-11-20T21:00:00.000Z +cron\S+ .* Fri 2026-11-20 22:00 Europe\/Berlin/,
    /off +disabled/,
    /over +never again/,
    /hourly +2026-11-20T20:40:00.000Z +rate\(1 hour\)\n/,
    /5 empty/,
    /poll +counts from its creation/,
    /Parked \(1\)/,
    /POST_OUTCOME_UNKNOWN/,
    /run +nightly \(r-1\) +for 30 min/,
    /applied +datasets\/b.csv .*2026-11-20T19:59:00.000Z/,
  ]) {
    expect(text).toMatch(part);
  }
  expect(result.exitCode).toBe(0);
  expect(result.data).toMatchObject({
    schedules: [{ name: 'hourly' }, { name: 'weeknights', next: '2026-11-20T21:00:00.000Z' }, {}, {}, {}],
  });
});

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

test('status says on top that the stage only observes, and nothing of one that acts', async () => {
  const observing = await command.run(argumentsOf(command), fakeDeps({ functionAnswer: answering('observe') }).deps);
  const acting = await command.run(argumentsOf(command), fakeDeps().deps);

  expect(textOf(observing).split('\n').slice(1, 3)).toEqual([
    '',
    expect.stringMatching(
      /^OBSERVES: everything is read and judged; nothing is started, stopped, changed or registered/,
    ),
  ]);
  expect(observing.data).toMatchObject({ mode: 'observe' });
  expect(textOf(acting)).not.toMatch(/observe/i);
  expect(acting.data).toMatchObject({ mode: 'act' });
});

/** A run of `nightly` since ten in the morning. */
const inFlight = (id: string, start: Partial<SentStart> = {}): RunRow =>
  runningRow(id, { effectAt: '2026-11-20T10:00:00.000Z', ...start }, { run: 'nightly' });

test('status of a stage that observes says on top which runs it started for real, and that no stop is sent', async () => {
  const { deps, ledger } = fakeDeps({ functionAnswer: answering('observe') });
  await ledger.write(undefined, inFlight('r-1', { plannedStop: stopAt('2026-11-20T18:00:00.000Z') }));
  const onTop = async () =>
    textOf(await command.run(argumentsOf(command), deps))
      .split('\n')
      .slice(3, 6);

  expect(await onTop()).toEqual([
    '1 run that was started for real goes on: no stop is sent while the stage observes',
    '  nightly (r-1): its stop was due 2026-11-20T18:00:00.000Z and is overdue for 2 h',
    '',
  ]);

  await ledger.write(undefined, inFlight('r-2'));
  await ledger.write(undefined, { ...inFlight('r-3'), pk: `${observedPrefix}${ledgerKeys.run('r-3')}` });
  expect(await onTop()).toEqual([
    '2 runs that were started for real go on: no stop is sent while the stage observes',
    expect.stringContaining('nightly (r-1)'),
    '  nightly (r-2): no stop is planned',
  ]);
});

test('status of a stage whose worker does not answer shows the rest, and says that its mode is not known', async () => {
  const result = await command.run(
    argumentsOf(command),
    fakeDeps({ functionAnswer: { payload: '', functionError: 'Unhandled' } }).deps,
  );

  expect(result.exitCode).toBe(0);
  expect(textOf(result)).toMatch(/only observes is not known: answer-questions did not answer .*Unhandled/);
  expect(textOf(result)).toContain('Gate\n  open');
  expect(result.data).toMatchObject({ mode: 'unknown' });
});

test('status takes no words', async () => {
  await expect(command.run(argumentsOf(command, 'prod'), fakeDeps().deps)).rejects.toThrow(/--stage/);
});

test.each([
  [{}, /Gate\n  open: workers call the gateway/],
  [
    { closed: { probeAt: '2026-11-20T20:01:00.000Z', failedProbes: 3 } },
    /Gate\n  closed since 2026-11-20T19:00:00.000Z: POST \/datasets was answered 401 \(next probe 2026-11-20T20:01:00.000Z\)/,
  ],
  [
    { pausedUntil: '2026-11-20T20:00:30.000Z' },
    /Gate\n  paused since 2026-11-20T19:00:00.000Z: .* \(until 2026-11-20T20:00:30.000Z\)/,
  ],
  [{ pausedUntil: '2026-11-20T19:59:30.000Z' }, /Gate\n  open/],
])('status says whether workers may call the gateway, since when not, and why: %j', async (fields, line) => {
  const { deps, ledger } = fakeDeps();
  const said = { since: '2026-11-20T19:00:00.000Z', reason: 'POST /datasets was answered 401' };
  await ledger.write<GateRow>(undefined, { pk: ledgerKeys.gate(), kind: 'gate', ...said, ...fields });

  const result = await command.run(argumentsOf(command), deps);

  expect(textOf(result)).toMatch(line);
});

test('status tells which start is not confirmed, until its sign is there', async () => {
  const { deps, ledger } = fakeDeps();
  const confirm = {
    commandId: 'weeknights@2026-11-19T22:00:00Z',
    campaignId: '019ba000-0000-7000-8000-000000000201',
    by: 'runCount',
    before: 41,
    until: '2026-11-19T22:30:00.000Z',
  } as const;
  const start = { startId: confirm.commandId, confirm, effectAt: '2026-11-19T22:00:00.000Z' };
  await ledger.write(undefined, runningRow('r-1', start, { run: 'nightly' }));
  const line = async () => /^.*nightly.*$/m.exec(textOf(await command.run(argumentsOf(command), deps)))?.[0];
  const item: ConfirmationRow = {
    pk: ledgerKeys.confirmation({ campaignRunId: 'r-1', commandId: confirm.commandId }),
    kind: 'confirmation',
    campaignRunId: 'r-1',
    awaited: confirm,
  };

  const awaited = await line();
  const missing = await ledger.write<ConfirmationRow>(undefined, {
    ...item,
    missingSince: '2026-11-19T22:30:00.000Z',
  });
  const unconfirmed = await line();
  await ledger.write<ConfirmationRow>(missing, { ...item, confirmed: { at: '2026-11-19T22:40:00.000Z', reads: 42 } });

  expect(awaited).toMatch(/nightly \(r-1\) +for/);
  expect(unconfirmed).toMatch(/nightly \(r-1\), its start is not confirmed +for/);
  expect(await line()).toBe(awaited);
});

describe('a run whose start or stop has no answer', () => {
  const start = anEveningStart({ plannedStop: stopAt('2026-11-21T06:00:00.000Z') });
  const stop = { id: 'stop-1', issuedAt: '2026-11-20T19:58:00.000Z', word: 'stopped' };
  const landsUntil = '2026-11-20T19:31:30.000Z';
  const running: RunState = { state: 'running', start };

  test.each<[string, RunState, string, object]>([
    ['accepted', running, 'for 30 min', { state: 'started' }],
    [
      'whose planned stop is due',
      { state: 'running', start: { ...start, plannedStop: stopAt('2026-11-20T19:59:30.000Z') } },
      'for 30 min',
      { state: 'stop due' },
    ],
    [
      'never answered',
      { state: 'start-unknown', start, landsUntil },
      'in doubt since 2026-11-20T19:30:00.000Z',
      { state: 'in doubt', inDoubtSince: '2026-11-20T19:30:00.000Z', inDoubtOf: 'start' },
    ],
    [
      'whose worker died',
      {
        state: 'starting',
        start,
        before: { state: 'idle' },
        lease: { owner: 'attempt-1', until: '2026-11-20T19:30:30.000Z' },
      },
      'in doubt since 2026-11-20T19:30:00.000Z',
      { state: 'in doubt', inDoubtOf: 'start' },
    ],
    [
      'that leaves now',
      {
        state: 'starting',
        start,
        before: { state: 'idle' },
        lease: { owner: 'attempt-1', until: '2026-11-20T20:00:20.000Z' },
      },
      'starting',
      { state: 'starting' },
    ],
    [
      'being stopped',
      { state: 'stopping', stop, before: { state: 'running', start } },
      'stopping',
      { state: 'stopping' },
    ],
    [
      'whose stop was never answered',
      { state: 'stop-unknown', stop, before: { state: 'running', start }, landsUntil },
      'its stop is in doubt since 2026-11-20T19:58:00.000Z',
      { state: 'in doubt', inDoubtSince: '2026-11-20T19:58:00.000Z', inDoubtOf: 'stop' },
    ],
  ])('a start %s', async (_what, state, words, standing) => {
    const { deps, ledger } = fakeDeps();
    await ledger.write(undefined, runRowOf({ campaignRunId: 'r-1', run: 'nightly' }, state));

    const result = await command.run(argumentsOf(command), deps);

    const line = /^.*nightly.*$/m.exec(textOf(result))?.[0];
    expect(line).toMatch(new RegExp(`^  run +nightly \\(r-1\\) +${words} +its stop (is|was) due 2026-11-2`));
    expect(line?.includes('for 30 min')).toBe(words === 'for 30 min');
    expect(result.data).toMatchObject({ inFlight: [{ kind: 'run', ...standing }] });
  });

  test('that counts as in flight no more is not listed', async () => {
    const { deps, ledger } = fakeDeps();
    await ledger.write(undefined, runningRow('r-1', { until: '2026-11-20T19:59:00.000Z' }));
    await ledger.write(
      undefined,
      runRowOf({ campaignRunId: 'r-2' }, { state: 'stopping', stop, before: { state: 'idle' } }),
    );

    expect((await command.run(argumentsOf(command), deps)).data).toMatchObject({ inFlight: [] });
  });
});

describe('a command that was tried and has no outcome', () => {
  const id = 'weeknights@2026-11-20T19:45:00Z';
  const pending: CommandRow = {
    pk: ledgerKeys.command(id),
    kind: 'command',
    id,
    command: {
      version: 1,
      id,
      action: 'start',
      run: 'nightly',
      issuedAt: '2026-11-20T19:45:00Z',
      origin: { kind: 'schedule', name: 'weeknights' },
    },
    attempt: {
      crashes: 0,
      since: '2026-11-20T19:45:01.000Z',
      tries: 3,
      waitsFor: 'the gateway gate is closed',
      lastError: 'PATCH was answered 503: down for the night',
      nextTryAt: '2026-11-20T20:04:00.000Z',
    },
    openState: 'PENDING',
    openSince: '2026-11-20T19:45:01.000Z',
  };

  test('stands with its run, tries, what it waits for, its last error and its next try', async () => {
    const { deps, ledger } = fakeDeps();
    await ledger.write(undefined, pending);

    const result = await command.run(argumentsOf(command), deps);

    expect(textOf(result)).toContain(
      `Pending (1)\n  ${id}  nightly  since 2026-11-20T19:45:01.000Z  3 tries  the gateway gate is closed; last error: PATCH was answered 503: down for the night  next try 2026-11-20T20:04:00.000Z\n`,
    );
    // Of several stages it was in flight, and by itself it was not.
    const several = await severalStatuses([{ label: 'a', words: ['--data', 'a'], open: () => deps }]);
    expect(textOf(several)).toMatch(/\nstage +needs a person +in flight +pending +next start\na +\S.* {2}0 +1$/m);
    expect(result.data).toMatchObject({
      pending: [{ id, run: 'nightly', tries: 3, lastError: 'PATCH was answered 503: down for the night' }],
    });
  });

  test('is an upload that was tried and waits, and no longer only in flight', async () => {
    const { deps, ledger } = fakeDeps();
    const openSince = '2026-11-20T19:45:01.000Z';
    const key = 'datasets/pii/names.csv';
    await ledger.write<UploadRow>(undefined, {
      pk: ledgerKeys.upload('bucket', key, 'v1'),
      kind: 'upload',
      state: 'READY',
      bucket: 'bucket',
      key,
      eventTime: openSince,
      attempts: 2,
      crashes: 0,
      lastError: 'POST was answered 503',
      notBefore: '2026-11-20T20:04:00.000Z',
      openState: 'IN_FLIGHT',
      openSince,
    });

    const result = await command.run(argumentsOf(command), deps);

    expect(textOf(result)).toContain(
      `Pending (1)\n  ${key}  since ${openSince}  2 tries  last error: POST was answered 503  next try 2026-11-20T20:04:00.000Z\n`,
    );
    expect(result.data).toMatchObject({ inFlight: [], pending: [{ id: key, tries: 2 }] });
  });

  test('is a deferred start only once it was tried after its blackout', async () => {
    const { deps, ledger } = fakeDeps();
    const openSince = '2026-11-20T19:50:00.000Z';
    const deferred = {
      ...pending,
      openState: 'DEFERRED',
      openSince,
      deferred: { until: openSince, blackout: 'freeze' },
    };
    await ledger.write<CommandRow>(undefined, { ...deferred, openState: 'DEFERRED', attempt: undefined });
    await ledger.write<CommandRow>(undefined, { ...deferred, openState: 'DEFERRED', pk: 'command#tried', id: 'tried' });

    const { data } = await command.run(argumentsOf(command), deps);

    const subject = `start nightly, put off by the blackout freeze`;
    expect(data).toMatchObject({ inFlight: [{ subject }], pending: [{ id: 'tried' }] });
  });
});

test('status says that the clock of a local run was moved', async () => {
  const reading = { now: new Date('2026-11-21T06:00:00Z'), offsetMs: 10 * 3_600_000 };
  const moved = anyDeps({ functionAnswer: answering('act'), clock: { ...fakeClock(), read: async () => reading } });

  const result = await command.run(argumentsOf(command), moved.deps);

  expect(textOf(result)).toContain('the clock of this stage is 10 h ahead of this machine');
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

test('status names the starts that another person or tool made, and says nothing if there are none', async () => {
  const { deps, ledger } = fakeDeps();
  expect(textOf(await command.run(argumentsOf(command), deps))).not.toContain('another person');
  const report = { campaignId: 'c-1', from: '2026-11-20T18:00:00.000Z', to: '2026-11-20T18:06:00.000Z' };
  await rememberStartsElsewhere(ledger, { ...report, campaigns: ['chat-bot', 'voice-bot'], starts: 2 });

  const result = await command.run(argumentsOf(command), deps);

  expect(textOf(result)).toMatch(
    /Started by another person or tool\n +chat-bot, voice-bot: 2 starts between 2026-11-20T18:00:00.000Z and 2026-11-20T18:06:00.000Z/,
  );
  expect(result.data).toMatchObject({ startsElsewhere: [{ campaignId: 'c-1', starts: 2 }] });
});

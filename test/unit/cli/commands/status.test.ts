import { expect, test } from 'vitest';
import { command } from '../../../../cli/commands/status.ts';
import type { DeployedSchedule } from '../../../../shared/aws/schedules.ts';
import {
  type ConfirmationItem,
  type GateItem,
  ledgerKeys,
  observedPrefix,
  type RunItem,
  type UploadItem,
  type WatchItem,
} from '../../../../shared/ledger/items.ts';
import { rememberRecentOutcomes } from '../../../../shared/ledger/recent-outcomes.ts';
import { argumentsOf, fakeDeps as anyDeps, type FakeStage, textOf } from '../fake-deps.ts';
import { parkedUpload } from '../parked-fixtures.ts';

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
  await ledger.write<UploadItem>(undefined, parkedUpload());
  await ledger.write<RunItem>(undefined, {
    pk: ledgerKeys.run('r-1'),
    kind: 'run',
    campaignRunId: 'r-1',
    run: 'nightly',
    openState: 'RUN_IN_FLIGHT',
    openSince: '2026-11-20T19:30:00.000Z',
  });
  await rememberRecentOutcomes(ledger, [
    { worker: 'register-datasets', subject: 'datasets/b.csv', kind: 'applied', at: '2026-11-20T19:59:00.000Z' },
  ]);

  const result = await command.run(argumentsOf(command), deps);

  const text = textOf(result);
  for (const part of [
    /stage local, local run at http:\/\/127.0.0.1:4566, 2026-11-20T20:00:00.000Z/,
    /commands +3 waiting/,
    /uploads, dead letters +1 waiting/,
    /weeknights +Fri 2026-11-20 22:00 Europe\/Berlin +2026-11-20T21:00Z +cron/,
    /off +disabled/,
    /over +never again/,
    /hourly +Fri 2026-11-20 21:40 Europe\/Berlin/,
    /poll +counts from its creation/,
    /Parked \(1\)/,
    /POST_OUTCOME_UNKNOWN/,
    /run +nightly \(r-1\) +for 30 min/,
    /applied +datasets\/b.csv .*1 min ago/,
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

  expect(text.match(/ {2}none/g)).toHaveLength(4);
});

test('status names a watch whose changes wait until nothing more changes', async () => {
  const { deps, ledger } = fakeDeps();
  const since = '2026-11-20T19:55:00.000Z';
  await ledger.write<WatchItem>(undefined, {
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
const inFlight = (id: string, row: Partial<RunItem> = {}): RunItem => ({
  pk: ledgerKeys.run(id),
  kind: 'run',
  campaignRunId: id,
  run: 'nightly',
  openState: 'RUN_IN_FLIGHT',
  openSince: '2026-11-20T10:00:00.000Z',
  ...row,
});

test('status of a stage that observes says on top which runs it started for real, and that nobody stops them', async () => {
  const { deps, ledger } = fakeDeps({ functionAnswer: answering('observe') });
  const stopDue = { at: '2026-11-20T18:00:00.000Z', commandId: 'x', status: 'stopped' };
  await ledger.write(undefined, inFlight('r-1', { stopDue }));
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
  await ledger.write(undefined, inFlight('r-3', { pk: `${observedPrefix}${ledgerKeys.run('r-3')}` }));
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
  expect(textOf(result)).toMatch(/only observes is not known: update-campaign-runs did not answer .*Unhandled/);
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
    /Gate\n  closed for 1 h: POST \/datasets was answered 401 \(since 2026-11-20T19:00:00.000Z, next probe 2026-11-20T20:01:00.000Z\)/,
  ],
  [{ pausedUntil: '2026-11-20T20:00:30.000Z' }, /Gate\n  paused for 1 h: .* until 2026-11-20T20:00:30.000Z\)/],
  [{ pausedUntil: '2026-11-20T19:59:30.000Z' }, /Gate\n  open/],
])('status says whether workers may call the gateway, since when not, and why: %j', async (fields, line) => {
  const { deps, ledger } = fakeDeps();
  const said = { since: '2026-11-20T19:00:00.000Z', reason: 'POST /datasets was answered 401' };
  await ledger.write<GateItem>(undefined, { pk: ledgerKeys.gate(), kind: 'gate', ...said, ...fields });

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
  await ledger.write<RunItem>(undefined, {
    pk: ledgerKeys.run('r-1'),
    kind: 'run',
    campaignRunId: 'r-1',
    run: 'nightly',
    confirm,
    openState: 'RUN_IN_FLIGHT',
    openSince: '2026-11-19T22:00:00.000Z',
  });
  const line = async () => /^.*nightly.*$/m.exec(textOf(await command.run(argumentsOf(command), deps)))?.[0];
  const item: ConfirmationItem = {
    pk: ledgerKeys.confirmation({ campaignRunId: 'r-1', commandId: confirm.commandId }),
    kind: 'confirmation',
    campaignRunId: 'r-1',
    awaited: confirm,
  };

  const awaited = await line();
  const missing = await ledger.write<ConfirmationItem>(undefined, {
    ...item,
    missingSince: '2026-11-19T22:30:00.000Z',
  });
  const unconfirmed = await line();
  await ledger.write<ConfirmationItem>(missing, { ...item, confirmed: { at: '2026-11-19T22:40:00.000Z', reads: 42 } });

  expect(awaited).toMatch(/nightly \(r-1\) +for/);
  expect(unconfirmed).toMatch(/nightly \(r-1\), its start is not confirmed +for/);
  expect(await line()).toBe(awaited);
});

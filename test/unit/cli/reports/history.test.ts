import { describe, expect, test } from 'vitest';
import { command } from '#cli/reports/history.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { LedgerRow } from '#shared/ledger/ledger-row.ts';
import { commandRow, idRow, runCommand } from '../../../builders/run-rows.ts';
import { argumentsOf, fakeDeps, textOf } from '../../operator/fake-deps.ts';

const uuid = '0197f3a0-5b1c-7d2e-8f30-112233445566';

/** A start of nightly by its schedule that ended at a minute of the evening. */
function ended(minute: number, row: Partial<Omit<CommandRow, 'outcome'>> & { outcome?: object } = {}): CommandRow {
  const at = `2026-11-20T19:${String(minute).padStart(2, '0')}:00.000Z`;
  const id = `weeknights@${at}`;
  const outcome = { kind: 'applied' as const, detail: 'run started', at, ...row.outcome };
  return commandRow(runCommand({ id, issuedAt: at }), { openState: 'ENDED', openSince: at, ...row, outcome });
}

const parked = (minute: number): CommandRow =>
  ended(minute, {
    openState: 'PARKED',
    outcome: { kind: 'parked', reason: 'CONFLICT', detail: 'the run was deleted' },
  });

async function history(rows: readonly LedgerRow[], ...argv: readonly string[]) {
  return command.run(argumentsOf(command, ...argv), fakeDeps({ rows }).deps);
}

const idsOf = (result: Awaited<ReturnType<typeof history>>): string[] => {
  const { history: entries } = result.data as { history: { id: string }[] };
  return entries.map(({ id }) => id.slice('weeknights@2026-11-20T19:'.length, -8));
};

describe('history', () => {
  // The console copies this line beside its search, and the command refused it.
  test('shows only those that hold each word of a search, in any case', async () => {
    const rows = [ended(1), parked(2), ended(3, { outcome: { kind: 'skipped', reason: 'OVERLAP', detail: 'x' } })];

    expect(idsOf(await history(rows, '--search', 'Deleted conflict'))).toEqual(['02']);
    expect(idsOf(await history(rows, '--search', 'nightly'))).toEqual(['03', '02', '01']);
    expect(textOf(await history(rows, '--search', 'weekly'))).toContain('no command with these words ended yet');
  });

  test('a reason that a later version wrote is shown by its code', async () => {
    const result = await history([
      ended(1, { outcome: { kind: 'skipped', reason: 'NOT_KNOWN_YET', detail: undefined } }),
    ]);

    expect(textOf(result)).toContain('NOT_KNOWN_YET');
  });

  test('a line says why it was asked, that it was late or only observed, and which guards said no beside the first', async () => {
    const base = ended(30);
    const verdicts = [
      { guard: 'overlap', verdict: 'apply' },
      { guard: 'blackout', verdict: 'skip', detail: 'year-end until 2027-01-04' },
      { guard: 'gap', verdict: 'skip', detail: 'last run 2 h ago' },
    ] as const;
    const result = await history([
      ended(30, {
        command: { ...base.command, issuedAt: '2026-11-20T19:25:00.000Z', reason: 'CHG-1' },
        verdicts: [{ guard: 'budget', verdict: 'overridden', detail: '31 of 31' }],
      }),
      ended(20, { verdicts, outcome: { kind: 'skipped', reason: 'MISSED_WINDOW', detail: 'too late' } }),
      ended(10, { isObserved: true, outcome: { detail: 'would have sent: PATCH' } }),
    ]);

    const [overridden, skipped, observed] = textOf(result).split('\n');
    expect(overridden).toMatch(
      /accepted +runs since 19:25, as the gateway accepted; schedule weeknights: CHG-1; 5 min late; overridden: budget$/,
    );
    expect(skipped).toMatch(/too late; gap said no as well; schedule weeknights$/);
    expect(observed).toMatch(/ {2}observed {2,}would have begun 19:10; the stage only observes; schedule weeknights$/);
    expect(result.data).toMatchObject({ history: [{ lateMs: 300_000 }, { isObserved: false }, { isObserved: true }] });
  });

  test('says of an unproven start that it may have run, whatever its outcome', async () => {
    const mayHaveRun = { from: '2026-11-20T19:02:01.000Z', until: '2026-11-20T19:20:00.000Z' };
    const outcome = { kind: 'superseded', detail: 'a later stop (stop-1) ended it' };
    const rows = [ended(2, { mayHaveRun, outcome })];

    const result = await history(rows);

    expect(textOf(result)).toMatch(/ {2}may-have-run {2}no answer came: it may have run from /);
    expect(result.data).toMatchObject({ history: [{ outcome: 'superseded', mayHaveRun }] });
    expect(textOf(await history(rows, '--verbose'))).toContain(
      `may have run  from ${mayHaveRun.from} until ${mayHaveRun.until}`,
    );
  });

  test('--verbose tells all that is known about each', async () => {
    const dismissed = {
      ...parked(2),
      openState: 'ENDED',
      campaignRunId: uuid,
      verdicts: [{ guard: 'gap', verdict: 'overridden', detail: 'last run 2 h ago' }],
      resolutions: [{ decision: 'dismiss', by: 'ann', reason: 'as wanted', at: '2026-11-20T19:40:00.000Z' }],
    } as const satisfies CommandRow;

    const result = await history([dismissed], '--verbose');

    expect(textOf(result).split('\n')).toEqual([
      '2026-11-20T19:02:00.000Z  start nightly  parked CONFLICT',
      '  asked    schedule weeknights at 2026-11-20T19:02:00.000Z',
      `  run      ${uuid}`,
      '  result   the run was deleted',
      '  guard    gap: overridden, last run 2 h ago',
      '  decided  dismiss by ann at 2026-11-20T19:40:00.000Z: as wanted',
      '  id       weeknights@2026-11-20T19:02:00.000Z',
    ]);
  });

  test('of one run has its stops by uuid too, and nothing of other runs', async () => {
    const of = (minute: number, about: object) => {
      const row = ended(minute);
      const { run: _run, ...asked } = row.command;
      return { ...row, command: { ...asked, ...about } };
    };
    const run = idRow({ campaignRunId: uuid });
    const rows = [
      run,
      ended(1),
      of(2, { run: 'smoke' }),
      of(3, { action: 'stop', campaignRunId: uuid }),
      of(4, { action: 'stop', campaignRunId: uuid.replace('6', '7') }),
    ];

    expect(idsOf(await history(rows, 'nightly'))).toEqual(['03', '01']);
    expect(idsOf(await history(rows, uuid))).toEqual(['03']);
    expect(textOf(await history(rows, uuid))).toContain('  stop nightly  applied');
    expect(textOf(await history(rows, 'other'))).toBe('no command about other ended yet');
  });

  test('--since and --before bound it, the first included and the second not; --limit says that there are more', async () => {
    const rows = [1, 2, 3, 4, 5].map((minute) => ended(minute));
    const between = ['--since', '2026-11-20T19:02:00Z', '--before', '2026-11-20T19:05:00Z'];

    expect(idsOf(await history(rows, ...between))).toEqual(['04', '03', '02']);
    const limited = await history(rows, ...between, '--limit', '2');
    expect(idsOf(limited)).toEqual(['04', '03']);
    expect(limited.data).toMatchObject({ isMore: true });
    expect(textOf(limited)).toMatch(/there are older ones: --before 2026-11-20T19:03:00.000Z, or --limit$/);
    expect(textOf(await history(rows, '--since', '1m'))).toBe('no command ended in that time');
  });

  test('reads no further than it is asked to: a year of commands costs one page', async () => {
    const { deps, ledger } = fakeDeps();
    for (const minute of Array.from({ length: 50 }, (_, index) => index)) await ledger.write(undefined, ended(minute));
    let pages = 0;
    const counted = {
      ...deps,
      stage: {
        ...deps.stage,
        ledger: async () => ({
          ...ledger,
          listOpen: async (...[state, range]: Parameters<typeof ledger.listOpen>) => {
            pages += 1;
            return ledger.listOpen(state, { ...range, limit: 5 });
          },
        }),
      },
    };

    await command.run(argumentsOf(command, '--limit', '4'), counted);

    // One page of each state.
    expect(pages).toBe(3);
  });

  test('refuses a run that there is not, with the names of those there are', async () => {
    const runs = { nightly: { campaignRunIds: [uuid] } };
    const { deps } = fakeDeps({ functionAnswer: { payload: JSON.stringify({ runs }) } });

    await expect(command.run(argumentsOf(command, 'nightl'), deps)).rejects.toThrow('did you mean "nightly"?');
  });

  // It said that no command ended yet, beside a start that was tried for an hour.
  test('names what has no outcome yet if nothing has ended', async () => {
    const { outcome: _outcome, ...row } = ended(1, { openState: 'PENDING' });

    expect(textOf(await history([row]))).toBe(
      'no command ended yet\n1 without an outcome yet:\n  npx --no -- autopilot status',
    );
  });
});

test('--follow misses nothing that ended while the stage did not answer', async () => {
  const { deps, ledger } = fakeDeps();
  let [time, answers] = [new Date('2026-11-20T19:00:00Z'), true];
  const stage = {
    ...deps.stage,
    ledger: async () => {
      if (answers) return deps.stage.ledger();
      throw new Error('the stage does not answer');
    },
  };
  const followed = await command.run(argumentsOf(command, '--follow'), { ...deps, stage, now: async () => time });

  [time, answers] = [new Date('2026-11-20T19:20:00Z'), false];
  await expect(followed.goesOn?.next()).rejects.toThrow('does not answer');
  await ledger.write<CommandRow>(undefined, ended(10));
  [time, answers] = [new Date('2026-11-20T19:30:00Z'), true];
  const later = await followed.goesOn?.next();

  expect(later && textOf(later)).toContain('2026-11-20T19:10:00.000Z');
});

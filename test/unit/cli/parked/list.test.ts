import { describe, expect, test } from 'vitest';
import { command } from '#cli/parked/parked.ts';
import { handleOf } from '#shared/ledger/parked-handles.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { parkReasons } from '#shared/vocabulary/reason-codes.ts';
import { argumentsOf, fakeDeps, textOf } from '../../operator/fake-deps.ts';
import { parkedCommand, parkedUpload } from '../../operator/parked-fixtures.ts';

const upload = parkedUpload();
const id = handleOf(upload.pk);

describe('parked list', () => {
  test('tells how many wait for what and what to do, then each row', async () => {
    const { deps, ledger } = fakeDeps();
    await ledger.write<UploadRow>(undefined, upload);
    await ledger.write<CommandRow>(undefined, parkedCommand());
    await ledger.write<UploadRow>(
      undefined,
      parkedUpload({ key: 'datasets/b.csv', openSince: '2026-11-20T19:30:00.000Z' }),
    );

    const result = await command.run(argumentsOf(command, 'list'), deps);

    expect(textOf(result).split('\n').slice(0, 5)).toEqual([
      '3 parked, for 2 reasons',
      '  2  POST_OUTCOME_UNKNOWN  the oldest 2026-11-20T18:00:00.000Z',
      `    next: ${parkReasons.POST_OUTCOME_UNKNOWN.nextStep}`,
      '  1  NO_RUN_LEFT           2026-11-20T18:00:00.000Z',
      `    next: ${parkReasons.NO_RUN_LEFT.nextStep}`,
    ]);
    expect(textOf(result)).toContain(
      `${id}  POST_OUTCOME_UNKNOWN  upload datasets/a.csv  2026-11-20T18:00:00.000Z\n  no answer came within 45 s`,
    );
    expect(result.data).toMatchObject({
      total: 3,
      groups: [{ reason: 'POST_OUTCOME_UNKNOWN', count: 2, runbook: 'autopilot runbook POST_OUTCOME_UNKNOWN' }, {}],
    });
  });

  test('of hundreds it shows twenty and says how many more there are; JSON has them all, from every page', async () => {
    const { deps, ledger } = fakeDeps();
    for (let index = 0; index < 230; index += 1)
      await ledger.write<UploadRow>(undefined, parkedUpload({ key: `datasets/${index}.csv` }));

    const result = await command.run(argumentsOf(command), deps);
    const few = await command.run(argumentsOf(command, 'list', '--limit', '3'), deps);

    expect(result.data).toHaveProperty('parked.length', 230);
    expect(textOf(result).match(/upload datasets/g)).toHaveLength(20);
    expect(textOf(result)).toContain('and 210 more: --limit 230 shows them all');
    expect(textOf(few).match(/upload datasets/g)).toHaveLength(3);
    expect(few.data).toMatchObject({ total: 230, parked: { length: 3 } });
  });

  test('cuts a long detail: all of it is in show', async () => {
    const { deps, ledger } = fakeDeps();
    const outcome = { kind: 'parked', reason: 'BAD_PLAN', detail: 'x'.repeat(2000), at: upload.eventTime } as const;
    await ledger.write<UploadRow>(undefined, { ...upload, outcome });

    const text = textOf(await command.run(argumentsOf(command), deps));

    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(200);
  });

  test.each([
    [['--reason', 'no-run-left'], ['NO_RUN_LEFT']],
    [
      ['--reason', 'no run left,VALIDATION'],
      ['NO_RUN_LEFT', 'VALIDATION'],
    ],
    [
      ['--reason', 'VALIDATION', '--reason', 'FORBIDDEN'],
      ['VALIDATION', 'FORBIDDEN'],
    ],
    [
      ['--since', '90m'],
      ['VALIDATION', 'FORBIDDEN'],
    ],
    [['--since', '2026-11-20T19:00:00Z', '--before', '30m'], ['VALIDATION']],
    [['--before', '2026-11-20T20:00:00+01:00'], ['NO_RUN_LEFT']],
    [['--queue', 'Uploads', '--before', '1h'], []],
    [['--queue', 'commands'], ['NO_RUN_LEFT']],
  ])('keeps to the rows that are asked for: %j', async (words, reasons) => {
    const { deps, ledger } = fakeDeps();
    await ledger.write<CommandRow>(undefined, parkedCommand());
    await ledger.write<UploadRow>(
      undefined,
      parkedUpload({ key: 'datasets/v.csv', reason: 'VALIDATION', openSince: '2026-11-20T19:00:00.000Z' }),
    );
    await ledger.write<UploadRow>(
      undefined,
      parkedUpload({ key: 'datasets/f.csv', reason: 'FORBIDDEN', openSince: '2026-11-20T19:30:00.000Z' }),
    );

    const { data } = await command.run(argumentsOf(command, 'list', ...words), deps);

    expect(data).toMatchObject({ parked: reasons.map((reason) => ({ reason })) });
    expect(data).toHaveProperty('total', reasons.length);
  });

  test('says so where nothing is parked, or nothing of that kind', async () => {
    const { deps, ledger } = fakeDeps();
    const empty = await command.run(argumentsOf(command, 'list'), deps);
    await ledger.write<UploadRow>(undefined, upload);
    const others = await command.run(argumentsOf(command, 'list', '--reason', 'CONFIG'), deps);

    expect(textOf(empty)).toBe('nothing is parked');
    expect(textOf(others)).toBe('nothing of that kind is parked (1 other is)');
  });

  test.each([
    [['list', '--reason', 'VALIDATON'], /did you mean "VALIDATION"/],
    [['list', '--reason', 'whatever'], /there are POST_OUTCOME_UNKNOWN, /],
    [['list', '--limit', '0'], /--limit 0: give a number from 1 to/],
    [['list', '--limit', '-3'], /--limit needs a value/],
    [['list', '--since', '2026-11-20T21:00:00Z'], /is still to come: it is 2026-11-20T20:00:00.000Z/],
    [['list', '--since', '2026-11-20 12:00'], /write it with its offset/],
    [['list', '--before', 'yesterday'], /--before: "yesterday" is no duration/],
    [['list', '--since', '1h', '--before', '2h'], /nothing lies between/],
    [['list', '--queue', 'upload'], /no queue "upload": did you mean "uploads"/],
    [['list', '--repeat'], /--repeat means nothing for parked list/],
    [['list', '--yes', '3'], /--yes means nothing for parked list/],
    [['list', '3f9a12bc'], /parked show 3f9a12bc/],
    [['lst'], /did you mean "list"/],
  ])('refuses %j', async (argv, sentence) => {
    const running = async () => command.run(argumentsOf(command, ...argv), fakeDeps().deps);

    await expect(running()).rejects.toThrow(sentence);
  });
});

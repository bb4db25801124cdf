import { describe, expect, test } from 'vitest';
import { command } from '#cli/parked/parked.ts';
import { exitCodes } from '#cli/terminal/command.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { argumentsOf, fakeDeps, type FakeStage, now, textOf } from '../../operator/fake-deps.ts';
import { parkedCommand, parkedUpload } from '../../operator/parked-fixtures.ts';

const because = ['--reason', 'the token may write now'];
const bulk = ['resolve', '--code', 'FORBIDDEN', '--repeat', ...because];

/** A stage with this many uploads that were parked for one reason. */
async function stageWith(count: number, stage: FakeStage = {}) {
  const fake = fakeDeps(stage);
  for (let index = 0; index < count; index += 1) {
    const openSince = new Date(now.getTime() - (count - index) * 1000).toISOString();
    const row = parkedUpload({ key: `datasets/${index}.csv`, reason: 'FORBIDDEN', openSince });
    await fake.ledger.write<UploadRow>(undefined, row);
  }
  return {
    ...fake,
    run: async (...argv: readonly string[]) => command.run(argumentsOf(command, ...argv), fake.deps),
    parked: async () => (await fake.ledger.listOpen('PARKED', { limit: 1000 })).items.length,
  };
}

/** The words of the command that a dry run prints. */
function confirmingWords(text: string): readonly string[] {
  const line = text.split('\n').at(-1)?.trim() ?? '';
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '').slice(5);
}

describe('resolving rows in bulk', () => {
  test('a dry run counts, changes nothing, and prints the command that does it', async () => {
    const { run, parked, sent } = await stageWith(3);

    const dry = await run(...bulk, '--dry-run');
    const [count, messages] = [await parked(), sent.length];
    const done = await run(...confirmingWords(textOf(dry)));

    expect(textOf(dry)).toContain('dry run: 3 items would be sent again');
    expect(textOf(dry)).toContain(
      `npx --no -- autopilot parked resolve --code FORBIDDEN --before ${now.toISOString()} --repeat --reason 'the token may write now' --yes 3`,
    );
    expect([count, messages]).toEqual([3, 0]);
    expect([await parked(), sent.length]).toEqual([0, 3]);
    expect(textOf(done)).toContain('3 sent again. How they end:');
    expect(done.exitCode).toBe(exitCodes.done);
  });

  test('refuses if a row was resolved since the dry run', async () => {
    const { run, parked, sent } = await stageWith(3);
    const dry = await run(...bulk, '--dry-run');
    await run('resolve', 'datasets/1.csv', '--dismiss', '--reason', 'not wanted any more');

    await expect(run(...confirmingWords(textOf(dry)))).rejects.toThrow(
      'the dry run counted 3, and now there are 2: nothing was resolved',
    );
    expect([await parked(), sent.length]).toEqual([2, 0]);
  });

  test('leaves out what was parked since the dry run', async () => {
    const { run, ledger, sent } = await stageWith(2);
    const dry = await run(...bulk, '--dry-run');
    const late = parkedUpload({ key: 'datasets/late.csv', reason: 'FORBIDDEN', openSince: now.toISOString() });
    await ledger.write<UploadRow>(undefined, late);

    await run(...confirmingWords(textOf(dry)));

    expect(sent).toHaveLength(2);
    expect((await ledger.read<UploadRow>(late.pk))?.openState).toBe('PARKED');
  });

  test('never repeats in bulk what may have been done at the gateway, unless that is said', async () => {
    const { run, ledger, sent, parked } = await stageWith(1);
    await ledger.write<UploadRow>(undefined, parkedUpload({ reason: 'POST_OUTCOME_UNKNOWN' }));
    const before = ['--before', '2026-11-20T20:00:00Z', '--repeat', ...because];

    const dry = await run('resolve', ...before, '--dry-run');
    const done = await run('resolve', ...before, '--yes', '1');
    const sentBefore = sent.length;
    await run('resolve', ...before, '--accept-second-effect', '--yes', '1');

    expect(textOf(dry)).toMatch(/1 item would be left: a repeat may do it a second time at the gateway/);
    expect(textOf(done)).toMatch(/datasets\/a.csv: not resolved: a repeat may do it a second time/);
    expect(textOf(done)).toContain('1 sent again, 1 not resolved');
    expect(done.exitCode).toBe(exitCodes.parked);
    expect([sentBefore, sent.length, await parked()]).toEqual([1, 2, 0]);
  });

  test('several ids are no closer look than a filter', async () => {
    const { run, ledger, sent } = await stageWith(0);
    for (const key of ['datasets/a.csv', 'datasets/b.csv'])
      await ledger.write<UploadRow>(undefined, parkedUpload({ key, reason: 'POST_OUTCOME_UNKNOWN' }));

    const result = await run('resolve', 'datasets/a.csv', 'datasets/b.csv', '--repeat');

    expect(sent).toEqual([]);
    expect(result.exitCode).toBe(exitCodes.failed);
  });

  test('says which runs would start now', async () => {
    const { run, ledger } = await stageWith(0);
    for (const id of ['weeknights@1', 'weeknights@2']) await ledger.write<CommandRow>(undefined, parkedCommand(id));

    const dry = await run('resolve', '--code', 'NO_RUN_LEFT', '--repeat', ...because, '--dry-run');

    expect(textOf(dry)).toContain('mind: a repeated start starts its run now: nightly 2 times');
  });

  test('a row that cannot be sent, or was changed, stops none of the others', async () => {
    const { run, ledger, sent, parked } = await stageWith(4, {
      async onSend(_queue, _body, rows) {
        if (sentCount() === 1) throw new Error('throttled');
        const taken = await rows.read<UploadRow>(parkedUpload({ key: 'datasets/3.csv' }).pk);
        if (taken?.openState !== 'PARKED') return;
        const { version: _version, writer: _writer, ...item } = taken;
        await rows.write<UploadRow>(taken, item);
      },
    });
    const sentCount = () => sent.length;

    const result = await run(...bulk, '--before', '2026-11-20T20:00:00Z', '--yes', '4');

    expect(textOf(result)).toMatch(/datasets\/0.csv: not resolved: the decision is written, .* \(throttled\)/);
    expect(textOf(result)).toMatch(/datasets\/3.csv: not resolved: another person or worker changed it/);
    expect(textOf(result)).toContain('2 sent again, 2 not resolved');
    expect(result.exitCode).toBe(exitCodes.failed);
    expect(await parked()).toBe(1);
    expect((await ledger.read<UploadRow>(parkedUpload({ key: 'datasets/0.csv' }).pk))?.resolutions).toHaveLength(1);
  });

  test('Ctrl-C ends it after the row in hand, and says how far it came', async () => {
    const keyboard = new AbortController();
    const { run, sent, parked } = await stageWith(5, {
      interruption: keyboard.signal,
      async onSend() {
        if (sentCount() === 2) keyboard.abort();
      },
    });
    const sentCount = () => sent.length;

    const result = await run(...bulk, '--before', '2026-11-20T20:00:00Z', '--yes', '5');

    expect(textOf(result)).toContain('2 sent again, interrupted: 3 not touched');
    expect(result.exitCode).toBe(exitCodes.failed);
    expect([sent.length, await parked()]).toEqual([2, 3]);
  });

  test('tells a waiting person how far it is, and of hundreds only what went wrong', async () => {
    const { run, told } = await stageWith(120);

    const result = await run(...bulk, '--before', '2026-11-20T20:00:00Z', '--yes', '120');

    expect(told).toEqual(['50 of 120', '100 of 120']);
    expect(textOf(result).split('\n')).toHaveLength(2);
    expect(result.data).toHaveProperty('resolved.length', 120);
  });

  test.each([
    [bulk, /look first with --dry-run/],
    [[...bulk, '--dry-run', '--yes', '2'], /'--dry-run' cannot be used with option '--yes <N>'/],
    [[...bulk, '--yes', '2'], /--yes needs the --before that the dry run printed/],
    [[...bulk, '--before', '2026-11-20T20:00:00Z', '--yes', '0'], /--yes 0: give the number of items/],
    [[...bulk, '--before', '2026-11-20T20:00:00Z', '--yes', 'all'], /--yes all: give the number/],
    [[...bulk, '--before', '2026-11-20T23:00:00Z', '--yes', '2'], /is still to come/],
  ])('refuses %j and changes nothing', async (argv, sentence) => {
    const { run, parked, sent } = await stageWith(2);

    await expect(run(...argv)).rejects.toThrow(sentence);
    expect([await parked(), sent.length]).toEqual([2, 0]);
  });
});

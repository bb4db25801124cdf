import { describe, expect, test } from 'vitest';
import { command } from '../../../../cli/commands/parked.ts';
import { exitCodes } from '../../../../cli/exit-codes.ts';
import { handleOf } from '../../../../cli/parked-rows.ts';
import type { CommandItem, MessageItem, UploadItem } from '../../../../shared/ledger/items.ts';
import { argumentsOf, commandsEndWith, fakeDeps, now, textOf } from '../fake-deps.ts';
import { parkedCommand, parkedMessage, parkedUpload } from '../parked-fixtures.ts';

const upload = parkedUpload();
const id = handleOf(upload.pk);

describe('parked list', () => {
  test('shows each row with its handle, reason, age, detail and next step', async () => {
    const { deps, ledger } = fakeDeps();
    await ledger.write<UploadItem>(undefined, upload);

    const result = await command.run(argumentsOf(command, 'list'), deps);

    expect(textOf(result)).toContain(`${id}  POST_OUTCOME_UNKNOWN  upload datasets/a.csv  2 h ago`);
    expect(textOf(result)).toContain('no answer came within 45 s');
    expect(textOf(result)).toContain('next: look for the dataset at the gateway');
    expect(result.data).toMatchObject({ parked: [{ id, reason: 'POST_OUTCOME_UNKNOWN', lookFor: 'a.csv' }] });
  });

  test('reads every page', async () => {
    const { deps, ledger } = fakeDeps();
    for (let index = 0; index < 230; index += 1)
      await ledger.write<UploadItem>(undefined, parkedUpload({ key: `datasets/${index}.csv` }));

    const result = await command.run(argumentsOf(command), deps);

    expect(result.data).toHaveProperty('parked.length', 230);
  });

  test('keeps to one reason where asked, in any case', async () => {
    const { deps, ledger } = fakeDeps();
    await ledger.write<UploadItem>(undefined, upload);
    await ledger.write<CommandItem>(undefined, parkedCommand());

    const result = await command.run(argumentsOf(command, 'list', '--reason', 'no-run-left'), deps);

    expect(result.data).toMatchObject({ parked: [{ reason: 'NO_RUN_LEFT' }] });
    expect(result.data).toHaveProperty('parked.length', 1);
  });

  test('says so where nothing is parked', async () => {
    expect(textOf(await command.run(argumentsOf(command, 'list'), fakeDeps().deps))).toBe('nothing is parked');
  });

  test.each([
    [['list', '--reason', 'VALIDATON'], /did you mean "VALIDATION"/],
    [['list', '3f9a12bc'], /parked show 3f9a12bc/],
    [['lst'], /did you mean "list"/],
    [['show'], /needs an id/],
    [['show', 'ffff'], /nothing parked has the id "ffff"/],
  ])('refuses %j', async (argv, sentence) => {
    await expect(command.run(argumentsOf(command, ...argv), fakeDeps().deps)).rejects.toThrow(sentence);
  });
});

describe('parked show', () => {
  test('tells everything that is known, the kept message included', async () => {
    const { deps, ledger } = fakeDeps();
    await ledger.write<UploadItem>(undefined, upload);

    const text = textOf(await command.run(argumentsOf(command, 'show', id.slice(0, 5)), deps));

    for (const part of [
      id,
      'look for  a.csv',
      'HTTP 502, the request was sent',
      '2 attempts',
      upload.pk,
      '"the event"',
    ]) {
      expect(text).toContain(part);
    }
  });

  test('shows a message that is no JSON as it came, without its control characters', async () => {
    const { deps, ledger } = fakeDeps();
    await ledger.write<MessageItem>(undefined, parkedMessage());

    const text = textOf(await command.run(argumentsOf(command, 'show', parkedMessage().pk), deps));

    expect(text).toContain(String.raw`not json \x1b[2J`);
    expect(text).not.toContain('\u001b');
  });

  test('finds a command by its own id', async () => {
    const { deps, ledger } = fakeDeps();
    await ledger.write<CommandItem>(undefined, parkedCommand());

    const result = await command.run(argumentsOf(command, 'show', parkedCommand().id), deps);

    expect(result.data).toMatchObject({ parked: [{ subject: parkedCommand().id }] });
  });

  test('lists the candidates where the beginning of an id fits several', async () => {
    const { deps, ledger } = fakeDeps();
    const keys = Array.from({ length: 40 }, (_, index) => `datasets/${index}.csv`);
    for (const key of keys) await ledger.write<UploadItem>(undefined, parkedUpload({ key }));
    const digits = keys.map((key) => handleOf(parkedUpload({ key }).pk).charAt(0));
    const digit = digits.find((first, index) => digits.indexOf(first) !== index) ?? '';

    const showing = command.run(argumentsOf(command, 'show', digit), deps);

    await expect(showing).rejects.toThrow(
      new RegExp(`"${digit}" begins the id of \\d+ parked rows: ${digit}[0-9a-f]{7} \\(datasets/`),
    );
  });
});

describe('parked resolve', () => {
  test('--applied records the dataset that a person found, and sends the message for its follow-ups', async () => {
    const { deps, ledger, sent } = fakeDeps();
    await ledger.write<UploadItem>(undefined, upload);

    const result = await command.run(
      argumentsOf(command, 'resolve', id, '--applied', 'ds-7', '--reason', 'by its name'),
      deps,
    );

    const row = await ledger.read<UploadItem>(upload.pk);
    expect(row).toMatchObject({ state: 'APPLIED', datasetId: 'ds-7', outcome: { kind: 'applied' } });
    expect(row?.resolutions).toEqual([
      { decision: 'applied', by: 'grace', reason: 'by its name', at: now.toISOString(), datasetId: 'ds-7' },
    ]);
    expect(sent).toEqual([{ queue: 'uploads', body: '{"Records":["the event"]}' }]);
    expect(result.exitCode).toBe(exitCodes.done);
    expect(textOf(result)).toContain('recorded as applied');
  });

  test('--repeat writes the decision first, then sends the kept message, then waits for the new outcome', async () => {
    const states: unknown[] = [];
    const { deps, ledger, sent } = fakeDeps({
      async onSend(_queue, _body, rows) {
        const row = await rows.read<UploadItem>(upload.pk);
        states.push(row?.state);
        if (row === undefined) return;
        const { version: _version, writer: _writer, ...item } = row;
        const outcome = { kind: 'applied', at: now.toISOString() } as const;
        await rows.write<UploadItem>(row, { ...item, state: 'APPLIED', datasetId: 'ds-8', outcome });
      },
    });
    await ledger.write<UploadItem>(undefined, upload);

    const result = await command.run(argumentsOf(command, 'resolve', id, '--repeat'), deps);

    expect(states).toEqual(['READY']);
    expect(sent).toHaveLength(1);
    expect(textOf(result)).toContain('sent again, registered with dataset id ds-8');
    expect(result.exitCode).toBe(exitCodes.done);
  });

  test('--repeat of a command ends with its new outcome', async () => {
    const { deps, ledger } = fakeDeps(commandsEndWith({ kind: 'parked', reason: 'NO_RUN_LEFT' }));
    await ledger.write<CommandItem>(undefined, parkedCommand());

    const result = await command.run(argumentsOf(command, 'resolve', parkedCommand().id, '--repeat'), deps);

    expect(result.exitCode).toBe(exitCodes.parked);
    expect(textOf(result)).toContain('sent again: parked NO_RUN_LEFT');
  });

  test('does not wait for a message that has no key of its own', async () => {
    const { deps, ledger, sent } = fakeDeps();
    await ledger.write<MessageItem>(undefined, parkedMessage());

    const result = await command.run(argumentsOf(command, 'resolve', handleOf(parkedMessage().pk), '--repeat'), deps);

    expect(sent).toHaveLength(1);
    expect(result.exitCode).toBe(exitCodes.done);
    expect(textOf(result)).toContain('it is a new message now');
  });

  test('a message that could not be sent after the decision is sent by the same command', async () => {
    let isDown = true;
    const { deps, ledger, sent } = fakeDeps({
      async onSend() {
        if (isDown) throw new Error('no network');
      },
    });
    await ledger.write<UploadItem>(undefined, upload);
    const again = argumentsOf(command, 'resolve', upload.pk, '--repeat', '--no-wait');

    await expect(command.run(again, deps)).rejects.toThrow(/is written, but its message could not be sent/);
    isDown = false;
    const result = await command.run(again, deps);

    expect(sent).toHaveLength(2);
    expect(result.exitCode).toBe(exitCodes.done);
    expect((await ledger.read<UploadItem>(upload.pk))?.resolutions).toHaveLength(1);
  });

  test('--dismiss closes the row and sends nothing', async () => {
    const { deps, ledger, sent } = fakeDeps();
    await ledger.write<MessageItem>(undefined, parkedMessage());

    const args = argumentsOf(command, 'resolve', parkedMessage().pk, '--dismiss', '--reason', 'a test of ours');
    const result = await command.run(args, deps);

    expect((await ledger.read<MessageItem>(parkedMessage().pk))?.openState).toBeUndefined();
    expect(sent).toEqual([]);
    expect(textOf(result)).toContain('dismissed');
  });

  test('tells who resolved a row already, and sends nothing', async () => {
    const { deps, ledger, sent } = fakeDeps();
    await ledger.write<UploadItem>(undefined, upload);
    await command.run(argumentsOf(command, 'resolve', id, '--applied', 'ds-7', '--reason', 'seen'), deps);
    sent.length = 0;

    const result = await command.run(argumentsOf(command, 'resolve', upload.pk, '--repeat'), deps);

    expect(result.exitCode).toBe(exitCodes.failed);
    expect(textOf(result)).toMatch(/not resolved.*grace decided "applied"/);
    expect(sent).toEqual([]);
  });

  test('two people at once: the second is told what the first decided, and sends nothing', async () => {
    const { deps, ledger, sent } = fakeDeps();
    await ledger.write<UploadItem>(undefined, upload);
    const both = ['--repeat', '--repeat'].map((how) =>
      command.run(argumentsOf(command, 'resolve', id, how, '--no-wait'), deps),
    );

    const codes = (await Promise.all(both)).map((result) => result.exitCode);

    expect(new Set(codes)).toEqual(new Set([exitCodes.done, exitCodes.failed]));
    expect(sent).toHaveLength(1);
  });

  test('resolves several, each on its own', async () => {
    const { deps, ledger } = fakeDeps();
    const keys = ['datasets/a.csv', 'datasets/b.csv'];
    for (const key of keys) await ledger.write<UploadItem>(undefined, parkedUpload({ key }));
    const ids = keys.map((key) => handleOf(parkedUpload({ key }).pk));

    const result = await command.run(argumentsOf(command, 'resolve', ...ids, '--repeat', '--no-wait'), deps);

    expect(result.data).toMatchObject({ resolved: [{ isSent: true }, { isSent: true }] });
  });

  test.each([
    [['resolve'], /needs an id/],
    [['resolve', id], /needs a decision/],
    [['resolve', id, '--repeat', '--applied', 'ds-1'], /takes one decision/],
    [['resolve', id, '--dismiss'], /--dismiss needs a --reason/],
    [['resolve', id, 'other', '--applied', 'ds-1'], /give one id/],
    [['resolve', 'nobody', '--repeat'], /nothing parked has the id "nobody"/],
  ])('refuses %j and changes nothing', async (argv, sentence) => {
    const { deps, ledger, sent } = fakeDeps();
    await ledger.write<UploadItem>(undefined, upload);

    await expect(command.run(argumentsOf(command, ...argv), deps)).rejects.toThrow(sentence);
    expect((await ledger.read<UploadItem>(upload.pk))?.openState).toBe('PARKED');
    expect(sent).toEqual([]);
  });
});

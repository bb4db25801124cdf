import { describe, expect, test } from 'vitest';
import { command } from '#cli/parked/parked.ts';
import { command as show } from '#cli/reports/show.ts';
import { type CommandDeps, exitCodes } from '#cli/terminal/command.ts';
import { handleOf } from '#operator/handles.ts';
import type { MessageRow } from '#shared/ledger/rows/message-row.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { IdRow } from '#shared/ledger/rows/run-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { idRow, runCommand } from '../../../builders/run-rows.ts';
import { argumentsOf, commandsEndWith, fakeDeps, now, textOf } from '../../operator/fake-deps.ts';
import { parkedCommand, parkedMessage, parkedUpload } from '../../operator/parked-fixtures.ts';
const upload = parkedUpload();
const id = handleOf(upload.pk);

/** What `autopilot show` tells of a command. */
async function shownOf(commandId: string, deps: CommandDeps) {
  const result = await show.run(argumentsOf(show, commandId), deps);
  return { text: textOf(result), data: result.data };
}

describe('parked resolve', () => {
  test('[C14] --applied records the dataset that a person found, and sends the message for its follow-ups', async () => {
    const { deps, ledger, sent } = fakeDeps({ rows: [upload] });

    const result = await command.run(
      argumentsOf(command, 'resolve', id, '--applied', 'ds-7', '--reason', 'by its name'),
      deps,
    );

    const row = await ledger.read<UploadRow>(upload.pk);
    expect(row).toMatchObject({ state: 'APPLIED', datasetId: 'ds-7', outcome: { kind: 'applied' } });
    expect(row?.resolutions).toEqual([
      { decision: 'applied', by: 'grace', reason: 'by its name', at: now.toISOString(), datasetId: 'ds-7' },
    ]);
    expect(sent).toEqual([{ queue: 'uploads', body: '{"Records":["the event"]}' }]);
    expect(result.exitCode).toBe(exitCodes.done);
    expect(textOf(result)).toContain('recorded as applied');
  });

  test('[C14] --repeat writes the decision first, then sends the kept message, then waits for the new outcome', async () => {
    const states: unknown[] = [];
    const { deps, ledger, sent } = fakeDeps({
      async onSend(_queue, _body, rows) {
        const row = await rows.read<UploadRow>(upload.pk);
        states.push(row?.state);
        if (row === undefined) return;
        const { version: _version, writer: _writer, ...item } = row;
        const outcome = { kind: 'applied', at: now.toISOString() } as const;
        await rows.write<UploadRow>(row, { ...item, state: 'APPLIED', datasetId: 'ds-8', outcome });
      },
    });
    await ledger.write<UploadRow>(undefined, upload);

    const result = await command.run(argumentsOf(command, 'resolve', id, '--repeat'), deps);

    expect(states).toEqual(['READY']);
    expect(sent).toHaveLength(1);
    expect(textOf(result)).toContain('sent again, registered with dataset id ds-8');
    expect(result.exitCode).toBe(exitCodes.done);
  });

  test('of a stage that observes are those of its own: nothing begun for real is listed or sent again', async () => {
    const { deps, acting, ledger, sent } = fakeDeps({ mode: 'observe' });
    const real = parkedCommand();
    await acting.write<CommandRow>(undefined, real);
    await ledger.write<MessageRow>(undefined, parkedMessage());

    const refused = command.run(argumentsOf(command, 'resolve', handleOf(real.pk), '--repeat'), deps);
    await expect(refused).rejects.toThrow(handleOf(real.pk));
    await command.run(argumentsOf(command, 'resolve', handleOf(parkedMessage().pk), '--repeat'), deps);

    expect(sent).toHaveLength(1);
    expect(await acting.read(real.pk)).toMatchObject(real);
  });

  describe('--repeat of a command', () => {
    const parked = parkedCommand();
    const repeat = argumentsOf(command, 'resolve', parked.id, '--repeat', '--reason', 'ids are bound now');

    test('is a new command with the same options, issued now, and ends with its outcome', async () => {
      const { deps, ledger, sent } = fakeDeps(commandsEndWith({ kind: 'parked', reason: 'NO_RUN_LEFT' }));
      const options = {
        startDelay: 'PT15M',
        stopAfter: 'PT8H',
        validFor: 'PT30M',
        reason: 'CHG-1',
        override: { guards: ['gap' as const], reason: 'CHG-1' },
      };
      await ledger.write<CommandRow>(undefined, { ...parked, command: { ...parked.command, ...options } });

      const result = await command.run(repeat, deps);

      expect(sent.map(({ body }) => JSON.parse(body))).toEqual([
        { ...parked.command, ...options, id: `${parked.id}~2`, issuedAt: now.toISOString() },
      ]);
      expect(textOf(result)).toContain('sent again: parked NO_RUN_LEFT');
      expect(result.exitCode).toBe(exitCodes.parked);
    });

    test('leaves the parked row with its outcome, and the row says as what it was repeated', async () => {
      const { deps, ledger } = fakeDeps({ ...commandsEndWith({ kind: 'applied' }), rows: [parked] });

      await command.run(repeat, deps);

      const row = await ledger.read<CommandRow>(parked.pk);
      expect(row).toMatchObject({ outcome: parked.outcome, openState: 'ENDED' });
      expect(row?.resolutions).toMatchObject([{ decision: 'repeat', as: `${parked.id}~2`, by: 'grace' }]);
      const { text, data } = await shownOf(parked.id, deps);
      expect(text).toContain(`repeat as ${parked.id}~2 by grace`);
      expect(data).toMatchObject({ command: { resolutions: [{ as: `${parked.id}~2` }] } });
    });

    test('that is parked again is repeated as the third', async () => {
      const { deps, ledger, sent } = fakeDeps(commandsEndWith({ kind: 'parked', reason: 'NO_RUN_LEFT' }));
      await ledger.write<CommandRow>(undefined, parkedCommand(`${parked.id}~2`));

      await command.run(argumentsOf(command, 'resolve', `${parked.id}~2`, '--repeat'), deps);

      expect(JSON.parse(sent[0]?.body ?? '').id).toBe(`${parked.id}~3`);
    });

    test('that is a planned stop is a stop of its run: a person means the run, not the start', async () => {
      const { deps, ledger, sent } = fakeDeps();
      const campaignRunId = '0197f3a0-5b1c-7d2e-8f30-112233445566';
      const stopId = 'planned-stop:1';
      const stop: CampaignRunCommand = runCommand({
        id: stopId,
        action: 'stop',
        campaignRunId,
        startId: 'start-1',
        origin: { kind: 'watcher', name: 'watch-campaigns' },
      });
      await ledger.write<CommandRow>(undefined, { ...parkedCommand(stopId), command: stop });

      const result = await command.run(argumentsOf(command, 'resolve', stopId, '--repeat', '--no-wait'), deps);

      expect(textOf(result)).toContain(`sent again as ${stopId}~2`);
      const { startId: _startId, ...ofRun } = stop;
      expect(sent.map(({ body }) => JSON.parse(body))).toEqual([
        { ...ofRun, id: `${stopId}~2`, issuedAt: now.toISOString() },
      ]);
    });
  });

  test('does not wait for a message that has no key of its own', async () => {
    const { deps, sent } = fakeDeps({ rows: [parkedMessage()] });

    const result = await command.run(argumentsOf(command, 'resolve', handleOf(parkedMessage().pk), '--repeat'), deps);

    expect(sent).toHaveLength(1);
    expect(result.exitCode).toBe(exitCodes.done);
    expect(textOf(result)).toContain('it is a new message now');
  });

  test.each([['--repeat'], ['--applied', 'ds-7']])(
    'a message that could not be sent after the decision %s is sent by the same command',
    async (...how) => {
      let isDown = true;
      const { deps, ledger, sent } = fakeDeps({
        async onSend() {
          if (isDown) throw new Error('no network');
        },
      });
      await ledger.write<UploadRow>(undefined, upload);
      const again = argumentsOf(command, 'resolve', id, ...how, '--no-wait');

      const first = await command.run(again, deps);
      isDown = false;
      const second = await command.run(again, deps);

      expect(textOf(first)).toMatch(
        /is written, but its message could not be sent \(no network\): the same command again/,
      );
      expect([first.exitCode, second.exitCode]).toEqual([exitCodes.failed, exitCodes.done]);
      expect(sent).toHaveLength(2);
      expect((await ledger.read<UploadRow>(upload.pk))?.resolutions).toHaveLength(1);
    },
  );

  // "ValidationException … Key: pk", and a row that two characters had picked.
  test.each([
    ['', /an empty word names nothing/],
    ['x'.repeat(2100), /^"x{40}…" has 2100 bytes: no key and no id is so long$/],
    [id.slice(0, 2), /is too short to be sure of an item: give at least 4 characters of its id/],
  ])('refuses the id "%s" in words', async (word, sentence) => {
    const { deps, ledger } = fakeDeps({ rows: [upload] });
    const args = argumentsOf(command, 'resolve', word, '--dismiss', '--reason', 'x');

    await expect(command.run(args, deps)).rejects.toThrow(sentence);
    expect((await ledger.read<UploadRow>(upload.pk))?.state).toBe('PARKED');
  });

  test('--dismiss closes the row and sends nothing', async () => {
    const { deps, ledger, sent } = fakeDeps({ rows: [parkedMessage()] });

    const args = argumentsOf(command, 'resolve', parkedMessage().pk, '--dismiss', '--reason', 'a test of ours');
    const result = await command.run(args, deps);

    expect((await ledger.read<MessageRow>(parkedMessage().pk))?.openState).toBeUndefined();
    expect(sent).toEqual([]);
    expect(textOf(result)).toContain('dismissed');
  });

  test('tells who resolved a row already, and sends nothing', async () => {
    const { deps, sent } = fakeDeps({ rows: [upload] });
    await command.run(argumentsOf(command, 'resolve', id, '--applied', 'ds-7', '--reason', 'seen'), deps);
    sent.length = 0;

    const result = await command.run(argumentsOf(command, 'resolve', upload.pk, '--repeat'), deps);

    expect(result.exitCode).toBe(exitCodes.failed);
    expect(textOf(result)).toMatch(/not resolved.*grace decided "applied"/);
    expect(sent).toEqual([]);
  });

  test('two people at once: the second is told what the first decided, and sends nothing', async () => {
    const { deps, sent } = fakeDeps({ rows: [upload] });
    const both = ['--repeat', '--repeat'].map((how) =>
      command.run(argumentsOf(command, 'resolve', id, how, '--no-wait'), deps),
    );

    const codes = (await Promise.all(both)).map((result) => result.exitCode);

    expect(new Set(codes)).toEqual(new Set([exitCodes.done, exitCodes.failed]));
    expect(sent).toHaveLength(1);
  });

  test('does not repeat what is there for certain, unless that is said', async () => {
    const { deps, sent } = fakeDeps({ rows: [parkedUpload({ reason: 'APPLIED_ID_UNKNOWN' })] });
    const words = ['resolve', id, '--repeat', '--no-wait'];

    const refused = await command.run(argumentsOf(command, ...words), deps);
    const sentBefore = sent.length;
    await command.run(
      argumentsOf(command, ...words, '--accept-second-effect', '--reason', 'it was deleted there'),
      deps,
    );

    expect(textOf(refused)).toContain('a repeat may do it a second time at the gateway');
    expect(refused.exitCode).toBe(exitCodes.failed);
    expect([sentBefore, sent.length]).toEqual([0, 1]);
  });

  test('a dry run by id changes nothing and prints the command that does it', async () => {
    const { deps, ledger, sent } = fakeDeps({ rows: [upload] });

    const result = await command.run(argumentsOf(command, 'resolve', id, '--applied', 'ds-7', '--dry-run'), deps);

    expect(textOf(result)).toContain('dry run: 1 item would be recorded as applied');
    expect(textOf(result)).toContain(`  npx --no -- autopilot parked resolve ${id} --applied ds-7`);
    expect((await ledger.read<UploadRow>(upload.pk))?.openState).toBe('PARKED');
    expect(sent).toEqual([]);
  });

  test('takes no campaign run for a dataset', async () => {
    const { deps, ledger } = fakeDeps();
    const campaignRunId = '0197f3a0-5b1c-7d2e-8f30-112233445566';
    await ledger.write<UploadRow>(undefined, upload);
    await ledger.write<IdRow>(undefined, idRow({ campaignRunId }));

    const resolving = command.run(argumentsOf(command, 'resolve', id, '--applied', campaignRunId.toUpperCase()), deps);

    await expect(resolving).rejects.toThrow(/is a campaign run of nightly, not a dataset/);
  });

  test.each([
    [
      'an upload that was never sent',
      parkedUpload({ reason: 'CHECK_FAILED' }),
      ['--applied', 'ds-1'],
      /was never sent/,
    ],
    ['a command', parkedCommand(), ['--applied', 'ds-1'], /is no upload/],
  ] as const)('says why it cannot be decided so: %s', async (_what, row, how, sentence) => {
    const { deps, ledger, sent } = fakeDeps({ rows: [row] });

    const result = await command.run(argumentsOf(command, 'resolve', row.pk, ...how), deps);

    expect(textOf(result)).toMatch(sentence);
    expect(result.exitCode).toBe(exitCodes.failed);
    expect((await ledger.read<CommandRow | MessageRow | UploadRow>(row.pk))?.openState).toBe('PARKED');
    expect(sent).toEqual([]);
  });

  test.each([
    [['resolve'], /needs an id, or --code, --since/],
    [['resolve', '--applied', id], /autopilot parked resolve ID --applied DATASET-ID/],
    [['resolve', id], /needs a decision/],
    [['resolve', id, '--applied', 'DATASET-ID'], /put your own in the place of DATASET-ID/],
    [['resolve', id, '--applied', id], /is the id of the parked item/],
    [['resolve', id, '--dismiss'], /--reason is required/],
    [['resolve', id, '--repeat', '--accept-second-effect'], /--reason is required/],
    [['resolve', id, '--dismiss', '--reason', 'x', '--accept-second-effect'], /is about --repeat/],
    [['resolve', id, 'other', '--applied', 'ds-1'], /give its id, and one alone/],
    [['resolve', id, '--repeat', '--since', '2h'], /give ids, or select items by --since: not both/],
    [['resolve', id, '--repeat', '--code', 'FORBIDDEN'], /give ids, or select items by --code: not both/],
    [['resolve', id, '--repeat', '--yes', '1'], /ids need none/],
    [['resolve', 'unknown', '--repeat'], /nothing parked has the id "unknown" in the stage "local"/],
  ])('refuses %j and changes nothing', async (argv, sentence) => {
    const { deps, ledger, sent } = fakeDeps({ rows: [upload] });
    const running = async () => command.run(argumentsOf(command, ...argv), deps);

    await expect(running()).rejects.toThrow(sentence);
    expect((await ledger.read<UploadRow>(upload.pk))?.openState).toBe('PARKED');
    expect(sent).toEqual([]);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '#local/stage/gateway-access.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { RunRow } from '#shared/ledger/rows/run-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { parseObjectEvents } from '#shared/uploads/object-events.ts';
import { type CliStage, idle, type PlayedWorker, runCli, startCliStage } from './start-cli-stage.ts';

let stage: CliStage;
let folder = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'autopilot-files-'));
  stage = await startCliStage();
});
afterAll(async () => {
  await stage.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => stage.play(idle));

function file(name: string, text = 'prompt,label\nhello,false\n'): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Ends uploads and commands at once, as the real workers record them. */
function endsAs(outcome: NonNullable<UploadRow['outcome']>, row: Partial<UploadRow> = {}): PlayedWorker {
  return async (queue, body, ledger) => {
    if (queue === 'commands') {
      const command: CampaignRunCommand = JSON.parse(body);
      const pk = ledgerKeys.command(command.id);
      await ledger.write<CommandRow>(undefined, { pk, kind: 'command', id: command.id, command, outcome });
      return;
    }
    const events = parseObjectEvents(body);
    for (const event of events.kind === 'records' ? events.records : []) {
      if (event.kind !== 'created') continue;
      const pk = ledgerKeys.upload(event.bucket, event.key, event.versionKey);
      const { bucket, key, eventTime } = event;
      await ledger.write<UploadRow>(await ledger.read<UploadRow>(pk), {
        pk,
        kind: 'upload',
        state: 'APPLIED',
        bucket,
        key,
        eventTime,
        attempts: 1,
        crashes: 0,
        outcome,
        ...(outcome.kind === 'parked'
          ? {
              openState: 'PARKED',
              openSince: outcome.at,
              parked: { message: body, queue: 'uploads', attempts: 1, firstSeen: outcome.at, lastSeen: outcome.at },
            }
          : {}),
        ...row,
      });
    }
  };
}

const at = '2026-11-20T20:00:00.000Z';

describe('autopilot against a stage', () => {
  test('uploads a file whose name is no plain key and prints its dataset', async () => {
    stage.play(endsAs({ kind: 'applied', at }, { datasetId: 'ds-1' }));
    const path = file('über +100% a.csv');

    const { code, out, err } = await stage.cli('upload', path, '--name', 'Prüfung');

    expect({ code, out, err }).toEqual({ code: 0, out: `${path}: registered with dataset id ds-1\n`, err: '' });
  });

  test('tells a parked upload, lists it, shows it, and registers it by a repeat', async () => {
    stage.play(endsAs({ kind: 'parked', reason: 'FILE_ID_MISSING', at }));
    const uploaded = await stage.cli('upload', file('parked.csv'), '--json');
    const [{ parkedId }] = JSON.parse(uploaded.out).uploads;

    const listed = await stage.cli('parked', 'list', '--json');
    const shown = await stage.cli('parked', 'show', parkedId);
    stage.play(endsAs({ kind: 'applied', at }, { datasetId: 'ds-2' }));
    const resolved = await stage.cli(
      'parked',
      'resolve',
      parkedId,
      '--repeat',
      '--reason',
      'the rule has a template now',
    );

    expect(uploaded.code).toBe(4);
    expect(JSON.parse(listed.out).parked).toMatchObject([{ id: parkedId, reason: 'FILE_ID_MISSING' }]);
    expect(shown.out).toContain('datasets/parked.csv');
    expect(resolved).toMatchObject({ code: 0, err: '' });
    expect(resolved.out).toContain('registered with dataset id ds-2');
    expect((await stage.cli('parked', 'list')).out).toBe('nothing is parked\n');
  });

  test('sends, fires a command and a poll, and binds', async () => {
    stage.play(endsAs({ kind: 'applied', at }));
    const uuid = '0197f3a0-5b1c-7d2e-8f30-112233445566';

    const [sent, fired, polled, bound] = await Promise.all([
      stage.cli('send', 'stop', 'nightly', '--reason', 'CHG-1'),
      stage.cli('fire', 'weeknights'),
      stage.cli('fire', 'poll-vendor'),
      stage.cli('bind', 'nightly', uuid),
    ]);

    expect(sent).toEqual({ code: 0, out: 'stop nightly: applied\n', err: '' });
    expect(fired).toEqual({ code: 0, out: 'weeknights: start nightly: applied\n', err: '' });
    expect(polled.out).toBe('poll-vendor: done, {"packages":3}\n');
    // Before a stop, and before a command is fired, the worker is asked whether the stage acts.
    expect(stage.invoked.filter((event) => event !== '{"ask":"config"}')).toEqual(['{"watch":"vendor"}']);
    expect(bound.code).toBe(0);
    expect((await stage.ledger.read<RunRow>(ledgerKeys.run('nightly')))?.bound).toEqual([uuid]);
  });

  test('Ctrl-C while it waits tells what is under way: every file is sent by then', async () => {
    const { promise: seen, resolve } = Promise.withResolvers<void>();
    stage.play(async () => resolve());
    const files = [file('first.csv'), file('second.csv')];

    const { code, out } = await stage.cliUntil(seen, 'upload', ...files);

    expect(code).toBe(6);
    expect(out).toMatch(/first.csv: no outcome yet, and no attempt at it has ended.*\n[^]*second.csv: no outcome yet/);
  });

  test('moves the clock, and stamps commands by it from then on', async () => {
    const commands: CampaignRunCommand[] = [];
    stage.play(async (queue, body, ledger) => {
      commands.push(JSON.parse(body));
      await endsAs({ kind: 'applied', at })(queue, body, ledger);
    });

    const moved = await stage.cli('clock', '+3 days', '--json');
    await stage.cli('send', 'start', 'nightly');

    const { now, offsetMs, fired } = JSON.parse(moved.out);
    // It goes to an instant, and the real time that passed on the way is part of it.
    expect(offsetMs / 86_400_000).toBeCloseTo(3, 3);
    expect(fired.length).toBeGreaterThan(0);
    expect(Date.parse(commands[0]?.issuedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(now));
  });
});

test.each(['status', 'clock', 'send stop nightly', 'upload FILE'])(
  'says how to start it if nothing runs: %s',
  async (line) => {
    const port = await freePort(0, '--port');
    const argv = line.split(' ').map((word) => (word === 'FILE' ? file('a.csv') : word));

    const { code, out, err } = await runCli(argv, {
      AUTOPILOT_DATA: stage.dataDir,
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    });

    expect(code).toBe(3);
    expect(out).toBe('');
    expect(err).toBe(
      `autopilot: nothing runs at http://127.0.0.1:${port}: start it with \`npx --no autopilot start --data ${stage.dataDir} --port ${port}\`, or name a deployed stage with --aws --stage prod\n`,
    );
  },
);

test('says that another version deployed the stage, beside what both know, and beside an error', async () => {
  const newer = await startCliStage({ version: '99.0.0' });
  try {
    const listed = await newer.cli('history');
    const failed = await newer.cli('show', 'nothing');

    const says = /^autopilot: this stage is 99\.0\.0, this command is \S+: install gateway-autopilot@99\.0\.0\./m;
    expect(listed.code).toBe(0);
    expect(listed.err).toMatch(says);
    expect(failed.code).toBe(2);
    expect(failed.err).toMatch(says);
    expect((await stage.cli('history')).err).toBe('');
  } finally {
    await newer.close();
  }
});

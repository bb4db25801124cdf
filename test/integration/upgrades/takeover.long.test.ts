import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { versionsWithSources } from '#infra/release/released-sources.ts';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { installArchive, packProduct } from '../../infra/package/install-package.ts';
import { files, laterStop, setClock, weekEnd, workInHand } from '../../upgrades/week.ts';
import { datasetsOf, runOf } from '../stage/harness/control-data.ts';
import { startStageOf, type StageProcess, temporaryFolder, until } from '../stage/harness/stage-process.ts';
import { releasedVersions, unpackProduct, unpackState } from './released-state.ts';

const parkedList = z.object({
  parked: z.array(z.looseObject({ id: z.string(), subject: z.string(), reason: z.string() })),
});
const history = z.object({
  history: z.array(
    z.looseObject({ id: z.string(), action: z.string(), run: z.string().optional(), outcome: z.string() }),
  ),
});

const byNumber = new Intl.Collator('en', { numeric: true });

/** A minute behind what the released version wrote last. */
const takenOver = new Date(weekEnd.getTime() + 60_000);

test('the way back to the newest of them is tried', () => {
  expect(versionsWithSources()).toEqual([releasedVersions.toSorted(byNumber.compare).at(-1)]);
});

describe.each(releasedVersions)('a stage that %s ran for a week, taken over by the installed product', (version) => {
  const hasSources = versionsWithSources().includes(version);
  const folder = temporaryFolder();
  let stage: StageProcess;
  let config: string;
  let dataDir: string;

  beforeAll(async () => {
    ({ dataDir, config } = unpackState(version, folder.path));
    // Now a list; that version reads one as well.
    const written = readFileSync(config, 'utf8').replace('"scannerVersions":"1.0.0"', '"scannerVersions":["1.0.0"]');
    writeFileSync(config, written);
    setClock(dataDir, takenOver);
    const installed = join(folder.path, 'installed');
    await installArchive(await packProduct(folder.path), installed);
    stage = await startStageOf(installed, dataDir, '--config', config);
  });

  afterAll(async () => {
    await stage.end('SIGINT');
    folder.remove();
  });

  const run = async (...words: readonly string[]) => {
    const { code, stdout, stderr, json } = await stage.autopilot(...words);
    expect(code, `${words.join(' ')}\n${stdout}${stderr}`).toBe(0);
    return json;
  };
  const parked = async () => parkedList.parse((await run('parked', 'list', '--json'))()).parked;
  const ended = async () => history.parse((await run('history', '--limit', '100', '--json'))()).history;
  const startsOf = async (name: string) =>
    (await ended()).filter(
      ({ action, run: of, outcome }) => action === 'start' && of === name && outcome === 'applied',
    );

  test('is read as it was left: a run in flight, a start that is put off, changes that settle, a freeze', async () => {
    const text = (await workInHand(stage)).join('\n');

    expect(text).toMatch(/run: nightly/);
    expect(text).toMatch(/put off by the blackout audit/);
    expect(text).toMatch(/changes that wait/);
    expect((await run('status', '--json'))()).toMatchObject({ switches: [{ reason: 'a takeover' }] });
  });

  test('its parked work is shown and decided: dismissed, or told to be done', async () => {
    const rows = await parked();

    expect(rows.map(({ reason }) => reason).toSorted()).toEqual(['CHECK_FAILED', 'CONFIG', 'POST_OUTCOME_UNKNOWN']);
    await run('parked', 'show', ...rows.map(({ id }) => id));
    const decisions: Readonly<Record<string, readonly string[]>> = {
      CHECK_FAILED: ['--dismiss'],
      CONFIG: ['--dismiss'],
      POST_OUTCOME_UNKNOWN: ['--repeat'],
    };
    for (const { id, reason } of rows) {
      await run('parked', 'resolve', id, ...(decisions[reason] ?? []), '--because', 'a takeover');
    }
    expect(await parked()).toEqual([]);
  });

  test('its freeze is lifted, its run is stopped in time, and what waited is done: nothing twice, nothing lost', async () => {
    await run('thaw', '--reason', 'taken over');
    await run('clock', '+20m');
    await until('the uploads', async () => {
      const ids = new Set((await datasetsOf(stage)).map(({ fileId }) => fileId));
      return [files.unknown, files.waiting, files.twice].every((id) => ids.has(id)) ? true : undefined;
    });
    await until('the delayed messages', async () => {
      const stop = (await ended()).some(({ id }) => id === laterStop.id);
      return stop && (await parked()).length === 4 ? true : undefined;
    });

    const dead = await parked();
    expect(dead.map(({ reason }) => reason)).toEqual(Array.from({ length: 4 }, () => 'WORKER_DIED'));
    await run('parked', 'resolve', ...dead.map(({ id }) => id), '--dismiss', '--because', 'done already');

    await run('clock', '--to', '2036-01-13T18:10:00Z', '--yes');
    const [, , , , inFlight, ofNight] = seedIds.campaignRuns.nightly;
    await until('the stop that the other version planned', async () =>
      (await runOf(stage, inFlight)).words.at(-1) === 'stopped' ? true : undefined,
    );
    await run('clock', '--to', '2036-01-13T20:05:00Z', '--yes');
    await until('the start that was put off', async () => ((await startsOf('smoke')).length === 2 ? true : undefined));
    await run('clock', '--to', '2036-01-14T10:00:00Z', '--yes');
    await run('clock', '--to', '2036-01-15T10:00:00Z', '--yes'); // listing and project are looked at, and a night goes by
    await until('the start of the settled changes', async () =>
      (await startsOf('monthly')).length === 1 ? true : undefined,
    );
    await until('the stop of that night', async () =>
      (await runOf(stage, ofNight)).words.at(-1) === 'stopped' ? true : undefined,
    );
    expect(await startsOf('monthly')).toHaveLength(1); // the project is as the other version saw it
    expect((await ended()).filter(({ id }) => id.startsWith('plan:'))).toHaveLength(1); // it was announced three times

    const counts = new Map<string, number>();
    for (const { fileId } of await datasetsOf(stage)) counts.set(String(fileId), (counts.get(String(fileId)) ?? 0) + 1);
    expect(Object.values(files).map((file) => [file, counts.get(file)])).toEqual([
      [files.registered, 1],
      [files.refused, undefined],
      [files.unknown, 1],
      [files.waiting, 1],
      [files.twice, 1],
    ]);
    for (const id of seedIds.campaignRuns.nightly.slice(0, 6)) {
      expect((await runOf(stage, id)).words.slice(-2), id).toEqual(['running', 'stopped']);
    }
    const [smoke] = seedIds.campaignRuns.smoke;
    expect((await runOf(stage, smoke)).words.filter((word) => word === 'running')).toHaveLength(2);
  });

  test.runIf(hasSources)('goes back to its version: a run that this one started is stopped there', async () => {
    await run('send', 'start', 'nightly');
    await run('freeze', '--reason', 'the way back');
    await stage.end('SIGINT');
    stage = await startStageOf(unpackProduct(version, folder.path), dataDir, '--config', config);

    expect((await run('status', '--json'))()).toMatchObject({ switches: [{ reason: 'the way back' }] });
    await run('parked', 'list');
    await run('thaw', '--reason', 'the way back');
    await run('clock', '+7h');
    const [, , , , , , started] = seedIds.campaignRuns.nightly;
    await until('the stop that the newer version planned', async () =>
      (await runOf(stage, started)).words.at(-1) === 'stopped' ? true : undefined,
    );
    expect((await runOf(stage, started)).words.filter((word) => word === 'running')).toHaveLength(1);
  });
});

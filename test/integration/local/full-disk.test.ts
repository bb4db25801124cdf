import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { openDynamoDb } from '#local/aws/dynamodb/tables.ts';
import { openObjectStore } from '#local/aws/s3/object-store.ts';
import { openQueues } from '#local/aws/sqs/queues.ts';
import { takeDataFolder } from '#local/stage/data-folder.ts';
import { asStartProblem, fromState, fromStateLater, StartProblem } from '#local/state/start-problem.ts';
import { noDisk, smallDisk } from '../../builders/test-folder.ts';

const disk = smallDisk();
const note = disk === undefined ? ' (skipped: a mount needs root on Linux)' : '';

/** What a newcomer read as damage; the state was whole, and `--fresh` would have deleted the ledger. */
describe.skipIf(disk === undefined)(`the state on a disk of its own${note}`, () => {
  const { folder, fill, makeRoom, setReadOnly, unmount } = disk ?? noDisk;
  const dataDir = join(folder, 'aws');
  beforeEach(() => {
    rmSync(dataDir, { recursive: true, force: true });
    mkdirSync(dataDir);
  });
  afterAll(unmount);

  const stores: readonly (readonly [name: string, open: () => unknown])[] = [
    ['queues', () => openQueues(new Map(), dataDir, Date.now).close()],
    ['objects', () => openObjectStore(dataDir, Date.now).close()],
    ['tables', async () => (await openDynamoDb(dataDir, new Map())).close()],
  ];

  test.each(stores)('that is full is one sentence, and no damage: %s', async (_name, open) => {
    fill();

    const opened = (async () => open())();

    await expect(opened).rejects.toThrow(StartProblem);
    await expect(opened).rejects.toThrow(/^the disk of \S+ is full: make room/);
    await expect(opened).rejects.not.toThrow('--fresh');
    makeRoom();
    await expect((async () => open())()).resolves.toBeUndefined();
  });

  test.each(stores)('that is read-only is one sentence, and no damage: %s', async (_name, open) => {
    await open();
    setReadOnly(true);

    const opened = (async () => open())();

    await expect(opened).rejects.toThrow(/^\S+ is read-only: make its disk writable/);
    await expect(opened).rejects.not.toThrow('--fresh');
    setReadOnly(false);
    await expect((async () => open())()).resolves.toBeUndefined();
  });

  test('that is full before the folder is taken is one sentence', () => {
    takeDataFolder(join(folder, 'state'), false).release();
    fill();

    expect(() => takeDataFolder(join(folder, 'state'), false)).toThrow(/^the disk of \S+ is full: make room/);
    makeRoom();
    rmSync(join(folder, 'state'), { recursive: true });
  });
});

const path = join(tmpdir(), 'queues.db');
const eio = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', errno: -5, syscall: 'read', path });
const sentence = `the disk of ${tmpdir()} fails when it is read or written: copy the folder to another disk, and name the copy with --data`;
const fail = (): never => {
  throw eio;
};

test('a disk that fails is one sentence, wherever it comes up', async () => {
  expect(() => fromState(path, fail)).toThrow(sentence);
  await expect(fromStateLater(path, async () => fail())).rejects.toThrow(sentence);
  expect(asStartProblem(eio)?.message).toBe(sentence);
});

test('what a store refuses for another reason is no damage either', async () => {
  const tables = join(tmpdir(), 'dynamodb');
  const refused = fromStateLater(tables, async () => {
    throw new Error('dynalite refused CreateTable');
  });

  await expect(refused).rejects.toThrow(
    `${tables} cannot be used (dynalite refused CreateTable): name another folder with --data`,
  );
});

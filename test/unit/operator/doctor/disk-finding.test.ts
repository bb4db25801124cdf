import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { diskFinding } from '#operator/doctor/examine-stage.ts';
import { folderOfTest, noDisk, smallDisk } from '../../../builders/test-folder.ts';

test('the disk of a local stage has room: its row says how much', () => {
  expect(diskFinding(folderOfTest())).toEqual({
    subject: 'disk',
    state: 'ok',
    says: expect.stringMatching(/^\d+\.\d GB are free for /),
  });
});

test('a folder that cannot be looked at is not known', () => {
  expect(diskFinding('/nowhere/at/all')).toMatchObject({ subject: 'disk', state: 'unknown' });
});

const disk = smallDisk();
const note = disk === undefined ? ' (skipped: a mount needs root on Linux)' : '';

describe.skipIf(disk === undefined)(`a disk that is small${note}`, () => {
  test('is a warning while it has room, and a problem once it is full, also below the folder', () => {
    const { folder, fill, unmount } = disk ?? noDisk;
    onTestFinished(unmount);
    mkdirSync(join(folder, 'aws', 'dynamodb'), { recursive: true });
    const before = diskFinding(folder);
    fill();
    const after = diskFinding(folder);

    expect(before).toMatchObject({
      state: 'warning',
      says: expect.stringMatching(/^only \d+ MB are free/),
      next: { says: 'Make room.' },
    });
    expect(after).toMatchObject({ state: 'problem', says: expect.stringMatching(/is full: make room/) });
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeEach, describe, expect, test } from 'vitest';

import { openMovableClock } from '#local/clock/movable-clock.ts';
import { realNow } from '#local/clock/moved-date.mjs';
import { folderOfTest } from '../../../builders/test-folder.ts';

let folder = '';
beforeEach(() => {
  folder = folderOfTest();
});

describe('a movable clock', () => {
  test('starts at the real time, and writes nothing until it is moved', () => {
    const clock = openMovableClock(join(folder, 'clock.json'));

    expect(clock.offsetMs()).toBe(0);
    expect(Math.abs(clock.now() - realNow())).toBeLessThan(1000);
  });

  test('keeps its offset over a restart', () => {
    const file = join(folder, 'data', 'clock.json');
    openMovableClock(file).moveForward(3_600_000);
    openMovableClock(file).moveForward(60_000);

    expect(openMovableClock(file).offsetMs()).toBe(3_660_000);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ offsetMs: 3_660_000 });
  });

  test('tells its listeners where it stands, until they leave', () => {
    const clock = openMovableClock(join(folder, 'clock.json'));
    const heard: number[] = [];
    const leave = clock.onMove((offsetMs) => heard.push(offsetMs));

    clock.moveForward(10);
    leave();
    clock.moveForward(10);

    expect(heard).toEqual([10]);
  });

  test.each([-1, Number.NaN, Infinity])('does not move by %s', (milliseconds) => {
    const clock = openMovableClock(join(folder, 'clock.json'));

    expect(() => clock.moveForward(milliseconds)).toThrow(RangeError);
    expect(clock.offsetMs()).toBe(0);
  });
});

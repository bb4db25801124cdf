import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageFolder } from '#shared/places.ts';
import { type PictureName, textOf, visitPictures } from '../../pictures/picture-stage.ts';
import { skipReason } from './page/browser.ts';
import { skipNote } from './page/in-browser.ts';

/**
 * What stood in the pictures when they were taken. A picture itself looks different with each
 * browser and its fonts.
 */
const taken = (name: PictureName) => readFileSync(join(packageFolder, 'test', 'pictures', `${name}.txt`), 'utf8');

test.skipIf(skipReason !== undefined)(
  `README's pictures show the screens as they are; else: npm run docs -- pictures${skipNote}`,
  async () => {
    const shown = new Map<PictureName, string>();
    await visitPictures(async (name, page) => void shown.set(name, await textOf(page)));

    expect(Object.fromEntries(shown)).toEqual({ now: taken('now'), calendar: taken('calendar') });
  },
);

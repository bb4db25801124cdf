/**
 * `npm run docs -- pictures`: takes the pictures of the console that README shows, and writes down what
 * stands in them. A person looks at them and commits them; `pictures.long.test.ts` is red if the screens
 * say something else.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '#shared/places.ts';
import { skipReason } from '../integration/console/page/browser.ts';
import { textOf, visitPictures } from './picture-stage.ts';

if (skipReason !== undefined) throw new Error(skipReason);
const outDir = join(packageFolder, 'docs', 'pictures');
mkdirSync(outDir, { recursive: true });
await visitPictures(async (name, page) => {
  await page.screenshot({ path: join(outDir, `${name}.png`) });
  writeFileSync(join(import.meta.dirname, `${name}.txt`), await textOf(page));
});

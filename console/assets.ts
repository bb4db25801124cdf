import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageFolder } from '#shared/places.ts';
import type { PageFiles } from './bundle-page.ts';

/** What the console shows that is no answer of a stage. */
export interface ConsoleAssets {
  readonly page: PageFiles;
  /** docs/runbook.md; absent if it is not there. */
  readonly runbook?: string | undefined;
}

/** Makes the page from its sources. In the installed package the build has put the finished page in the place of this file (infra/bundle). */
export async function readAssets(): Promise<ConsoleAssets> {
  const { bundlePage } = await import('./bundle-page.ts');
  const [page, runbook] = await Promise.all([
    bundlePage(),
    readFile(join(packageFolder, 'docs', 'runbook.md'), 'utf8'),
  ]);
  return { page, runbook };
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageFolder } from '#shared/places.ts';
import { replaceBetween } from '../../unit/docs/documents/between-marks.ts';
import { configurations, synthesize } from '../template.ts';
import { pictureOf } from './picture.ts';

/** The document with the picture. */
export const architecturePath = join(packageFolder, 'docs', 'architecture.md');

/**
 * The document as it should be: its own words, and the picture of the example as it is deployed.
 */
export async function freshArchitectureDocument(): Promise<string> {
  const [document, stage] = await Promise.all([readFile(architecturePath, 'utf8'), synthesize(configurations.example)]);
  return replaceBetween(document, { name: 'picture', command: 'npm run docs -- architecture' }, pictureOf(stage));
}

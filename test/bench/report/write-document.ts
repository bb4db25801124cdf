import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '#shared/places.ts';
import type { MeasuredRow } from '../measured-row.ts';
import { type Run, withFigures } from './document.ts';
import type { Machine } from './machine.ts';

/**
 * Writes what was measured into docs/reference/performance.md.
 * @returns its path inside the project
 * @throws Error if the document has no place for it
 */
export function writeDocument(rows: readonly MeasuredRow[], machine: Machine, run: Run): string {
  const path = 'docs/reference/performance.md';
  const file = join(packageFolder, path);
  writeFileSync(file, withFigures(readFileSync(file, 'utf8'), rows, machine, run));
  return path;
}

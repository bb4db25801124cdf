import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProofs, type Proof } from './find-proofs.ts';
import { type Fault, readCatalogue } from './read-catalogue.ts';

const root = join(import.meta.dirname, '../../..');

/** The catalogue of the project. */
export function projectFaults(): Fault[] {
  return readCatalogue(readFileSync(join(root, 'docs/fault-catalogue.md'), 'utf8'));
}

/** Every test of the project whose title names a fault, by path. */
export function projectProofs(): Proof[] {
  return globSync('test/**/*.test.ts', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.startsWith('test/faults/catalogue/'))
    .toSorted()
    .flatMap((path) => findProofs(path, readFileSync(join(root, path), 'utf8')));
}

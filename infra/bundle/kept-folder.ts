/**
 * A start on one machine makes bundles and templates again only if they would differ. What is
 * deployed is always made again.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isInstalled, packageFolder } from '#shared/places.ts';

/** All of the product that bundles and templates are made of, in the installed package. */
const ofPackage: readonly string[] = ['infra', 'shared', 'chunks', 'build/functions', 'package.json'];

/** The same in a checkout. The last one lists the packages as npm has installed them. */
const ofCheckout: readonly string[] = [
  'infra',
  'shared',
  'functions',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'cdk.json',
  'node_modules/.package-lock.json',
];

/**
 * A digest of the product as it is on the disk, and of the Node that runs it.
 * @param beside - what else the result depends on
 */
export function digestOfProduct(beside: object = {}, folder: string = packageFolder): string {
  const own = (isInstalled ? ofPackage : ofCheckout).map((name) => digestOfFiles(join(folder, name)));
  return createHash('sha256')
    .update(JSON.stringify([process.version, own, beside]))
    .digest('hex');
}

/** A digest of a file, or of each file below a folder with its place; of nothing if it is not there. */
function digestOfFiles(path: string): string {
  const hash = createHash('sha256');
  for (const file of filesOf(path)) hash.update(`\0${relative(path, file)}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

function filesOf(path: string): string[] {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
}

/**
 * Empties a folder and fills it. Nothing happens if it holds what was made of the same before, whole
 * and unchanged.
 * @param inputs - a digest of all that it is made of
 */
export async function fillFolder(folder: string, inputs: () => string, fill: () => Promise<void>): Promise<void> {
  const mark = `${folder}.made-of`;
  const before = inputs();
  const isKept = existsSync(mark) && readFileSync(mark, 'utf8') === `${before} ${digestOfFiles(folder)}`;
  if (isKept) return;
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  await fill();
  // An input that was saved in the meantime is in it or not: the next start finds out.
  if (inputs() === before) writeFileSync(mark, `${before} ${digestOfFiles(folder)}`);
}

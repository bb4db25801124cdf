import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { diskProblem, freeBytes } from '#shared/disk-problem.ts';
import type { Finding } from '../finding.ts';

/** The folders of the state that hold files, from that of the stage. */
const folders = ['', 'aws', join('aws', 'dynamodb'), 'logs'];

/** A night of uploads fits into this. */
const enoughBytes = 500_000_000;

/**
 * Says whether a stage on this machine can go on writing its state.
 * @param folder - of the state
 */
export function diskFinding(folder: string): Finding {
  const subject = 'disk';
  const present = folders.map((name) => join(folder, name)).filter((path) => existsSync(path));
  if (present.length === 0) return { subject, state: 'unknown', says: `${folder} cannot be looked at` };
  const [problem] = present.flatMap((path) => diskProblem(path) ?? []);
  if (problem !== undefined) return { subject, state: 'problem', says: problem };
  const bytes = freeBytes(folder);
  if (bytes >= enoughBytes)
    return { subject, state: 'ok', says: `${(bytes / 1e9).toFixed(1)} GB are free for ${folder}` };
  const says = `only ${Math.floor(bytes / 1e6)} MB are free for ${folder}`;
  return { subject, state: 'warning', says, next: { says: 'Make room.' } };
}

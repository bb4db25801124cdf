import type { Played } from '../play.ts';
import { brokenRunPromises } from './run-promises.ts';
import { brokenStagePromises } from './stage-promises.ts';
import { brokenUploadPromises } from './upload-promises.ts';

/**
 * Every promise of docs/reference/reliability.md that a history broke, one sentence each; none: it kept them
 * all.
 */
export function brokenPromises(played: Played): readonly string[] {
  return [...brokenStagePromises(played), ...brokenUploadPromises(played), ...brokenRunPromises(played)];
}

import { toError } from '#shared/errors/app-error.ts';
import { chooseRule, fillTemplate } from '#shared/uploads/dataset-rule.ts';
import type { AskingDeps } from '../operator-deps.ts';
import { readDatasetRules, type StageDatasetRule } from '../stage/stage-config.ts';
import type { UploadReport } from './upload-file.ts';

/** Says which `fileId` an upload gets, in words. */
export type FileIds = (upload: Pick<UploadReport, 'bucket' | 'key' | 'versionId'>) => string;

/**
 * Asks the stage for its rules. Never rejects: an upload needs no answer, so what is not known is said in its place.
 * @param given - the id that a person gives, before that of a rule
 */
export async function fileIdsOf(deps: AskingDeps, given?: string): Promise<FileIds> {
  if (given !== undefined) return () => `fileId "${given}", as given`;
  try {
    const rules = await readDatasetRules(deps);
    return (upload) => fileIdInWords(upload, rules);
  } catch (error) {
    const { message } = toError(error);
    return () => `its fileId is not known here: ${message}`;
  }
}

function fileIdInWords(upload: Parameters<FileIds>[0], rules: readonly StageDatasetRule[]): string {
  const rule = chooseRule(rules, upload.key);
  if (rule === undefined) return 'which no rule for datasets takes';
  if (rule.fileId === undefined) return `whose rule ${rule.prefix} makes no fileId: give --file-id`;
  // The tag of the object is known to the bucket alone.
  return `fileId "${fillTemplate(rule.fileId, { ...upload, etag: '{etag}' })}" by the rule ${rule.prefix}`;
}

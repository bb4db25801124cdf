import { toError } from '#shared/errors/app-error.ts';
import { keyOfSidecar } from '#shared/uploads/object-key.ts';
import { chooseRule, fillTemplate } from '#shared/uploads/dataset-rule.ts';
import type { AskingDeps } from '../operator-deps.ts';
import { readDatasetRules, type StageDatasetRule } from '../stage/stage-config.ts';
import type { UploadReport } from './upload-file.ts';
import type { PlannedUpload } from './upload-source.ts';

/** Says which `fileId` an upload gets, in words. */
export type FileIds = (upload: Pick<UploadReport, 'bucket' | 'key' | 'versionId'>) => string;

/** The rules of a stage, or why they are not known. */
export type KnownRules =
  | { readonly rules: readonly StageDatasetRule[]; readonly unknownBecause?: undefined }
  | { readonly rules?: undefined; readonly unknownBecause: string };

/** Asks the stage for its rules. Never rejects: an upload needs no answer. */
export async function knownRules(deps: AskingDeps): Promise<KnownRules> {
  try {
    return { rules: await readDatasetRules(deps) };
  } catch (error) {
    return { unknownBecause: toError(error).message };
  }
}

/** What a key meets once it is put. */
export interface MetRule {
  readonly file: string;
  readonly key: string;
  readonly kind: PlannedUpload['kind'];
  /** The prefix of the rule that takes the key; absent: none does, or the key needs none. */
  readonly rule?: string;
  /** What the rule looks at before anything is sent. */
  readonly check?: string;
  /** The worker will ignore it: a dataset whose key no rule takes. */
  readonly isIgnored?: true;
}

/** Which rule each key meets, before anything is put. Pure. */
export function rulesMet(planned: readonly PlannedUpload[], rules: readonly StageDatasetRule[]): readonly MetRule[] {
  return planned.map(({ file, key, kind }) => {
    // Run plans have no rule, and a sidecar belongs to the file that it describes.
    if (kind === 'plan' || keyOfSidecar(key) !== undefined) return { file, key, kind };
    const rule = chooseRule(rules, key);
    return rule === undefined
      ? { file, key, kind, isIgnored: true }
      : { file, key, kind, rule: rule.prefix, check: rule.check };
  });
}

/** That nothing will become of a file, and where something would; `undefined` for a key that is taken. */
export function ignoredSentence(met: MetRule, rules: readonly StageDatasetRule[]): string | undefined {
  if (met.isIgnored !== true) return undefined;
  const prefixes = rules.map(({ prefix }) => prefix).join(', ');
  return `${met.file}: no rule takes ${met.key}, so it will be ignored (rules: ${prefixes === '' ? 'none' : prefixes})`;
}

/**
 * Which `fileId` each upload gets, in words.
 * @param given - the id that a person gives, before that of a rule
 */
export function fileIdsOf({ rules, unknownBecause }: KnownRules, given?: string): FileIds {
  if (given !== undefined) return () => `fileId "${given}", as given`;
  if (rules === undefined) return () => `its fileId is not known here: ${unknownBecause}`;
  return (upload) => fileIdInWords(upload, rules);
}

function fileIdInWords(upload: Parameters<FileIds>[0], rules: readonly StageDatasetRule[]): string {
  const rule = chooseRule(rules, upload.key);
  if (rule === undefined) return 'which no rule for datasets takes';
  if (rule.fileId === undefined) return `whose rule ${rule.prefix} makes no fileId: give --file-id`;
  // The tag of the object is known to the bucket alone.
  return `fileId "${fillTemplate(rule.fileId, { ...upload, etag: '{etag}' })}" by the rule ${rule.prefix}`;
}

/** Other keys whose dataset has the same name or `fileId`: `train/data.csv` and `test/data.csv` are both `data`. Keys that look the same, too. */
import { chooseRule, fillTemplate } from '#shared/uploads/dataset-rule.ts';
import { keyOfSidecar } from '#shared/uploads/object-key.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import type { StageDatasetRule } from '../stage/stage-config.ts';
import type { KnownRules, UploadedFiles, UploadReport } from './upload-file.ts';

/** Keys that are looked at below the prefix of a rule: one request. Names that other keys got by their metadata are not known here. */
type KeysBelow = (prefix: string) => Promise<readonly string[]>;

/** Adds a warning to each registered upload whose name or `fileId` another key below its rule has. */
export async function withNamesakes(
  uploaded: UploadedFiles,
  { rules = [] }: KnownRules,
  { stage }: Pick<OperatorDeps, 'stage'>,
): Promise<UploadedFiles> {
  const listed = new Map<string, Promise<readonly string[]>>();
  const keysBelow: KeysBelow = async (prefix) => {
    const known =
      listed.get(prefix) ?? stage.listVersions({ prefix }).then(({ versions }) => versions.map(({ key }) => key));
    listed.set(prefix, known);
    return known;
  };
  const uploads = await Promise.all(
    uploaded.uploads.map(async (upload) => {
      const found = await namesakeOf(upload, rules, keysBelow);
      return found === undefined ? upload : { ...upload, warnings: [...(upload.warnings ?? []), found] };
    }),
  );
  return { ...uploaded, uploads };
}

/** Whether two texts are the same letters, as one character or as a letter with its mark. */
function isAlike(one: string, other: string): boolean {
  return one.normalize() === other.normalize();
}

async function namesakeOf(
  { bucket, key, outcome, datasetName }: UploadReport,
  rules: readonly StageDatasetRule[],
  keysBelow: KeysBelow,
): Promise<string | undefined> {
  const rule = chooseRule(rules, key);
  if (outcome !== 'applied' || rule === undefined) return undefined;
  // The policy of an uploader need not open the listing.
  const others = await keysBelow(rule.prefix).catch(() => []);
  const named = (template: string, of: string) => fillTemplate(template, { bucket, key: of });
  const isOther = (other: string) =>
    other !== key && keyOfSidecar(other) === undefined && chooseRule(rules, other) === rule;
  const { name = '{stem}', fileId, file } = rule;
  const own = datasetName ?? named(name, key);
  for (const other of others.filter(isOther)) {
    if (isAlike(other, key)) return `another key, of other bytes (Unicode), looks like ${key}: ${encodeURI(other)}`;
    if (isAlike(named(name, other), own)) return `the key ${other} has the name "${own}" too`;
    if (
      file === undefined &&
      fileId !== undefined &&
      !/\{(?:versionId|etag)\}/.test(fileId) &&
      isAlike(named(fileId, other), named(fileId, key))
    )
      return `the key ${other} has the fileId "${named(fileId, key)}" too`;
  }
  return undefined;
}

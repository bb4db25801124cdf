import { productVersion } from '#shared/vocabulary/product-version.ts';
import { type StageOutputs, versionOutput } from '#shared/vocabulary/stack-outputs.ts';

/** How the version of a stage stands to that of this command. */
export interface VersionStanding {
  /** Absent if the stage does not say it: 0.9.0 was the last version that did not. */
  readonly stage?: string | undefined;
  readonly command: string;
  readonly isSame: boolean;
  /** What differs, and what to do about it; absent if they are the same. */
  readonly says?: string;
}

/**
 * Compares the version that deployed a stage with that of this command. Pure.
 * @param own - the version of this command, `1.4.2`
 */
export function versionStanding(
  outputs: Pick<StageOutputs, typeof versionOutput>,
  own = productVersion,
): VersionStanding {
  const stage = outputs[versionOutput];
  const standing = { stage, command: own };
  if (stage === own) return { ...standing, isSame: true };
  const says =
    stage === undefined
      ? `this stage does not say its version, so it is 0.9.0 or older; this command is ${own}: deploy this version`
      : `this stage is ${stage}, this command is ${own}: ${isOlder(stage, own) ? 'deploy this version' : `install gateway-autopilot@${stage}`}`;
  return { ...standing, isSame: false, says: `${says}. Until then only what both know works` };
}

const byNumber = new Intl.Collator('en', { numeric: true });

/** By the order of Semantic Versioning (semver.org, 11), but for the order of two pre-releases of one version, which is that of their texts. */
function isOlder(version: string, than: string): boolean {
  const [[core = '', pre], [thanCore = '', thanPre]] = [version.split('-', 2), than.split('-', 2)];
  const difference = byNumber.compare(core, thanCore);
  if (difference !== 0) return difference < 0;
  return pre !== undefined && (thanPre === undefined || byNumber.compare(pre, thanPre) < 0);
}

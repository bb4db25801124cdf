/** Files of this machine, judged before the first is sent. */
import type { ReadingOptions } from '#shared/datasets/columns/column-mapping.ts';
import { chooseRule } from '#shared/uploads/dataset-rule.ts';
import type { StageDatasetRule } from '../stage/stage-config.ts';
import type { JudgedFile } from './judge-file.ts';
import { judgeAndConvert, judgeBytes } from './file-looker.ts';
import { readFileOnce, type UploadSource } from './upload-source.ts';

/** Judges a file of this machine, or standard input (`-`). It is read once. */
export async function judgeFile(file: string, options?: ReadingOptions): Promise<JudgedFile> {
  return judgeBytes(file, await readFileOnce(file), options);
}

/** Files to upload as their judgement divides them. */
export interface JudgedSources {
  /** What goes to the stage, each with its judgement if it was judged. */
  readonly sources: readonly UploadSource[];
  readonly judged: readonly (JudgedFile | undefined)[];
  /** What the check refuses, so that it is not sent. */
  readonly refused: readonly JudgedFile[];
}

/** Judges and converts files before the first is sent. A file that is ready keeps its bytes; one with problems keeps no other back. */
export async function convertSources(
  sources: readonly UploadSource[],
  options?: ReadingOptions,
): Promise<JudgedSources> {
  return divided(sources, async (source) => {
    const { csv, ...judged } = await judgeAndConvert(source.file, source.body, options);
    const isGood = judged.verdict !== 'problems';
    return { judged, source: isGood ? { ...source, contentType: 'text/csv', body: csv ?? source.body } : undefined };
  });
}

/** Judges each file by the check of the rule that it meets: what would be parked is refused here. */
export async function checkSources(
  sources: readonly UploadSource[],
  rules: readonly StageDatasetRule[],
): Promise<JudgedSources> {
  return divided(sources, async (source) => {
    const rule = chooseRule(rules, source.key);
    if (rule?.check !== 'prompt-label-csv') return { source };
    const judged = await judgeBytes(source.file, source.body, optionsOf(rule));
    const isGood = judged.verdict === 'ready' || (rule.convert !== undefined && judged.verdict === 'convertible');
    return { judged, source: isGood ? source : undefined };
  });
}

async function divided(
  given: readonly UploadSource[],
  judgeOne: (
    source: UploadSource,
  ) => Promise<{ readonly judged?: JudgedFile; readonly source?: UploadSource | undefined }>,
): Promise<JudgedSources> {
  const [sources, judged, refused]: [UploadSource[], (JudgedFile | undefined)[], JudgedFile[]] = [[], [], []];
  for (const one of given) {
    const found = await judgeOne(one);
    if (found.source === undefined) {
      if (found.judged !== undefined) refused.push(found.judged);
      continue;
    }
    sources.push(found.source);
    judged.push(found.judged);
  }
  return { sources, judged, refused };
}

/** How a rule reads a file. */
function optionsOf({ convert }: StageDatasetRule): ReadingOptions {
  return { mapping: convert, encoding: convert?.encoding, sheet: convert?.sheet };
}

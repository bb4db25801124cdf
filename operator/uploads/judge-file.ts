import { createReadStream } from 'node:fs';
import { convertDataset } from '#shared/datasets/convert-dataset.ts';
import type { ListedProblems } from '#shared/datasets/file-findings.ts';
import { checkPromptLabelCsv, maxPromptLabelBytes } from '#shared/datasets/prompt-label-csv.ts';
import type { DatasetForm } from '#shared/datasets/dataset-form.ts';
import { namedEncodings, type TextEncoding } from '#shared/datasets/text-encoding.ts';
import { UsageError } from '../errors.ts';
import { type UploadSource, withFile } from './upload-source.ts';

/** What a file of prompts is worth to a gateway. */
export interface JudgedFile extends ListedProblems {
  readonly file: string;
  /** `ready`: the gateway reads it as it is. `convertible`: as `upload --convert` writes it. `problems`: not before they are mended. */
  readonly verdict: 'ready' | 'convertible' | 'problems';
  /** What a conversion changes. */
  readonly changes: readonly string[];
  readonly rows: number;
  /** Rows labelled true. */
  readonly blocking: number;
}

/**
 * The encoding that a person names.
 * @throws UsageError for another word
 */
export function encodingOf(word: string | undefined): TextEncoding | undefined {
  if (word === undefined) return undefined;
  const named = namedEncodings.find((encoding) => encoding === word.toLowerCase());
  if (named === undefined)
    throw new UsageError(`--encoding takes ${namedEncodings.join(' or ')}: UTF-8 and UTF-16 are recognised`);
  return named;
}

/**
 * Judges a file of this machine; it is read as a stream.
 * @throws UsageError if it cannot be read
 */
export async function judgeFile(file: string, encoding?: TextEncoding): Promise<JudgedFile> {
  return withFile(file, async (sizeBytes) => {
    const { csv: _csv, ...judged } = await judge({ file, sizeBytes, read: () => createReadStream(file) }, encoding);
    return judged;
  });
}

/** Judges the bytes of a file that is not on this machine's disk. */
export async function judgeBytes(file: string, bytes: Uint8Array, encoding?: TextEncoding): Promise<JudgedFile> {
  const { csv: _csv, ...judged } = await judge({ file, sizeBytes: bytes.length, read: () => [bytes] }, encoding);
  return judged;
}

/** Files to upload, each judged; `sources` hold the converted bytes, and are there only if no file has problems. */
export interface ConvertedSources {
  readonly judged: readonly JudgedFile[];
  readonly sources?: readonly UploadSource[];
}

/** Judges and converts files before the first is sent. A file that is ready keeps its bytes. */
export async function convertSources(
  sources: readonly UploadSource[],
  encoding?: TextEncoding,
): Promise<ConvertedSources> {
  const judged: JudgedFile[] = [];
  const converted: UploadSource[] = [];
  for (const source of sources) {
    const { file, body } = source;
    const { csv, ...found } = await judge({ file, sizeBytes: body.length, read: () => [body] }, encoding);
    judged.push(found);
    converted.push({ ...source, contentType: 'text/csv', body: csv ?? body });
  }
  const hasProblems = judged.some(({ verdict }) => verdict === 'problems');
  return hasProblems ? { judged } : { judged, sources: converted };
}

/** A file that can be read from its beginning, twice. */
interface Readable {
  readonly file: string;
  readonly sizeBytes: number;
  readonly read: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

async function judge(
  { file, sizeBytes, read }: Readable,
  encoding?: TextEncoding,
): Promise<JudgedFile & { readonly csv?: Uint8Array }> {
  const check = await checkPromptLabelCsv(read());
  const { form, csv, leftOut, ...found } = await convertDataset(read(), encoding);
  if (found.problems.length > 0) return { file, verdict: 'problems', changes: [], ...found };
  if (check.ok && sizeBytes <= maxPromptLabelBytes) return { file, verdict: 'ready', changes: [], ...found };
  return { file, verdict: 'convertible', changes: changesIn(form, leftOut), ...found, csv };
}

/** What the conversion changes, in words. */
function changesIn(form: DatasetForm | undefined, leftOut: readonly string[]): readonly string[] {
  if (form === undefined) return [];
  const named = leftOut.filter((name) => name !== '');
  const nameless = leftOut.length - named.length;
  const columns = [
    ...named,
    ...(nameless === 0 ? [] : [`${named.length === 0 ? '' : 'and '}${nameless} without a name`]),
  ];
  return [
    ...(form.encoding === 'utf-8' ? [] : [`${form.encoding.toUpperCase()} becomes UTF-8`]),
    ...formChanges(form),
    ...(leftOut.length === 0 ? [] : [`left out: the column${leftOut.length === 1 ? '' : 's'} ${columns.join(', ')}`]),
    'labels become true and false',
  ];
}

function formChanges(form: DatasetForm): readonly string[] {
  if (form.kind === 'json-lines') return ['JSON Lines becomes CSV'];
  const names = { ',': [], ';': ['semicolons become commas'], '\t': ['tabs become commas'] } as const;
  return names[form.delimiter];
}

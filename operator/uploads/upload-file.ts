import { checkedWarnings } from '#shared/datasets/prompt-label-csv.ts';
import { toError } from '#shared/errors/app-error.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { DatasetRow, UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { chooseRule, fillTemplate, whyNotTaken } from '#shared/uploads/dataset-rule.ts';
import { keyOfSidecar } from '#shared/uploads/object-key.ts';
import { OperatorError } from '../errors.ts';
import { failureOf } from '../failures.ts';
import {
  newsOf,
  type OutcomeReport,
  type WaitLimit,
  pendingOf,
  reportOf,
  waitForOutcome,
} from '../outcomes/outcome-report.ts';
import { pendingSentence, pendingUpload, type PendingWork, uploadAtGate } from '../outcomes/pending-work.ts';
import { readGate } from '../stage/gate-status.ts';
import type { AskingDeps, OperatorDeps } from '../stage/operator-deps.ts';
import { readDatasetRules, type StageDatasetRule } from '../stage/stage-config.ts';
import type { PlannedUpload, UploadSource } from './upload-source.ts';

/** Says what the gateway gets of an upload, in words: the file itself, or which `fileId`. */
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
  /** The prefix of the rule that takes the key; absent: none does, or the key needs none. */
  readonly rule?: string;
  /** What the rule looks at before anything is sent. */
  readonly check?: string;
  /** The worker will ignore it: a dataset whose key no rule takes. */
  readonly isIgnored?: true;
  /** What is wrong with the name of its dataset. */
  readonly nameProblem?: string;
}

/**
 * Which rule each key meets, before anything is put. Pure.
 * @param name - that a person gives the dataset, before that of a rule
 */
export function rulesMet(
  planned: readonly PlannedUpload[],
  rules: readonly StageDatasetRule[],
  name?: string,
): readonly MetRule[] {
  return planned.map(({ file, key }) => {
    // A sidecar belongs to the file that it describes.
    if (keyOfSidecar(key) !== undefined) return { file, key };
    const rule = chooseRule(rules, key);
    if (rule === undefined) return { file, key, isIgnored: true };
    const nameProblem = nameProblemOf(name ?? fillTemplate(rule.name ?? '{stem}', { bucket: '', key }));
    return { file, key, rule: rule.prefix, check: rule.check, nameProblem };
  });
}

/** Gateways of the field take so many characters as the name of a dataset. */
const longestName = 100;

function nameProblemOf(name: string): string | undefined {
  const { length } = Array.from(name);
  if (length <= longestName) return undefined;
  return `the name of its dataset would have ${length} characters, and the gateway takes 1 to ${longestName}: give one with --name`;
}

/** That nothing will become of a file, and where something would; `undefined` for a key that is taken. */
export function ignoredSentence(met: MetRule, rules: readonly StageDatasetRule[]): string | undefined {
  if (met.isIgnored !== true) return undefined;
  const prefixes = rules.map(({ prefix }) => prefix).join(', ');
  const why = whyNotTaken(rules, met.key) ?? `rules: ${prefixes === '' ? 'none' : prefixes}`;
  return `${met.file}: no rule takes ${met.key}, so it will be ignored (${why})`;
}

/**
 * What the gateway gets of each upload, in words.
 * @param given - the id that a person gives, before that of a rule
 */
export function fileIdsOf({ rules, unknownBecause }: KnownRules, given?: string): FileIds {
  if (rules === undefined) {
    const words = given === undefined ? `its fileId is not known here: ${unknownBecause}` : asGiven(given);
    return () => words;
  }
  return (upload) => fileIdInWords(upload, rules, given);
}

function asGiven(fileId: string): string {
  return `fileId "${fileId}", as given`;
}

function fileIdInWords(
  upload: Parameters<FileIds>[0],
  rules: readonly StageDatasetRule[],
  given: string | undefined,
): string {
  const rule = chooseRule(rules, upload.key);
  if (rule === undefined) return 'which no rule for datasets takes';
  if (rule.file !== undefined) return `which the rule ${rule.prefix} sends as a file`;
  if (given !== undefined) return asGiven(given);
  if (rule.fileId === undefined) return `whose rule ${rule.prefix} makes no fileId: give --file-id`;
  // The tag of the object is known to the bucket alone.
  return `fileId "${fillTemplate(rule.fileId, { ...upload, etag: '{etag}' })}" by the rule ${rule.prefix}`;
}

/** What became of one file. */
export interface UploadReport extends OutcomeReport {
  readonly file: string;
  readonly bucket: string;
  readonly key: string;
  readonly versionId: string;
  readonly datasetId?: string;
  readonly datasetName?: string;
  /** What the check found in a file that passed it, and a person may want to correct. */
  readonly warnings?: readonly string[];
}

async function putFile(source: UploadSource, deps: OperatorDeps): Promise<Put> {
  const { BucketName: bucket } = await deps.stage.outputs();
  const { file, key } = source;
  const { versionId } = await putting(source, bucket, deps);
  if (versionId === undefined) {
    throw new OperatorError(
      `${file} is in ${bucket} as ${key}, but the bucket keeps no versions: its outcome cannot be found`,
      { code: 'NO_VERSION' },
    );
  }
  return { file, bucket, key, versionId };
}

/** Waits for what becomes of a file, by the row that its version's worker writes. */
async function outcomeOf(put: Put, patience: WaitLimit, deps: OperatorDeps): Promise<UploadReport> {
  if (patience === undefined) return { ...put, outcome: 'sent' };
  return { ...put, ...(await datasetOutcome(put, patience, await deps.stage.ledger(), deps)) };
}

/** Puts one file and waits for what becomes of it. */
export async function uploadFile(source: UploadSource, patience: WaitLimit, deps: OperatorDeps): Promise<UploadReport> {
  return outcomeOf(await putFile(source, deps), patience, deps);
}

async function putting(source: UploadSource, bucket: string, { stage, working }: OperatorDeps) {
  const { file, body } = source;
  const shown = working?.(() => `${file}: sending ${(body.byteLength / 1e6).toFixed(1)} MB`);
  try {
    return await stage.upload({ ...source, bucket });
  } finally {
    shown?.[Symbol.dispose]();
  }
}

type Put = Pick<UploadReport, 'file' | 'bucket' | 'key' | 'versionId'>;

async function datasetOutcome(put: Put, patience: WaitLimit, ledger: Ledger, deps: OperatorDeps) {
  const pk = ledgerKeys.upload(put.bucket, put.key, put.versionId);
  const since = (await deps.now()).toISOString();
  const read = async (): Promise<SeenUpload> => {
    const row = await ledger.read<UploadRow>(pk);
    if (row !== undefined)
      return { row, outcome: row.outcome, pending: row.outcome === undefined ? pendingUpload(row) : undefined };
    const { key: id, versionId } = put;
    return { pending: uploadAtGate({ id, versionId, since }, await readGate(ledger, await deps.now())) };
  };
  const seen = await waitForOutcome(read, {
    patience,
    deps,
    describe: (found) => `${put.file}: ${stateOf(found, deps)}`,
    // A worker that is at it is no news for some seconds.
    news: ({ row, pending }) => newsOf(row === undefined ? pending : pendingOf(row), deps),
  });
  const { row, pending } = seen ?? {};
  const dataset = row === undefined ? {} : await datasetOf(row, ledger);
  const warnings = row?.checked === undefined ? [] : checkedWarnings(row.checked);
  return { ...reportOf(row), pending, ...dataset, ...(warnings.length === 0 ? {} : { warnings }) };
}

/** An upload as it was read last: its row, and why it has no outcome. */
interface SeenUpload extends Pick<UploadRow, 'outcome'> {
  readonly row?: Stored<UploadRow>;
  readonly pending?: PendingWork | undefined;
}

function stateOf(seen: SeenUpload | undefined, { written }: Pick<OperatorDeps, 'written'>): string {
  if (seen?.pending === undefined) return 'uploaded; no worker has taken it up yet';
  return `no outcome yet, ${pendingSentence(seen.pending, written)}`;
}

/** A skipped duplicate names the dataset of the upload that holds the same bytes. */
async function datasetOf(row: UploadRow, ledger: Ledger): Promise<Pick<UploadReport, 'datasetId' | 'datasetName'>> {
  const holder = row.datasetId === undefined && row.state === 'SKIPPED' ? await holderOf(row, ledger) : row;
  return {
    datasetId: holder?.datasetId,
    datasetName: holder?.datasetName,
  };
}

async function holderOf(row: UploadRow, ledger: Ledger): Promise<UploadRow | undefined> {
  if (row.datasetKey === undefined) return undefined;
  const dataset = await ledger.read<DatasetRow>(row.datasetKey);
  return dataset === undefined ? undefined : ledger.read<UploadRow>(dataset.upload);
}

/** What became of each file; if it was cut short, which one failed and which were not begun. */
export interface UploadedFiles {
  readonly uploads: readonly UploadReport[];
  readonly failed?: { readonly file: string; readonly problem: string };
  readonly notSent: readonly string[];
}

/**
 * Puts all files, then waits for all of them. A Ctrl-C or a failure ends the sending, and what was
 * done before is shown all the same.
 */
export async function uploadFiles(
  sources: readonly UploadSource[],
  patience: WaitLimit,
  deps: OperatorDeps,
): Promise<UploadedFiles> {
  const interruption = deps.interruption();
  const puts: Put[] = [];
  let failed: UploadedFiles['failed'];
  for (const source of sources) {
    if (interruption.aborted) break;
    try {
      puts.push(await putFile(source, deps));
    } catch (error) {
      // Nothing was done before the first: what went wrong is all there is to tell.
      if (puts.length === 0) throw error;
      failed = { file: source.file, problem: failureOf(error, deps.target).message };
      break;
    }
  }
  const done = puts.length + (failed === undefined ? 0 : 1);
  const notSent = sources.slice(done).map(({ file }) => file);
  const uploads: UploadReport[] = [];
  for (const put of puts) {
    // Who waited in vain for one only looks at the rest.
    const isInVain = uploads.some(({ outcome }) => outcome === 'waiting');
    uploads.push(await outcomeOf(put, isInVain ? { timeoutMs: 0 } : patience, deps));
  }
  return { uploads, failed, notSent };
}

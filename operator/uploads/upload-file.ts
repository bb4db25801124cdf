import type { PlanRow } from '#shared/ledger/rows/message-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { DatasetRow, UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { failureOf, OperatorError } from '../errors.ts';
import type { OperatorDeps } from '../operator-deps.ts';
import {
  type CommandReport,
  newsOf,
  type OutcomeReport,
  type Patience,
  pendingOf,
  readEither,
  reportOf,
  waitForCommand,
  waitForOutcome,
} from '../outcomes/outcome-report.ts';
import type { UploadSource } from './upload-source.ts';

/** What became of one file. */
export interface UploadReport extends OutcomeReport {
  readonly file: string;
  readonly kind: 'dataset' | 'plan';
  readonly bucket: string;
  readonly key: string;
  readonly versionId: string;
  readonly datasetId?: string;
  readonly datasetName?: string;
  /** The commands of a run plan, and what became of each. */
  readonly commands?: readonly (CommandReport & { readonly id: string })[];
}

/** Puts one file and waits for what becomes of it, by the row that the version's worker writes. */
export async function uploadFile(source: UploadSource, patience: Patience, deps: OperatorDeps): Promise<UploadReport> {
  const { BucketName: bucket } = await deps.stage.outputs();
  const { file, kind, key } = source;
  const { versionId } = await putting(source, bucket, deps);
  if (versionId === undefined) {
    throw new OperatorError(
      `${file} is in ${bucket} as ${key}, but the bucket keeps no versions: its outcome cannot be found`,
      { code: 'NO_VERSION' },
    );
  }
  const put = { file, kind, bucket, key, versionId };
  if (patience === undefined) return { ...put, outcome: 'sent' };
  const ledger = await deps.stage.ledger();
  const told =
    kind === 'plan'
      ? await planOutcome(put, patience, ledger, deps)
      : await datasetOutcome(put, patience, ledger, deps);
  return { ...put, ...told };
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

async function datasetOutcome(put: Put, patience: Patience, ledger: Ledger, deps: OperatorDeps) {
  const pk = ledgerKeys.upload(put.bucket, put.key, put.versionId);
  const row = await waitForOutcome(() => readEither<UploadRow>(ledger, pk), {
    patience,
    deps,
    describe: (found) => `${put.file}: ${stateOf(found)}`,
    news: (found) => newsOf(pendingOf(found)),
  });
  const dataset = row === undefined ? {} : await datasetOf(row, ledger);
  return { ...reportOf(row), pending: pendingOf(row), ...dataset };
}

function stateOf(row: UploadRow | undefined): string {
  if (row === undefined) return 'uploaded; no worker has taken it up yet';
  return `${row.state} after ${row.attempts} attempts`;
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

async function planOutcome(put: Put, patience: Patience, ledger: Ledger, deps: OperatorDeps) {
  const pk = ledgerKeys.plan(put.bucket, put.key, put.versionId);
  const row = await waitForOutcome(() => readEither<PlanRow>(ledger, pk), {
    patience,
    deps,
    describe: () => `${put.file}: uploaded; the plan is not sent yet`,
  });
  if (row?.outcome?.kind !== 'applied') return reportOf(row);
  const commands: (CommandReport & { id: string })[] = [];
  for (const id of row.commandIds ?? []) commands.push({ id, ...(await waitForCommand(id, patience, deps)) });
  return { ...reportOf(row), commands };
}

/** What became of each file; where it was cut short, which one failed and which were not begun. */
export interface UploadedFiles {
  readonly uploads: readonly UploadReport[];
  readonly failed?: { readonly file: string; readonly problem: string };
  readonly notSent: readonly string[];
}

/** Puts files one after the other. A Ctrl-C or a failure ends it, and what was done before is told all the same. */
export async function uploadFiles(
  sources: readonly UploadSource[],
  patience: Patience,
  deps: OperatorDeps,
): Promise<UploadedFiles> {
  const interruption = deps.interruption();
  const uploads: UploadReport[] = [];
  for (const [index, source] of sources.entries()) {
    const rest = sources.slice(index).map(({ file }) => file);
    if (interruption.aborted) return { uploads, notSent: rest };
    try {
      uploads.push(await uploadFile(source, patience, deps));
    } catch (error) {
      // Nothing was done before the first: what went wrong is all there is to tell.
      if (index === 0) throw error;
      const problem = failureOf(error, deps.target).message;
      return { uploads, failed: { file: source.file, problem }, notSent: rest.slice(1) };
    }
  }
  return { uploads, notSent: [] };
}

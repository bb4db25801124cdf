import type { DatasetField } from './names.ts';

/** How objects below a prefix become datasets. */
export interface DatasetRuleDocument {
  /** Below `datasets/`; nested prefixes are fine, equal ones an error. */
  readonly prefix: string;
  /** The file itself, or JSON with the `fileId` of one that the gateway has. @default 'reference' with a `fileId` or a sidecar */
  readonly send?: 'file' | 'reference';
  /** Of a file that is sent, at most 15000000; a larger one is parked OBJECT_TOO_LARGE. @default 10000000 */
  readonly maxBytes?: number;
  /** Templates know {bucket} {key} {stem} {versionId} {etag}; the object's own metadata (x-amz-meta-file-id, …) comes first. @default none: metadata or sidecar must have it */
  readonly fileId?: string;
  /** Template of the dataset's name. @default '{stem}' */
  readonly name?: string;
  /** The scanner that the dataset is for. @default none */
  readonly scannerId?: string;
  /** The scanner package that it is for. @default none */
  readonly scannerPackageId?: string;
  /** Its versions; see `gateway.scannerVersionsAs`. @default none */
  readonly scannerVersions?: readonly string[];
  /** Fields that metadata and sidecar cannot change, `true` for all: what tries is parked CHECK_FAILED. @default `scannerId` and `scannerPackageId`, if the rule gives them. A sent file has no `fileId`: that is locked always */
  readonly locked?: true | readonly DatasetField[];
  /** `required`: a file `<key>.dataset.json` beside the upload holds the request's fields; the upload waits for it. @default none */
  readonly sidecar?: 'required';
  /** How long an upload waits for its sidecar, at most 12 hours. @default '15 minutes' */
  readonly sidecarWithin?: string;
  /** Overwritten files: register every version, or only the newest that is there. @default every */
  readonly versions?: 'every' | 'latest';
  /** Look into the file before anything is sent. @default none */
  readonly check?: 'prompt-label-csv' | 'none';
  /** Names end so, or the file is ignored. @default any; with a check .csv, .tsv, .txt; with `convert` also .json, .jsonl, .ndjson, .xlsx */
  readonly only?: readonly string[];
  /** Send the file as `prompt,label` CSV, made by the six keys below; for `send: 'file'` with a check. The object stays as it is. @default false */
  readonly convert?: boolean;
  /** The column of the prompts. @default 'prompt' */
  readonly promptColumn?: string;
  /** The column of the labels. @default 'label' */
  readonly labelColumn?: string;
  /** The words of the labels, in any case, in place of the known ones. @default true, 1 and yes; false, 0 and no */
  readonly labels?: {
    /** Words for prompts that should be blocked. */
    readonly true: readonly string[];
    /** Words for all others. */
    readonly false: readonly string[];
  };
  /** One label for all rows, of a list of attacks or of harmless prompts. @default none */
  readonly label?: boolean;
  /** The encoding of files without a mark, such as `windows-1251` or `gb18030`. @default UTF-8 */
  readonly encoding?: string;
  /** The sheet of workbooks. @default the first visible one that has the columns */
  readonly sheet?: string;
  /** The run to start once the dataset is registered. @default none */
  readonly thenStart?: string;
  /** Put a DatasetRegistered event on the bus. @default true if `notify.also` names `registered` */
  readonly announce?: boolean;
  /**
   * RFC 3339 instant. Missed notifications of older uploads are not looked for, nor any older than
   * 30 days. @default the first deployment of this or a wider prefix
   */
  readonly since?: string;
}

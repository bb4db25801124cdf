/** How uploads become datasets. */
import * as z from 'zod';
import { datasetFields } from './names.ts';
import { section } from './section.ts';
import {
  checked,
  datasetPlaceholders,
  durationWithin,
  filled,
  instant,
  listOf,
  parseTemplate,
  prefix,
  textEncoding,
} from './value-schemas.ts';

/** What is not done within a day is parked for that. */
const sidecarWait = durationWithin(12, '12 hours, the longest that an upload waits for its sidecar.', '15 minutes');

const datasetTemplate = checked((text) => parseTemplate(text, datasetPlaceholders));

/** The function has memory for four of them, each once as it is and once encrypted on its way, beside one that is checked. */
export const mostFileBytes = 15_000_000;

const fileBytes = z.number().refine((bytes) => Number.isInteger(bytes) && bytes >= 1 && bytes <= mostFileBytes, {
  error: ({ input }) => `is ${String(input)}; a whole number of bytes from 1 to ${mostFileBytes} is wanted.`,
});

/** What to write in the place of a text. */
function listOfVersions({ input }: { readonly input?: unknown }): string {
  return `a list\n['${typeof input === 'string' ? input : '2026-02'}']`;
}

const nameEnd = z.string().regex(/^\.[\w.-]+$/, { error: "is no end of a name; one such as '.csv' is wanted." });

const words = z.array(filled).min(1).readonly();

export const datasetRule = section({
  /** Below `datasets/`; nested prefixes are fine, equal ones an error. */
  prefix: prefix,
  /** The file itself, or JSON with the `fileId` of one that the gateway has. @default 'reference' with a `fileId` or a sidecar */
  send: z.enum(['file', 'reference']).optional(),
  /** Of a file that is sent, at most 15000000; a larger one is parked OBJECT_TOO_LARGE. */
  maxBytes: fileBytes.default(10_000_000),
  /** Templates know {bucket} {key} {stem} {versionId} {etag}; the object's own metadata (x-amz-meta-file-id, …) comes first. @default none: metadata or sidecar must have it */
  fileId: datasetTemplate.optional(),
  /** Template of the dataset's name. */
  name: datasetTemplate.default('{stem}'),
  /** The scanner that the dataset is for. @default none */
  scannerId: filled.optional(),
  /** The scanner package that it is for. @default none */
  scannerPackageId: filled.optional(),
  /** Its versions; see `gateway.scannerVersionsAs`. @default none */
  scannerVersions: z.array(filled, { error: listOfVersions }).min(1).readonly().optional(),
  /** Fields that metadata and sidecar cannot change, `true` for all: what tries is parked CHECK_FAILED. @default `scannerId` and `scannerPackageId`, if the rule gives them. A sent file has no `fileId`: that is locked always */
  locked: z.union([z.literal(true), listOf(z.enum(datasetFields))]).optional(),
  /** `required`: a file `<key>.dataset.json` beside the upload holds the request's fields; the upload waits for it. @default none */
  sidecar: z.literal('required').optional(),
  /** How long an upload waits for its sidecar, at most 12 hours. */
  sidecarWithin: sidecarWait.prefault('15 minutes'),
  /** Overwritten files: register every version, or only the newest that is there. */
  versions: z.enum(['every', 'latest']).default('every'),
  /** Look into the file before anything is sent. */
  check: z.enum(['prompt-label-csv', 'none']).default('none'),
  /** Names end so, or the file is ignored. @default any; with a check .csv, .tsv, .txt; with `convert` also .json, .jsonl, .ndjson, .xlsx */
  only: z.array(nameEnd).min(1).readonly().optional(),
  /** Send the file as `prompt,label` CSV, made by the six keys below; for `send: 'file'` with a check. The object stays as it is. */
  convert: z.boolean().default(false),
  /** The column of the prompts. @default 'prompt' */
  promptColumn: filled.optional(),
  /** The column of the labels. @default 'label' */
  labelColumn: filled.optional(),
  /** The words of the labels, in any case, in place of the known ones. @default true, 1 and yes; false, 0 and no */
  labels: section({
    /** Words for prompts that should be blocked. */
    true: words,
    /** Words for all others. */
    false: words,
  }).optional(),
  /** One label for all rows, of a list of attacks or of harmless prompts. @default none */
  label: z.boolean().optional(),
  /** The encoding of files without a mark, such as `windows-1251` or `gb18030`. @default UTF-8 */
  encoding: textEncoding.optional(),
  /** The sheet of workbooks. @default the first visible one that has the columns */
  sheet: filled.optional(),
  /** The run to start once the dataset is registered. @default none */
  thenStart: filled.optional(),
  /** Put a DatasetRegistered event on the bus. @default true if `notify.also` names `registered` */
  announce: z.boolean().optional(),
  /**
   * RFC 3339 instant. Missed notifications of older uploads are not looked for, nor any older than
   * 30 days. @default the first deployment of this or a wider prefix
   */
  since: instant.optional(),
});

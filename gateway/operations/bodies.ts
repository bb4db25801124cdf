/** What the bodies of requests may hold, by profile. */
import * as z from 'zod';
import { offsetInstant, uuidText } from '../http/request-input.ts';
import type { ProfileName } from '../model/profile.ts';
import type { DatasetFile } from '../model/resources.ts';
import { runStatuses } from '../store/run-rules.ts';

const word = z.string().refine((text) => text.trim() !== '', 'must not be empty');
/** A name, by characters as a person counts them. */
export const characters = z.string().regex(/^.{1,100}$/su, 'must have 1 to 100 characters');

/** What a gateway takes depends on its profile and, for a `startAt`, on its clock. */
interface Judge {
  readonly profile: ProfileName;
  readonly now: () => Date;
}

/** The body of a PATCH: at least one of the four fields, nothing else. */
export function runChangeBody({ profile, now }: Judge) {
  const future = offsetInstant.refine((text) => new Date(text) > now(), 'must be in the future');
  const status = z.literal('cancelled', 'must be "cancelled": no other status can be sent').nullable();
  const fields = profile === 'real' ? { ...publishedFields, startAt: future, status } : openFields;
  return z
    .strictObject(fields)
    .partial()
    .refine((change) => Object.keys(change).length > 0, 'one of name, preserve, startAt and status is required');
}

/** The fields of a run that the control surface sets: any time, and any status that a run can have. */
export function controlledRunFields({ profile }: Pick<Judge, 'profile'>) {
  const published = { ...publishedFields, startAt: offsetInstant, status: z.enum(runStatuses) };
  return z.strictObject({ ...(profile === 'real' ? published : openFields), campaignId: uuidText }).partial();
}

const publishedFields = { name: characters.nullable(), preserve: z.boolean().nullable() };
const openFields = { name: word, preserve: z.union([z.string(), z.boolean()]), startAt: offsetInstant, status: word };

/** One version of a scanner. */
const version = z.union(
  [z.string().regex(/^[\w-]{1,100}$/u), offsetInstant],
  'must be a uuid, a date and time with an offset, or up to 100 letters, digits, - and _',
);

/** What a new dataset says: in JSON the id of its file, in a form the file. */
interface DatasetBody {
  readonly fileId?: string;
  readonly file?: DatasetFile;
  readonly name?: string;
  readonly scannerId?: string | null;
  readonly scannerPackageId?: string | null;
  readonly scannerVersions?: string | readonly string[] | null;
}

const publishedDataset = z.strictObject({
  fileId: uuidText,
  name: characters,
  scannerId: uuidText.nullish(),
  scannerPackageId: uuidText.nullish(),
  scannerVersions: z.array(version).nullish(),
});

const openDataset = z.strictObject({
  fileId: word,
  name: word.optional(),
  scannerId: word.optional(),
  scannerPackageId: word.optional(),
  scannerVersions: z.union([word, z.array(word)]).optional(),
});

/** The JSON body of a new dataset. */
export const datasetBody: Readonly<Record<ProfileName, z.ZodType<DatasetBody>>> = {
  real: publishedDataset,
  interface: openDataset,
};

const file = z.object({ name: z.string(), sizeBytes: z.number(), sha256: z.string() }, 'must be a file');

/** The form of a new dataset that comes with its file. A version is a part of its own. */
export const datasetForm: Readonly<Record<ProfileName, z.ZodType<DatasetBody>>> = {
  real: publishedDataset
    .omit({ fileId: true })
    .extend({ file, scannerVersions: z.union([version, z.array(version)]).optional() }),
  interface: openDataset.omit({ fileId: true }).extend({ file, name: word }),
};

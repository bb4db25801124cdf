import * as z from 'zod';

/**
 * The sidecar of an upload: a JSON file beside it, `<key>.dataset.json`, with the fields of its dataset, for people whose tools cannot set
 * an object's metadata.
 */

const suffix = '.dataset.json';

/** More than a dataset's request may hold is a mistake. */
export const maxSidecarBytes = 16 * 1024;

/** The key of the sidecar that describes an upload. */
export function sidecarKeyOf(key: string): string {
  return `${key}${suffix}`;
}

/** The key that a sidecar describes; `undefined` for a key that is no sidecar's. */
export function keyOfSidecar(key: string): string | undefined {
  const described = key.endsWith(suffix) ? key.slice(0, -suffix.length) : '';
  return described === '' || described.endsWith('/') ? undefined : described;
}

const word = z.string().refine((text) => text.trim() !== '', 'is empty');
const document = z.strictObject({
  fileId: word.optional(),
  name: word.optional(),
  scannerId: word.optional(),
  scannerPackageId: word.optional(),
  scannerVersions: z.union([word, z.array(word).min(1)], 'is neither a text nor a list of texts').optional(),
});

/** The fields of a dataset as its sidecar gives them. */
export type SidecarFields = z.output<typeof document>;

/** A sidecar read, or everything that is wrong with it. */
export type ParsedSidecar =
  | { readonly ok: true; readonly fields: SidecarFields }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads a sidecar strictly: a key that nobody knows is a mistake in a key that somebody meant. Total; tells every problem at once, by the
 * names of keys and never by their values.
 * @example parseSidecar(Buffer.from('{"fileId":"f-1","scannerVersions":["2026-02","2026-03"]}'))
 */
export function parseSidecar(bytes: Uint8Array): ParsedSidecar {
  let input: unknown;
  try {
    input = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return { ok: false, problems: ['it is not JSON in UTF-8'] };
  }
  const parsed = document.safeParse(input);
  return parsed.success
    ? { ok: true, fields: parsed.data }
    : { ok: false, problems: parsed.error.issues.flatMap(sentencesOf) };
}

function sentencesOf(issue: z.core.$ZodIssue): readonly string[] {
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(document.shape).join(', ');
    return issue.keys.map((key) => `${JSON.stringify(key.slice(0, 40))} is no field of a dataset (known: ${known})`);
  }
  const [field, index] = issue.path;
  if (field === undefined) return ['it is no JSON object'];
  const where = index === undefined ? String(field) : `${String(field)}[${String(index)}]`;
  return [`${where} ${issue.code === 'custom' ? issue.message : wrongType(issue)}`];
}

function wrongType(issue: z.core.$ZodIssue): string {
  if (issue.code === 'too_small') return 'is empty';
  return issue.code === 'invalid_union' ? issue.message : 'is no text';
}

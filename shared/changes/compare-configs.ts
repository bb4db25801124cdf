import type { ConfigFingerprints, ProjectChange } from '../ledger/rows/watch-row.ts';
import type { ReadConfig } from './read-config.ts';
import { notSet } from './words.ts';

/** Where two looks differ; `field` as in {@link ProjectChange}. */
export type Difference = Pick<ProjectChange, 'kind' | 'field'>;

/**
 * What two looks at a configuration differ in. A list that one of them does not show is not
 * compared.
 */
export function compareConfigs(before: ConfigFingerprints, now: ConfigFingerprints): readonly Difference[] {
  const [entriesBefore, entriesNow] = [entriesOf(before), entriesOf(now)];
  const isInBoth = ({ list }: { readonly list: string }) =>
    Object.hasOwn(before.lists, list) && Object.hasOwn(now.lists, list);
  const differences: Difference[] = [];

  for (const [place, entry] of entriesNow) {
    if (!isInBoth(entry)) continue;
    const known = entriesBefore.get(place);
    if (known === undefined) differences.push({ kind: 'added', field: place });
    else differences.push(...changedFields(`${place}.`, known.fields, entry.fields));
  }
  for (const [place, entry] of entriesBefore) {
    if (isInBoth(entry) && !entriesNow.has(place)) differences.push({ kind: 'removed', field: place });
  }
  return [...differences, ...changedFields('', before.fields, now.fields)];
}

/** What is known after a look: what it did not show is as it was. */
export function fingerprintsAfter(before: ConfigFingerprints, seen: ConfigFingerprints): ConfigFingerprints {
  return { ...seen, lists: { ...before.lists, ...seen.lists } };
}

/** Whether two configurations say the same in the places of these differences. */
export function isSameAt(
  differences: readonly Difference[],
  one: ConfigFingerprints,
  other: ConfigFingerprints,
): boolean {
  const [hashesOfOne, hashesOfOther] = [hashesOf(one), hashesOf(other)];
  return differences.every(({ field }) => hashesOfOne.get(field) === hashesOfOther.get(field));
}

/**
 * The differences as people read them. A value of before is shown only if it is proven to be the
 * one that was seen then.
 * @param known - the last look
 * @param earlier - the configuration that the gateway says it was then, if it says so
 */
export function toldChanges(
  differences: readonly Difference[],
  known: ConfigFingerprints,
  earlier: ReadConfig | undefined,
  seen: ReadConfig,
): readonly ProjectChange[] {
  const knownHashes = hashesOf(known);
  const earlierHashes = earlier === undefined ? undefined : hashesOf(earlier.fingerprints);

  const wordsBefore = (field: string): string | undefined => {
    const hash = knownHashes.get(field);
    if (hash === undefined) return notSet;
    return earlierHashes?.get(field) === hash ? earlier?.words.get(field) : undefined;
  };

  return differences.map(({ kind, field }) => {
    // A value that must not be shown has no words on either side.
    const isTold = seen.words.has(field) || earlier?.words.has(field) === true;
    if (kind !== 'changed' || !isTold) return { kind, field };
    const before = wordsBefore(field);
    return { kind, field, after: seen.words.get(field) ?? notSet, before };
  });
}

interface Entry {
  readonly list: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** By place: `scanners.ID`. */
function entriesOf({ lists }: ConfigFingerprints): ReadonlyMap<string, Entry> {
  return new Map(
    Object.entries(lists).flatMap(([list, entries]) =>
      Object.entries(entries).map(([id, fields]) => [`${list}.${id}`, { list, fields }] as const),
    ),
  );
}

/** By place, of entries too: what they say is in their fields. */
function hashesOf(config: ConfigFingerprints): ReadonlyMap<string, string> {
  const inEntries = [...entriesOf(config)].flatMap(([place, { fields }]) => [
    [place, 'there'] as const,
    ...Object.entries(fields).map(([field, hash]) => [`${place}.${field}`, hash] as const),
  ]);
  return new Map([...inEntries, ...Object.entries(config.fields)]);
}

function changedFields(
  prefix: string,
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): Difference[] {
  const [known, seen] = [new Map(Object.entries(before)), new Map(Object.entries(now))];
  return [...new Set([...known.keys(), ...seen.keys()])]
    .filter((field) => known.get(field) !== seen.get(field))
    .map((field) => ({ kind: 'changed', field: `${prefix}${field}` }));
}

/**
 * What can be read of a document whose structure may be broken: the places that refer to each
 * other. Anything of the wrong type is left out here; the schema reports it.
 */

/** A value of the document, and its place. */
export interface ConfigPlace {
  readonly path: readonly PropertyKey[];
  readonly value: unknown;
}

export interface PlacedText {
  readonly path: readonly PropertyKey[];
  readonly text: string;
}

/** An object of the document: its keys, and those of its values that are texts. */
export interface Item extends ConfigPlace {
  /** The last part of its path: in a record of names its own. */
  readonly name: string;
  readonly has: (key: string) => boolean;
  readonly text: (key: string) => PlacedText | undefined;
}

/**
 * The values below a place.
 * @param pattern - keys; `*` is each name of a record, `#` each element of a list:
 *   `campaigns.*.haltOn.#`
 */
export function valuesAt(root: ConfigPlace, pattern: string): ConfigPlace[] {
  return pattern
    .split('.')
    .reduce<ConfigPlace[]>(
      (places, key) =>
        places.flatMap(({ path, value }) =>
          stepsInto(value, key).map(([name, inner]) => ({ path: [...path, name], value: inner })),
        ),
      [root],
    );
}

function stepsInto(value: unknown, key: string): (readonly [PropertyKey, unknown])[] {
  if (key === '#') return Array.isArray(value) ? [...value.entries()] : [];
  if (!isObject(value)) return [];
  return Object.entries(value).filter(([name, inner]) => (key === '*' || name === key) && inner !== undefined);
}

/** The objects below a place. */
export function itemsAt(root: ConfigPlace, pattern: string): Item[] {
  return valuesAt(root, pattern)
    .filter(({ value }) => isObject(value))
    .map((place) => ({
      ...place,
      name: String(place.path.at(-1)),
      has: (key) => valuesAt(place, key).length > 0,
      text: (key) => textsAt(place, key)[0],
    }));
}

/** The texts below a place. */
export function textsAt(root: ConfigPlace, pattern: string): PlacedText[] {
  return valuesAt(root, pattern).flatMap(({ path, value }) =>
    typeof value === 'string' ? [{ path, text: value }] : [],
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

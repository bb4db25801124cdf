import { type DocumentKey, type DocumentType, readDocumentTypes } from '#infra/package/document-types.ts';

/** One setting of the configuration, as its schema and its doc comment have it. */
export interface Setting extends DocumentKey {
  /** From the root: `campaigns.*.runs.*.stopAfter`, `schedules[].at`. */
  readonly path: string;
  /** From the type that has it: `stopAfter`, `match.kind`. */
  readonly key: string;
  /** `group` and `section` only hold other settings. */
  readonly kind: 'value' | 'group' | 'section';
}

/** One type of the configuration: where it stands, and its settings. */
export interface Section {
  readonly path: string;
  readonly doc: string;
  readonly settings: readonly Setting[];
}

const sections = sectionsOf('AutomationDocument', '', new Map(readDocumentTypes().map((type) => [type.name, type])));

/** Every section of a stage's document, the root first, in the order in which the types name them. */
export function configurationSections(): readonly Section[] {
  return sections;
}

/** Every setting that has a value of its own. */
export function configurationSettings(): readonly Setting[] {
  return sections.flatMap(({ settings }) => settings.filter(({ kind }) => kind === 'value'));
}

function sectionsOf(name: string, path: string, types: ReadonlyMap<string, DocumentType>): readonly Section[] {
  const { doc = '', keys = [] } = types.get(name) ?? {};
  const settings = settingsIn(keys, path === '' ? '' : `${path}.`, '');
  const below = settings.flatMap(({ holds, path: place }) => (holds === undefined ? [] : [{ holds, place }]));
  return [{ path, doc, settings }, ...below.flatMap(({ holds, place }) => sectionsOf(holds.type, place, types))];
}

function settingsIn(keys: readonly DocumentKey[], path: string, prefix: string): readonly Setting[] {
  return keys.flatMap((one): Setting[] => {
    const key = `${prefix}${one.name}`;
    const kind = one.holds !== undefined ? 'section' : one.keys !== undefined ? 'group' : 'value';
    const setting = { ...one, key, kind, path: `${path}${key}${one.holds?.as ?? ''}` } as const;
    return [setting, ...settingsIn(one.keys ?? [], path, `${key}.`)];
  });
}

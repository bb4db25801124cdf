/**
 * The keys and types of documents of one kind, one line for each path. `?` marks a key that only some of the documents have.
 * @example shapeOf([{ at: '2026-11-20', ids: ['a'] }]) // ['at: string', 'ids[]: string']
 */
export function shapeOf(documents: readonly unknown[], path = ''): readonly string[] {
  const leaves = [...new Set(documents.map(leafType).filter((type) => type !== undefined))].toSorted();
  const lists = documents.filter((value): value is readonly unknown[] => Array.isArray(value));
  const objects = documents.filter(isObject);
  return [
    ...(leaves.length === 0 ? [] : [`${path}: ${leaves.join(' | ')}`]),
    ...(lists.length === 0 ? [] : listShape(lists.flat(), `${path}[]`)),
    ...(objects.length === 0 ? [] : objectShape(objects, path)),
  ];
}

function leafType(value: unknown): string | undefined {
  if (value === null) return 'null';
  return typeof value === 'object' ? undefined : typeof value;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listShape(items: readonly unknown[], path: string): readonly string[] {
  return items.length === 0 ? [`${path}: (empty)`] : shapeOf(items, path);
}

function objectShape(objects: readonly Readonly<Record<string, unknown>>[], path: string): readonly string[] {
  const keys = [...new Set(objects.flatMap((object) => Object.keys(object)))].toSorted();
  if (keys.length === 0) return [`${path}: (no keys)`];
  return keys.flatMap((key) => {
    const having = objects.filter((object) => Object.hasOwn(object, key));
    const mark = having.length < objects.length ? '?' : '';
    const below = path === '' ? `${key}${mark}` : `${path}.${key}${mark}`;
    return shapeOf(
      having.map((object) => object[key]),
      below,
    );
  });
}

/**
 * What can be read of a document whose structure may be broken: the places that refer to each
 * other. Anything of the wrong type is left out here; the schema reports it.
 */

/** A text and its place. */
export interface PlacedText {
  readonly path: readonly PropertyKey[];
  readonly text: string;
}

/** A configured run. */
export interface RunOutline {
  readonly path: readonly PropertyKey[];
  readonly name: string;
  readonly campaign: string;
  readonly keys: ReadonlySet<string>;
  readonly ids: readonly PlacedText[];
  readonly campaignHasLongestRun: boolean;
}

/** An item of a list: its keys, and those of its values that are texts or false. */
export interface ItemOutline {
  readonly path: readonly PropertyKey[];
  readonly keys: ReadonlySet<string>;
  readonly text: (key: string) => PlacedText | undefined;
  readonly isFalse: (key: string) => boolean;
}

/** A watch, the runs that its rules start, and what each of them matches. */
type WatchOutline = ItemOutline & {
  readonly starts: readonly PlacedText[];
  readonly matches: readonly ItemOutline[];
};

/** Everything that can refer or be referred to. */
export interface Outline {
  readonly campaigns: readonly (ItemOutline & { readonly name: string; readonly alarms: readonly PlacedText[] })[];
  readonly runs: readonly RunOutline[];
  readonly schedules: readonly ItemOutline[];
  readonly blackouts: readonly (ItemOutline & { readonly campaigns: readonly PlacedText[] })[];
  readonly packageWatches: readonly WatchOutline[];
  readonly projectWatches: readonly WatchOutline[];
  readonly datasets: readonly (ItemOutline & { readonly isFileIdLocked: boolean })[];
  readonly webhooks: readonly ItemOutline[];
  readonly root: ItemOutline;
  readonly gateway: ItemOutline;
  readonly status: ItemOutline;
}

/** Reads the outline of anything. */
export function readOutline(document: unknown): Outline {
  const root = objectOf(document);
  const campaigns = objectOf(root['campaigns']);
  return {
    campaigns: Object.entries(campaigns).map(([name, item]) => ({
      ...itemAt(objectOf(item), ['campaigns', name]),
      name,
      alarms: textsAt(objectOf(item)['haltOn'], ['campaigns', name, 'haltOn']),
    })),
    runs: Object.entries(campaigns).flatMap(([name, campaign]) => readRuns(name, objectOf(campaign))),
    schedules: readItems(root, 'schedules'),
    blackouts: itemsOf(root, 'blackouts').map(({ path, item }) => ({
      ...itemAt(item, path),
      campaigns: textsAt(item['campaigns'], [...path, 'campaigns']),
    })),
    packageWatches: readWatches(root, 'scannerPackages'),
    projectWatches: readWatches(root, 'projects'),
    webhooks: itemsOf(objectOf(root['notify']), 'webhooks').map(({ path, item }) => itemAt(item, ['notify', ...path])),
    datasets: itemsOf(root, 'datasets').map(({ path, item }) => ({
      ...itemAt(item, path),
      isFileIdLocked: item['locked'] === true || listOf(item['locked']).includes('fileId'),
    })),
    root: itemAt(root, []),
    gateway: itemAt(objectOf(root['gateway']), ['gateway']),
    status: itemAt(objectOf(objectOf(root['gateway'])['status']), ['gateway', 'status']),
  };
}

function readRuns(campaign: string, content: Readonly<Record<string, unknown>>): RunOutline[] {
  const runs = Object.entries(objectOf(content['runs'])).filter(([, value]) => isObject(value));
  return runs.map(([name, value]) => {
    const path = ['campaigns', campaign, 'runs', name];
    const run = objectOf(value);
    return {
      path,
      name,
      campaign,
      keys: keysOf(run),
      ids: textsAt(run['campaignRunIds'], [...path, 'campaignRunIds']),
      campaignHasLongestRun: content['longestRun'] !== undefined,
    };
  });
}

function readWatches(root: Readonly<Record<string, unknown>>, key: string): WatchOutline[] {
  return itemsOf(root, key).map(({ path, item }) => {
    const rules = itemsOf(item, 'onChange').map((rule) => ({ item: rule.item, path: [...path, ...rule.path] }));
    return {
      ...itemAt(item, path),
      starts: rules
        .map((rule) => textAt(rule.item['start'], [...rule.path, 'start']))
        .filter((place) => place !== undefined),
      matches: rules.map((rule) => itemAt(objectOf(rule.item['match']), [...rule.path, 'match'])),
    };
  });
}

function readItems(root: Readonly<Record<string, unknown>>, key: string): ItemOutline[] {
  return itemsOf(root, key).map(({ path, item }) => itemAt(item, path));
}

function itemsOf(root: Readonly<Record<string, unknown>>, key: string) {
  return listOf(root[key]).flatMap((value, index) =>
    isObject(value) ? [{ path: [key, index], item: objectOf(value) }] : [],
  );
}

function itemAt(item: Readonly<Record<string, unknown>>, path: readonly PropertyKey[]): ItemOutline {
  return {
    path,
    keys: keysOf(item),
    text: (key) => textAt(item[key], [...path, key]),
    isFalse: (key) => item[key] === false,
  };
}

function keysOf(item: Readonly<Record<string, unknown>>): Set<string> {
  return new Set(Object.keys(item).filter((key) => item[key] !== undefined));
}

function textsAt(value: unknown, path: readonly PropertyKey[]): PlacedText[] {
  return listOf(value)
    .map((text, index) => textAt(text, [...path, index]))
    .filter((place) => place !== undefined);
}

function textAt(value: unknown, path: readonly PropertyKey[]): PlacedText | undefined {
  return typeof value === 'string' ? { path, text: value } : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? { ...value } : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

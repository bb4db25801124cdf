/** What a request to the listing asks for, read from its query string. */
import { isAnyUuid, type QueryReader } from '../http/request-input.ts';
import type { ProfileName } from '../model/profile.ts';
import type { Config, ConfigEntryResource, StoredScannerPackage } from '../model/resources.ts';

const sortKeys = ['name', 'updated_at', 'created_at'] as const;

/** What the listing may be sorted by. */
export type SortKey = (typeof sortKeys)[number];

/**
 * Which packages match. A filter that is not given lets everything through; within a list, one
 * match is enough.
 */
export interface Criteria {
  readonly search: string | undefined;
  readonly published: boolean | undefined;
  readonly direction: readonly string[] | undefined;
  readonly source: readonly string[] | undefined;
  readonly type: readonly string[] | undefined;
  readonly packaged: boolean | undefined;
  readonly active: boolean | undefined;
  readonly groupId: string | undefined;
  readonly endpoint: string | undefined;
  readonly enabledForProject: string | undefined;
  /** All of them have to be there. */
  readonly tags: readonly string[] | undefined;
  readonly addedToProjectId: string | undefined;
  readonly accessibleToProjectId: string | undefined;
  readonly packageId: readonly string[] | undefined;
  readonly mode: readonly string[] | undefined;
}

/** The whole request: which packages, in what order, which page. */
export interface ListingRequest {
  readonly criteria: Criteria;
  readonly sortBy: SortKey;
  readonly ascending: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** Reads the request; problems are collected in the reader. */
export function readListingRequest(query: QueryReader, profile: ProfileName): ListingRequest {
  const cursor = query.parsed('cursor', decodeCursor, 'must be the next or prev of a previous response');
  const limit = query.integer('limit', 1, 100);
  // A page of another length would begin or end inside one of the walk's pages.
  if (cursor !== undefined && limit !== undefined && limit !== cursor.limit) {
    query.reject('limit', `must stay at ${cursor.limit} for the whole walk, or be left out beside a cursor`);
  }
  return {
    criteria: { ...readCriteria(query), ...(profile === 'real' ? readPublishedWords(query) : readOpenWords(query)) },
    sortBy: query.oneOf('sortBy', sortKeys) ?? 'created_at',
    ascending: query.boolean('ascending') ?? false,
    offset: cursor?.offset ?? 0,
    limit: cursor?.limit ?? limit ?? 10,
  };
}

/** The filters that take the same in either profile. */
function readCriteria(query: QueryReader) {
  return {
    search: query.text('search'),
    published: query.boolean('published'),
    type: query.list('type'),
    packaged: query.boolean('packaged'),
    active: query.boolean('active'),
    groupId: query.text('groupId'),
    endpoint: query.text('endpoint'),
    enabledForProject: query.text('enabledForProject'),
    tags: query.list('tags'),
  };
}

type FilterWords = Omit<Criteria, keyof ReturnType<typeof readCriteria>>;

// The interface speaks of availableToProjectId once, beside `active`: another name for
// accessibleToProjectId.

function readOpenWords(query: QueryReader): FilterWords {
  return {
    direction: query.list('direction'),
    source: query.list('source'),
    mode: query.list('mode'),
    packageId: query.list('packageId'),
    addedToProjectId: query.text('addedToProjectId'),
    accessibleToProjectId: query.text('accessibleToProjectId') ?? query.text('availableToProjectId'),
  };
}

const directionWords = ['both', 'request', 'response'] as const;
const sourceWords = ['internal', 'share', 'zip', 'vendor', 'system', 'remediation'] as const;
const modeWords = ['block', 'audit', 'redact'] as const;

function readPublishedWords(query: QueryReader): FilterWords {
  const direction = query.oneOf('direction', directionWords);
  const words = (name: string, known: readonly string[]) =>
    query.listOf(name, (word) => known.includes(word), `must be of: ${known.join(', ')}`);
  const projectId = (name: string) => query.parsed(name, uuidOf, 'must be a uuid');
  return {
    direction: direction === undefined ? undefined : [direction],
    source: words('source', sourceWords),
    mode: words('mode', modeWords),
    packageId: query.listOf('packageId', isAnyUuid, 'must be uuids'),
    addedToProjectId: projectId('addedToProjectId'),
    accessibleToProjectId: projectId('accessibleToProjectId') ?? projectId('availableToProjectId'),
  };
}

function uuidOf(text: string): string | undefined {
  return isAnyUuid(text) ? text.toLowerCase() : undefined;
}

// The listing's cursors are opaque to callers. They hold the position of a page, its length, and
// the direction of the walk.

/** One page of a walk. */
export interface Cursor {
  readonly offset: number;
  readonly limit: number;
  readonly direction: 'next' | 'prev';
}

/** The text that `next` and `prev` carry. */
function encodeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

/** Reads a cursor back; nothing if this gateway cannot have made it. */
function decodeCursor(text: string): Cursor | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return isCursor(value) && encodeCursor(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

function isCursor(value: unknown): value is Cursor {
  if (typeof value !== 'object' || value === null) return false;
  const { offset, limit, direction } = value as Partial<Record<keyof Cursor, unknown>>;
  return (
    isWithin(offset, 0, Number.MAX_SAFE_INTEGER) &&
    isWithin(limit, 1, 100) &&
    (direction === 'next' || direction === 'prev')
  );
}

function isWithin(value: unknown, minimum: number, maximum: number): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum && value <= maximum;
}

/** A page cut out of `items`, with the cursors of its neighbours; null at either end. */
export function pageOf<T>(
  items: readonly T[],
  at: Pick<Cursor, 'offset' | 'limit'>,
): { items: readonly T[]; next: string | null; prev: string | null } {
  const { offset, limit } = at;
  const after = offset + limit;
  const before = Math.max(0, Math.min(offset, Math.ceil(items.length / limit) * limit) - limit);
  return {
    items: items.slice(offset, after),
    next: after < items.length ? encodeCursor({ offset: after, limit, direction: 'next' }) : null,
    prev: offset > 0 ? encodeCursor({ offset: before, limit, direction: 'prev' }) : null,
  };
}

// Whether a scanner package meets the listing's criteria: one small claim per filter.

/** Where a project's or an endpoint's configuration is found; nothing for an unknown id. */
export interface ConfigLookup {
  readonly ofProject: (id: string) => Config | undefined;
  readonly ofNamedProject: (idOrName: string) => Config | undefined;
  readonly ofEndpoint: (id: string) => Config | undefined;
}

type Claim = (scannerPackage: StoredScannerPackage) => boolean;

/** The claims that these criteria make, ready to be asked of every package. */
export function matcherOf(criteria: Criteria, configs: ConfigLookup): Claim {
  const claims = [...ownClaims(criteria), ...projectClaims(criteria, configs)];
  return (scannerPackage) => claims.every((claim) => claim(scannerPackage));
}

/** Claims about the package alone. */
function ownClaims(criteria: Criteria): Claim[] {
  const { search, published, packaged, groupId, direction, source, type, tags, packageId } = criteria;
  const wanted = search?.toLowerCase();
  return [
    when(wanted, (text) => (one) => [one.name, ...one.tags].some((part) => part.toLowerCase().includes(text))),
    when(published, (state) => (one) => one.published === state),
    when(packaged, (state) => (one) => one.packaged === state),
    when(groupId, (id) => (one) => one.groupId === id),
    when(direction, (words) => (one) => words.some((word) => scansIn(one.direction, word))),
    when(source, (words) => (one) => words.includes(one.source.type)),
    when(type, (words) => (one) => one.types.some((word) => words.includes(word))),
    when(tags, (words) => (one) => words.every((word) => one.tags.includes(word))),
    when(packageId, (ids) => (one) => ids.includes(one.id)),
  ].filter((claim) => claim !== undefined);
}

/**
 * Claims about the package as a project or an endpoint has it. An unknown project or endpoint has
 * none.
 */
function projectClaims(criteria: Criteria, configs: ConfigLookup): Claim[] {
  const { addedToProjectId: added, accessibleToProjectId: accessible, enabledForProject, endpoint } = criteria;
  const inAdded = added === undefined ? undefined : entriesOf(configs.ofProject(added));
  const inEnabled = enabledForProject === undefined ? undefined : entriesOf(configs.ofNamedProject(enabledForProject));
  const inEndpoint = endpoint === undefined ? undefined : entriesOf(configs.ofEndpoint(endpoint));
  const inAccessible = accessible === undefined ? undefined : entriesOf(configs.ofProject(accessible));
  // `active` and `mode` speak of "the project": the one that another filter chose. Without one they
  // have no effect.
  const activeIn = inAdded ?? inAccessible;
  const modeIn = inAdded ?? inAccessible ?? inEnabled;
  return [
    when(inAdded, (entries) => (one) => entries.has(one.id)),
    when(accessible, (id) => (one) => configs.ofProject(id) !== undefined && isAccessible(one, id)),
    when(inEnabled, (entries) => (one) => isEnabled(entries, one.id)),
    when(inEndpoint, (entries) => (one) => isEnabled(entries, one.id)),
    when(criteria.active, (state) =>
      activeIn === undefined ? undefined : (one) => isEnabled(activeIn, one.id) === state,
    ),
    when(criteria.mode, (modes) =>
      modeIn === undefined ? undefined : (one) => modes.includes(modeIn.get(one.id)?.mode ?? ''),
    ),
  ].filter((claim) => claim !== undefined);
}

function when<T>(value: T | undefined, claim: (value: T) => Claim | undefined): Claim | undefined {
  return value === undefined ? undefined : claim(value);
}

/** A package for both directions scans in either. */
function scansIn(direction: string, wanted: string): boolean {
  return direction === wanted || (direction === 'both' && (wanted === 'request' || wanted === 'response'));
}

function isAccessible(one: StoredScannerPackage, projectId: string): boolean {
  return (
    one.availability.global ||
    one.shared ||
    one.projectId === projectId ||
    one.availability.projectIds.some((ids) => ids.includes(projectId))
  );
}

function entriesOf(config: Config | undefined): ReadonlyMap<string, ConfigEntryResource> {
  return new Map((config?.packages ?? []).map((entry) => [entry.id, entry]));
}

function isEnabled(entries: ReadonlyMap<string, ConfigEntryResource>, id: string): boolean {
  return entries.get(id)?.enabled === 'true';
}

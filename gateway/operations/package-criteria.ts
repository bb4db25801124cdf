/** What a request to the listing asks for, read from its query string. */
import type { Context } from 'hono';
import * as z from 'zod';
import { invalidField } from '../http/environment.ts';
import {
  booleanParameter,
  listParameter,
  parameter,
  readQuery,
  textParameter,
  uuidText,
} from '../http/request-input.ts';
import type { ProfileName } from '../model/profile.ts';
import type { Config, StoredScannerPackage } from '../model/resources.ts';

const pageLength = 'must be an integer from 1 to 100';
const sortKeys = ['name', 'updated_at', 'created_at'] as const;

/** What the listing may be sorted by. */
export type SortKey = (typeof sortKeys)[number];

/** What says which page of a listing is wanted. */
export const pageParameters = {
  cursor: parameter(z.string().transform(decodeCursor)),
  limit: parameter(
    z.string().regex(/^\d+$/u, pageLength).transform(Number).pipe(z.int().min(1, pageLength).max(100, pageLength)),
  ),
  ascending: booleanParameter,
};

/** One match within a list is enough; of the tags all have to be there. */
const openQuery = z.object({
  search: textParameter,
  published: booleanParameter,
  type: listParameter,
  packaged: booleanParameter,
  active: booleanParameter,
  groupId: textParameter,
  endpoint: textParameter,
  enabledForProject: textParameter,
  tags: listParameter,
  direction: listParameter,
  source: listParameter,
  mode: listParameter,
  packageId: listParameter,
  addedToProjectId: textParameter,
  accessibleToProjectId: textParameter,
  /** The interface speaks of it once, beside `active`: another name for the one above. */
  availableToProjectId: textParameter,
  sortBy: parameter(wordOf(sortKeys)),
  ...pageParameters,
});

const uuidParameter = parameter(uuidText.toLowerCase());

const publishedQuery = openQuery.extend({
  direction: parameter(wordOf(['both', 'request', 'response']).transform((word) => [word])),
  source: listParameter.pipe(
    z.array(wordOf(['internal', 'share', 'zip', 'vendor', 'system', 'remediation'])).optional(),
  ),
  mode: listParameter.pipe(z.array(wordOf(['block', 'audit', 'redact'])).optional()),
  packageId: listParameter.pipe(z.array(uuidText).optional()),
  addedToProjectId: uuidParameter,
  accessibleToProjectId: uuidParameter,
  availableToProjectId: uuidParameter,
});

function wordOf<T extends string>(words: readonly T[]) {
  return z.enum(words, `must be one of: ${words.join(', ')}`);
}

/** Which packages match. A filter that is not given lets everything through. */
export type Criteria = Partial<
  Omit<z.output<typeof openQuery>, 'availableToProjectId' | 'cursor' | 'limit' | 'sortBy' | 'ascending'>
>;

/** The whole request: which packages, in what order, which page. */
export interface ListingRequest {
  readonly criteria: Criteria;
  readonly sortBy: SortKey;
  readonly ascending: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** Reads the request; else a 422 that names each parameter. */
export function readListingRequest(context: Context, profile: ProfileName): ListingRequest {
  const query = profile === 'real' ? readQuery(context, publishedQuery) : readQuery(context, openQuery);
  const { cursor, limit, sortBy = 'created_at', ascending = false, availableToProjectId, ...criteria } = query;
  const accessibleToProjectId = criteria.accessibleToProjectId ?? availableToProjectId;
  return { criteria: { ...criteria, accessibleToProjectId }, sortBy, ascending, ...pageRequest({ cursor, limit }) };
}

/** The page that a request asks for; else a 422. */
export function pageRequest({
  cursor,
  limit,
}: {
  readonly cursor?: Cursor | undefined;
  readonly limit?: number | undefined;
}) {
  const page = cursor ?? { offset: 0, limit: limit ?? 10 };
  // A page of another length would begin or end inside one of the walk's pages.
  if (limit !== undefined && limit !== page.limit) {
    const problem = `limit must stay at ${page.limit} for the whole walk, or be left out beside a cursor`;
    throw invalidField(['query', 'limit'], problem, 'custom');
  }
  return page;
}

// The listing's cursors are opaque to callers. They hold the position of a page and its length.

const cursorRow = z.strictObject({
  offset: z.int().min(0),
  limit: z.int().min(1).max(100),
});

/** One page of a walk. */
type Cursor = z.output<typeof cursorRow>;

/** The text that `next` and `prev` carry. */
function encodeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

/** Reads a cursor back, if this gateway can have made it. */
function decodeCursor(text: string, context: z.RefinementCtx): Cursor {
  try {
    const cursor = cursorRow.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
    if (encodeCursor(cursor) === text) return cursor;
  } catch {
    // It is refused below.
  }
  context.addIssue({ code: 'custom', message: 'must be the next or prev of a previous response' });
  return z.NEVER;
}

/** A page cut out of `items`, with the cursors of its neighbours; null at either end. */
export function pageOf<T>(
  items: readonly T[],
  { offset, limit }: Cursor,
): { items: readonly T[]; next: string | null; prev: string | null } {
  const after = offset + limit;
  const before = Math.max(0, Math.min(offset, Math.ceil(items.length / limit) * limit) - limit);
  return {
    items: items.slice(offset, after),
    next: after < items.length ? encodeCursor({ offset: after, limit }) : null,
    prev: offset > 0 ? encodeCursor({ offset: before, limit }) : null,
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

function entriesOf(config: Config | undefined): ReadonlyMap<string, Config['packages'][number]> {
  return new Map((config?.packages ?? []).map((entry) => [entry.id, entry]));
}

function isEnabled(entries: ReadonlyMap<string, Config['packages'][number]>, id: string): boolean {
  return entries.get(id)?.enabled === 'true';
}

/** What a request to the listing asks for, read from its query string. */
import type { QueryReader } from '../http/query.ts';
import { decodeCursor } from './cursor.ts';

const sortKeys = ['name', 'updated_at', 'created_at'] as const;

/** What the listing may be sorted by. */
export type SortKey = (typeof sortKeys)[number];

/** Which packages match. A filter that is not given lets everything through; within a list, one match is enough. */
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
export function readListingRequest(query: QueryReader): ListingRequest {
  const cursor = query.parsed('cursor', decodeCursor, 'must be the next or prev of a previous response');
  const limit = query.integer('limit', 1, 100);
  // A page of another length would begin or end inside one of the walk's pages.
  if (cursor !== undefined && limit !== undefined && limit !== cursor.limit) {
    query.reject('limit', `must stay at ${cursor.limit} for the whole walk, or be left out beside a cursor`);
  }
  return {
    criteria: readCriteria(query),
    sortBy: query.oneOf('sortBy', sortKeys) ?? 'created_at',
    ascending: query.boolean('ascending') ?? false,
    offset: cursor?.offset ?? 0,
    limit: cursor?.limit ?? limit ?? 10,
  };
}

function readCriteria(query: QueryReader): Criteria {
  const accessibleToProjectId = query.text('accessibleToProjectId');
  // The interface speaks of availableToProjectId once, beside `active`: another name for the same filter.
  const availableToProjectId = query.text('availableToProjectId');
  return {
    search: query.text('search'),
    published: query.boolean('published'),
    direction: query.list('direction'),
    source: query.list('source'),
    type: query.list('type'),
    packaged: query.boolean('packaged'),
    active: query.boolean('active'),
    groupId: query.text('groupId'),
    endpoint: query.text('endpoint'),
    enabledForProject: query.text('enabledForProject'),
    tags: query.list('tags'),
    addedToProjectId: query.text('addedToProjectId'),
    accessibleToProjectId: accessibleToProjectId ?? availableToProjectId,
    packageId: query.list('packageId'),
    mode: query.list('mode'),
  };
}

/** `GET /backend/v1/scanner-packages`: strict filters, pages by cursor. */
import { booleanText, integer, oneOf, optional, readQuery, several, text, uuid, type Values } from './fields.ts';
import { pageOf } from './pages.ts';
import type { PeerRequest } from './request.ts';
import type { ConfigEntry, PeerPackage, PeerProject, PeerState } from './state.ts';

const flag = optional(booleanText);

const filters = {
  cursor: optional(text(1)),
  search: optional(text()),
  limit: optional(integer(1, 100, 'text')),
  ascending: flag,
  sortBy: optional(oneOf('name', 'updated_at', 'created_at')),
  published: flag,
  packaged: flag,
  active: flag,
  direction: optional(oneOf('both', 'request', 'response')),
  source: several(oneOf('internal', 'share', 'zip', 'vendor', 'system', 'remediation')),
  mode: several(oneOf('block', 'audit', 'redact')),
  type: several(text(1)),
  tags: several(text(1)),
  packageId: several(uuid),
  groupId: optional(uuid),
  endpoint: optional(uuid),
  enabledForProject: optional(text(1)),
  addedToProjectId: optional(uuid),
  accessibleToProjectId: optional(uuid),
  availableToProjectId: optional(uuid),
};

type Asked = Values<typeof filters>;

/** Lists packages, the newest first if nothing else is asked for. */
export function listPackages(state: PeerState, { query, headers }: PeerRequest) {
  const { behaviour, packages } = state;
  const asked = readQuery(query, filters, behaviour.unknownFields);
  const sorted = [...packages.values()]
    .filter((one) => matches(state, one, asked))
    .toSorted((one, other) => compare(one, other, asked.sortBy) * (asked.ascending === true ? 1 : -1))
    .map(({ shown }) => shown);
  const page = pageOf(sorted, { cursor: asked.cursor, limit: asked.limit ?? 10 });
  const written = (cursor: string | null) =>
    cursor === null || !behaviour.wholeUrlCursors
      ? cursor
      : `http://${String(headers['host'])}/backend/v1/scanner-packages?cursor=${cursor}`;
  return { packages: page.items, next: written(page.next), prev: written(page.prev) };
}

function compare(one: PeerPackage, other: PeerPackage, sortBy: Asked['sortBy'] = 'created_at'): number {
  const byId = one.shown.id < other.shown.id ? -1 : 1;
  if (sortBy === 'name') return one.shown.name.localeCompare(other.shown.name) || byId;
  const timeOf = (of: PeerPackage) => (sortBy === 'created_at' ? of.createdAt : of.updatedAt).getTime();
  return timeOf(one) - timeOf(other) || byId;
}

function matches(state: PeerState, one: PeerPackage, asked: Asked): boolean {
  return isSo(one, asked) && hasWords(one, asked) && belongs(state, one, asked);
}

/** A filter that is absent lets everything pass. */
function is<T>(wanted: T | undefined, value: T): boolean {
  return wanted === undefined || wanted === value;
}

function among<T>(wanted: readonly T[] | undefined, ...values: readonly T[]): boolean {
  return wanted === undefined || values.some((value) => wanted.includes(value));
}

function isSo({ shown, published, packaged, groupId }: PeerPackage, asked: Asked): boolean {
  return (
    is(asked.published, published) &&
    is(asked.packaged, packaged) &&
    is<string | undefined>(asked.groupId, groupId) &&
    (shown.direction === 'both' || is<string>(asked.direction, shown.direction))
  );
}

function hasWords({ shown, types, tags }: PeerPackage, asked: Asked): boolean {
  return (
    among<string>(asked.source, shown.source.type) &&
    among(asked.type, ...types) &&
    (asked.tags ?? []).every((tag) => tags.includes(tag)) &&
    among(asked.packageId, shown.id) &&
    shown.name.toLowerCase().includes((asked.search ?? '').toLowerCase())
  );
}

/** What hangs on a project or an endpoint. */
function belongs(state: PeerState, { shown }: PeerPackage, asked: Asked): boolean {
  const { addedToProjectId: added, accessibleToProjectId: accessible, availableToProjectId: available } = asked;
  const entryIn = (project: string | undefined) => entryOf(state.projects.get(project ?? ''), shown.id);
  return (
    (added === undefined || entryIn(added) !== undefined) &&
    isOpenTo(shown, accessible) &&
    isOpenTo(shown, available) &&
    isSetTo(entryIn(added ?? available ?? accessible), asked) &&
    isEnabledIn(state, shown.id, asked)
  );
}

/** `active` and `mode` mean something only for a chosen project. */
function isSetTo(entry: ConfigEntry | undefined, asked: Asked): boolean {
  const active = asked.addedToProjectId ?? asked.availableToProjectId;
  const mode = active ?? asked.accessibleToProjectId;
  return (
    (active === undefined || is(asked.active, entry?.enabled === true)) &&
    (mode === undefined || among<string>(asked.mode, entry?.mode ?? ''))
  );
}

function isEnabledIn(state: PeerState, id: string, { enabledForProject, endpoint }: Asked): boolean {
  const project = [...state.projects.values()].find(
    ({ fields }) => fields.id === enabledForProject || fields.name === enabledForProject,
  );
  if (enabledForProject !== undefined && entryOf(project, id)?.enabled !== true) return false;
  const its = state.endpoints.get(endpoint ?? '')?.config.packages.find((one) => one.id === id);
  return endpoint === undefined || its?.enabled === true;
}

function isOpenTo({ availability }: PeerPackage['shown'], project: string | undefined): boolean {
  return project === undefined || availability.global || availability.projectIds.includes(project);
}

function entryOf(project: PeerProject | undefined, id: string): ConfigEntry | undefined {
  return project?.configs.at(-1)?.config.packages.find((one) => one.id === id);
}

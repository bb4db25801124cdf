/** Whether a scanner package meets the listing's criteria: one small claim per filter. */
import type { Config, ConfigEntry, StoredScannerPackage } from '../resources.ts';
import type { Criteria } from './criteria.ts';

/** Where a project's or an endpoint's configuration is found; nothing for an unknown id. */
export interface ConfigLookup {
  readonly ofProject: (id: string) => Config | undefined;
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

/** Claims about the package as a project or an endpoint has it. An unknown project or endpoint has none. */
function projectClaims(criteria: Criteria, configs: ConfigLookup): Claim[] {
  const { addedToProjectId: added, accessibleToProjectId: accessible, enabledForProject, endpoint } = criteria;
  const inAdded = added === undefined ? undefined : entriesOf(configs.ofProject(added));
  const inEnabled = enabledForProject === undefined ? undefined : entriesOf(configs.ofProject(enabledForProject));
  const inEndpoint = endpoint === undefined ? undefined : entriesOf(configs.ofEndpoint(endpoint));
  const inAccessible = accessible === undefined ? undefined : entriesOf(configs.ofProject(accessible));
  // `active` and `mode` speak of "the project": the one that another filter chose. Without one they have no effect.
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

function entriesOf(config: Config | undefined): ReadonlyMap<string, ConfigEntry> {
  return new Map((config?.packages ?? []).map((entry) => [entry.id, entry]));
}

function isEnabled(entries: ReadonlyMap<string, ConfigEntry>, id: string): boolean {
  return entries.get(id)?.enabled === 'true';
}

import { AppError } from '../errors/app-error.ts';
import { shortHash } from './short-hash.ts';
import type { GatewayConfig, Project } from '../gateway-client/index.ts';
import type { ConfigFingerprints } from '../ledger/rows/project-watch-row.ts';
import { shortLine, textOf, wordsOf } from './words.ts';

/** A configuration as it was read. */
export interface ReadConfig {
  readonly fingerprints: ConfigFingerprints;
  /** By place (`scanners.ID.version`): what it says, for people. */
  readonly words: ReadonlyMap<string, string>;
}

/** The lists whose entries are matched by their ids. */
const entryLists = ['packages', 'scanners', 'providers'] as const;

/** What the interface names, and so no secret: what else a gateway keeps in its configuration is compared and never told. */
const toldFields: ReadonlySet<string> = new Set([
  'blocking',
  'capabilities',
  'default',
  'enabled',
  'flagMessage',
  'force',
  'mode',
  'name',
  'providerRouting',
  'type',
  'version',
]);

/** The gateway answered a project without a configuration: a fault of the answer, or a token that may not see it. Nothing is concluded. */
export class ConfigMissingError extends AppError {
  override readonly name = 'ConfigMissingError';

  constructor(project: string) {
    super(
      `the gateway shows no configuration of the project ${project}: nothing is concluded from that. Look whether the token may read it`,
      { code: 'PROJECT_CONFIG_MISSING', retryable: true },
    );
  }
}

/**
 * A project's configuration, read tolerantly: flags and versions say the same as texts, booleans or numbers, null is the same as nothing, a
 * field that the interface does not name is compared like any other. A list that is not there is not taken for an empty one.
 * @throws ConfigMissingError
 */
export function readConfig({ id, config }: Project): ReadConfig {
  if (config === null || config === undefined) throw new ConfigMissingError(id);
  const words = new Map<string, string>();
  const lists = entryLists.flatMap((list) => {
    const entries = config[list];
    return entries === null || entries === undefined ? [] : [[list, readEntries(list, entries, words)] as const];
  });
  const fields = readFields('', withoutLists(config), words);
  if (lists.length === 0 && Object.keys(fields).length === 0) throw new ConfigMissingError(id);
  return { fingerprints: { lists: Object.fromEntries(lists), fields }, words };
}

/** One entry of a list, as the gateway sends it. */
export type Entry = Readonly<Record<string, unknown>>;

/**
 * The entries of a list by their ids, each field as a short hash; their words go into `words`.
 * @param told - the fields that have words
 */
export function readEntries(
  list: string,
  entries: readonly Entry[],
  words: Map<string, string>,
  told: ReadonlySet<string> = toldFields,
) {
  const read = new Map<string, Readonly<Record<string, string>>>();
  for (const entry of entries) {
    const id = freeName(handleOf(entry), read);
    const { id: _id, ...fields } = entry;
    read.set(id, readFields(`${list}.${id}.`, fields, words, told));
  }
  return Object.fromEntries(read);
}

/** Nothing but the id says that two entries are the same one; a gateway that leaves it out may give a name. */
function handleOf({ id, name }: Entry): string {
  const handle = [id, name].find((text) => typeof text === 'string' && text !== '');
  return typeof handle === 'string' ? placeOf(handle) : 'unnamed';
}

/** A name as part of a place: one that is no short line is told from others like it by its hash. */
function placeOf(name: string): string {
  const line = shortLine(name);
  return line === name ? line : `${line}#${shortHash(name)}`;
}

function freeName(handle: string, taken: ReadonlyMap<string, unknown>): string {
  let name = handle;
  for (let count = 2; taken.has(name); count += 1) name = `${handle}#${count}`;
  return name;
}

/** Each field as a short hash; nothing for null. Words of those that are told go into `words`, by `prefix` and name. */
export function readFields(
  prefix: string,
  fields: Entry,
  words: Map<string, string>,
  told: ReadonlySet<string> = toldFields,
): Record<string, string> {
  const hashes: [string, string][] = [];
  for (const [field, value] of Object.entries(fields)) {
    if (value === null || value === undefined) continue;
    const place = placeOf(field);
    // `true` and "true" are the same setting, whatever a gateway sends from one day to the next.
    hashes.push([place, shortHash(typeof value === 'object' ? value : textOf(value))]);
    if (told.has(field)) words.set(`${prefix}${place}`, wordsOf(value));
  }
  return Object.fromEntries(hashes);
}

function withoutLists(config: GatewayConfig): Entry {
  const { packages: _packages, scanners: _scanners, providers: _providers, ...rest } = config;
  return rest;
}

import { AppError } from '../errors/app-error.ts';
import type { Campaign, GatewayConfig, Project } from '../gateway-client/index.ts';
import type { ConfigFingerprints } from '../ledger/rows/watch-row.ts';
import { shortLine, textOf, wordsOf } from './words.ts';
import { hash } from 'node:crypto';

/** A configuration as it was read. */
export interface ReadConfig {
  readonly fingerprints: ConfigFingerprints;
  /** By place (`scanners.ID.version`): what it says, for people. */
  readonly words: ReadonlyMap<string, string>;
}

/** The lists whose entries are matched by their ids. */
const entryLists = ['packages', 'scanners', 'providers'] as const;

/**
 * The fields that the interface names, which hold no secret. Others are compared and never shown.
 */
const shownFields: ReadonlySet<string> = new Set([
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

/** The gateway answered a project without a configuration: nothing is concluded. */
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
 * A project's configuration, read tolerantly. Flags and versions mean the same as texts, booleans
 * or numbers. Null means absent. A field that the interface does not name is compared like any
 * other. A list that is not there is not taken for an empty one.
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
type Entry = Readonly<Record<string, unknown>>;

/** The entries of a list by their ids, each field as a short hash; their words go into `words`. */
function readEntries(
  list: string,
  entries: readonly Entry[],
  words: Map<string, string>,
  shown: ReadonlySet<string> = shownFields,
) {
  const read = new Map<string, Readonly<Record<string, string>>>();
  for (const entry of entries) {
    const id = freeName(handleOf(entry), read);
    const { id: _id, ...fields } = entry;
    read.set(id, readFields(`${list}.${id}.`, fields, words, shown));
  }
  return Object.fromEntries(read);
}

/**
 * Only the id says that two entries are the same one; a gateway that leaves it out may give a name.
 */
function handleOf({ id, name }: Entry): string {
  const handle = [id, name].find((text) => typeof text === 'string' && text !== '');
  return typeof handle === 'string' ? placeOf(handle) : 'unnamed';
}

/** A name as part of a place: if it is no short line, a hash tells it from others like it. */
function placeOf(name: string): string {
  const line = shortLine(name);
  return line === name ? line : `${line}#${shortHash(name)}`;
}

function freeName(handle: string, taken: ReadonlyMap<string, unknown>): string {
  let name = handle;
  for (let count = 2; taken.has(name); count += 1) name = `${handle}#${count}`;
  return name;
}

/** Each field as a short hash; words of the shown fields go into `words`, by `prefix` and name. */
function readFields(
  prefix: string,
  fields: Entry,
  words: Map<string, string>,
  shown: ReadonlySet<string> = shownFields,
): Record<string, string> {
  const hashes: [string, string][] = [];
  for (const [field, value] of Object.entries(fields)) {
    if (value === null || value === undefined) continue;
    const place = placeOf(field);
    // `true` and "true" are the same setting: a gateway may send either on any day.
    hashes.push([place, shortHash(typeof value === 'object' ? value : textOf(value))]);
    if (shown.has(field)) words.set(`${prefix}${place}`, wordsOf(value));
  }
  return Object.fromEntries(hashes);
}

function withoutLists(config: GatewayConfig): Entry {
  const { packages: _packages, scanners: _scanners, providers: _providers, ...rest } = config;
  return rest;
}

/** Chance of two values with one hash: 2⁻⁴⁸. Longer hashes only make the rows larger. */
const hashLength = 12;

/** What the ledger keeps of a value that it compares again later. */
export function shortHash(value: unknown): string {
  return hash('sha256', canonicalJson(value)).slice(0, hashLength);
}

/** A list or an object whose text is being made. */
interface Level {
  /** What stands before its text in the level around it. */
  readonly place: string;
  readonly marks: '[]' | '{}' | '';
  /** Its items, each with what stands before it. */
  readonly left: (readonly [place: string, item: unknown])[];
  readonly texts: string[];
}

/**
 * One text for one value: keys sorted, and lists too, since what is listed are sets. A loop, since a
 * call for each level takes more stack than there is for a few thousand of them.
 */
function canonicalJson(value: unknown): string {
  const levels: Level[] = [];
  let level: Level = { place: '', marks: '', left: [['', value]], texts: [] };
  for (;;) {
    const next = level.left.pop();
    if (next === undefined) {
      const { place, marks, texts } = level;
      const text = `${place}${marks.slice(0, 1)}${texts.toSorted().join(',')}${marks.slice(1)}`;
      const around = levels.pop();
      if (around === undefined) return text;
      level = around;
      level.texts.push(text);
      continue;
    }
    const [place, item] = next;
    if (typeof item === 'object' && item !== null) {
      levels.push(level);
      level = levelOf(place, item);
    } else level.texts.push(`${place}${JSON.stringify(item) ?? 'null'}`);
  }
}

function levelOf(place: string, item: object): Level {
  if (Array.isArray(item)) return { place, marks: '[]', left: item.map((one: unknown) => ['', one]), texts: [] };
  const fields = Object.entries(item).map(([key, one]) => [`${JSON.stringify(key)}:`, one] as const);
  return { place, marks: '{}', left: fields, texts: [] };
}

/**
 * What the interface names of a campaign's definition, and of an attack what says which one it is.
 */
const campaignFields: ReadonlySet<string> = new Set(['name', 'description', 'vendored', 'type']);

/**
 * What defines a campaign: its name, description and attacks, and other fields of the gateway. Who
 * made it, and what its runs have done since, do not count. Read as tolerantly as the configuration
 * of a project.
 */
export function readCampaignConfig(campaign: Campaign): ReadConfig {
  const {
    id: _id,
    createdAt: _at,
    createdBy: _by,
    lastRun: _last,
    lastRunAt: _lastAt,
    runCount: _count,
    ...rest
  } = campaign;
  const { attacks, ...fields } = rest;
  const words = new Map<string, string>();
  // The interface shows a list. Anything else is compared as one field.
  const isList = Array.isArray(attacks);
  return {
    fingerprints: {
      lists: isList ? { attacks: readEntries('attacks', attacks.map(entryOf), words, campaignFields) } : {},
      fields: readFields('', isList ? fields : { ...fields, attacks }, words, campaignFields),
    },
    words,
  };
}

/** An attack that is no object is its own name. */
function entryOf(attack: unknown): Entry {
  return typeof attack === 'object' && attack !== null ? { ...attack } : { name: String(attack) };
}

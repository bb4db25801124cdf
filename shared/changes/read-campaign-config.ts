import type { Campaign } from '../gateway-client/index.ts';
import { type Entry, type ReadConfig, readEntries, readFields } from './read-config.ts';

/** What the interface names of a campaign's definition, and of an attack what says which one it is: its shape is not shown. */
const toldFields: ReadonlySet<string> = new Set(['name', 'description', 'vendored', 'type']);

/**
 * What defines a campaign: its name, description and attacks, and whatever else the gateway keeps there; not who made it, nor what its runs
 * have done to it since. Read as tolerantly as the configuration of a project.
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
  const entries = attacks?.map(entryOf);
  return {
    fingerprints: {
      lists: entries === undefined ? {} : { attacks: readEntries('attacks', entries, words, toldFields) },
      fields: readFields('', fields, words, toldFields),
    },
    words,
  };
}

/** An attack that is no object is its own name. */
function entryOf(attack: unknown): Entry {
  return typeof attack === 'object' && attack !== null ? { ...attack } : { name: String(attack) };
}

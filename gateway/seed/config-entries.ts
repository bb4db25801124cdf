/** Builders of what the seed's configurations are made of. */
import type { ConfigEntry, ProviderEntry } from '../resources.ts';

/** A package or scanner that blocks, unless told otherwise. The interface types the flags as strings. */
export function entry(id: string, version: string, changes: Partial<ConfigEntry> = {}): ConfigEntry {
  return {
    blocking: 'true',
    enabled: 'true',
    flagMessage: 'This message was stopped by a security scanner.',
    force: 'false',
    id,
    mode: 'block',
    version,
    ...changes,
  };
}

/** A model provider. */
export function provider(id: string, name: string, changes: Partial<ProviderEntry> = {}): ProviderEntry {
  return { capabilities: 'chat', default: 'false', enabled: true, id, name, type: 'openai-compatible', ...changes };
}

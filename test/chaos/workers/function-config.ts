import { readFileSync } from 'node:fs';
import type { ConfigPart } from '#shared/config/resolve/resolved-automation.ts';
import type { FunctionName } from '#shared/vocabulary/resource-names.ts';

/**
 * The configuration beside a bundle: the baselines read the one of the function in whose place they
 * stand.
 */
export function functionConfig<Name extends FunctionName>(_name: Name): ConfigPart<Name> {
  return JSON.parse(readFileSync(`${import.meta.dirname}/config.json`, 'utf8'));
}

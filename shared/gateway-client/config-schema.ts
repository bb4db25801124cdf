import * as z from 'zod';
import { open, text } from './endpoints/field-types.ts';

const configEntry = z.looseObject({
  id: text,
  version: open,
  mode: open,
  enabled: open,
  blocking: open,
  force: open,
  flagMessage: open,
});

const provider = z.looseObject({
  id: text,
  name: open,
  type: open,
  enabled: open,
  default: open,
  capabilities: open,
});

/** The configuration of a project (interface.md 2.2): entries are compared by their ids, and every other field by its fingerprint. */
export const configType = z.looseObject({
  packages: z.array(configEntry).nullish(),
  scanners: z.array(configEntry).nullish(),
  providers: z.array(provider).nullish(),
  providerRouting: open,
});

/** A package or a scanner in a configuration. */
export type ConfigEntry = z.output<typeof configEntry>;
/** The configuration of a project. */
export type GatewayConfig = z.output<typeof configType>;

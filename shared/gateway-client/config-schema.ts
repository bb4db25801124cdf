import * as z from 'zod';
import { flag, open, scalar, text } from './endpoints/field-types.ts';

const configEntry = z.looseObject({
  id: text,
  version: scalar,
  mode: scalar,
  enabled: scalar,
  blocking: scalar,
  force: scalar,
  flagMessage: text,
});

const provider = z.looseObject({
  id: text,
  name: text,
  type: text,
  enabled: flag,
  default: scalar,
  capabilities: open,
});

/** The configuration of a project or an endpoint (interface.md 2.2). */
export const configType = z.looseObject({
  packages: z.array(configEntry).nullish(),
  scanners: z.array(configEntry).nullish(),
  providers: z.array(provider).nullish(),
  providerRouting: open,
});

/** A package or a scanner in a configuration. */
export type ConfigEntry = z.output<typeof configEntry>;
/** The configuration of a project or an endpoint. */
export type GatewayConfig = z.output<typeof configType>;

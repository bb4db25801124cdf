import * as z from 'zod';
import type { CallOptions } from '../options.ts';
import { open, requiredText, schemaOf, text } from './schema.ts';

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

/**
 * The configuration of a project (interface.md 2.2): entries are compared by their ids, and every
 * other field by its fingerprint.
 */
const configType = z.looseObject({
  packages: z.array(configEntry).nullish(),
  scanners: z.array(configEntry).nullish(),
  providers: z.array(provider).nullish(),
  providerRouting: open,
});

/** A package or a scanner in a configuration. */
export type ConfigEntry = z.output<typeof configEntry>;
/** The configuration of a project. */
export type GatewayConfig = z.output<typeof configType>;

const projectType = z.looseObject({
  id: requiredText,
  name: text,
  friendlyId: text,
  type: open,
  botType: open,
  chatbotId: open,
  config: configType.nullish(),
  createdAt: open,
  createdBy: open,
  updatedAt: open,
  adminCount: open,
  adminRoleId: open,
  memberCount: open,
  memberRoleId: open,
  providerCount: open,
  scannerCount: open,
  tokenCount: open,
});
const responseType = z.looseObject({ project: projectType });
/** How a project is read. */
export const projectSchema = schemaOf(responseType);

/** A project (interface.md 2.1). */
export type Project = z.output<typeof projectType>;
/** The answer to `getProject`. */
export type GetProjectResponse = z.output<typeof responseType>;

/** Which project, and its configuration of when. */
export interface GetProjectInput extends CallOptions {
  /** Its id or its name. */
  readonly project: string;
  /** An instant with Z or an offset; sent as given. */
  readonly configAt?: string | undefined;
}

const endpointType = z.looseObject({
  id: requiredText,
  name: open,
  chatbotId: open,
  groupId: open,
  config: open,
  createdAt: open,
});
const endpointsResponseType = z.looseObject({ endpoints: z.array(endpointType) });
/** How the listing of endpoints is read. */
export const endpointsSchema = schemaOf(endpointsResponseType);

/** An endpoint, a deprecated resource (interface.md 2.3). */
export type Endpoint = z.output<typeof endpointType>;
/** The answer to `listEndpoints`. */
export type ListEndpointsResponse = z.output<typeof endpointsResponseType>;

/** Which endpoints. */
export interface ListEndpointsInput extends CallOptions {
  readonly groupId?: string | undefined;
  readonly chatbotId?: string | undefined;
}

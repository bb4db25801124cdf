import * as z from 'zod';
import type { CallOptions } from '../options.ts';
import { requiredText, schemaOf, text } from './schema.ts';

const entries = z.array(z.looseObject({ id: text })).nullish();

/**
 * The configuration of a project (interface.md 2.2): entries are compared by their ids, and every
 * field by its fingerprint.
 */
const configType = z.looseObject({ packages: entries, scanners: entries, providers: entries });

/** The configuration of a project. */
export type GatewayConfig = z.output<typeof configType>;

const projectType = z.looseObject({ id: requiredText, name: text, friendlyId: text, config: configType.nullish() });
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

const endpointType = z.looseObject({ id: requiredText });
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

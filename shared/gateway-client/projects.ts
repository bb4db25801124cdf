import * as z from 'zod';
import {
  type CallOptions,
  instantText,
  isUuid,
  listingBytes,
  gatewayOperation,
  pathValue,
  requiredText,
  text,
} from './operation.ts';

const entries = z.array(z.looseObject({ id: text })).nullish();

// Section 2.2 of the interface: entries are compared by their ids, and every field by its fingerprint.
const configType = z.looseObject({ packages: entries, scanners: entries, providers: entries });

/** The configuration of a project. */
export type GatewayConfig = z.output<typeof configType>;

const projectType = z.looseObject({ id: requiredText, name: text, friendlyId: text, config: configType.nullish() });

/** A project (the interface, 2.1). */
export type Project = z.output<typeof projectType>;

/** Which project, and its configuration of when. */
export interface GetProjectInput extends CallOptions {
  /** Its id or its name. */
  readonly project: string;
  /** An instant with Z or an offset; sent as given. */
  readonly configAt?: string | undefined;
}

const endpointType = z.looseObject({ id: requiredText });
/** How the listing of endpoints is read. */
const endpointsAnswer = z.looseObject({ endpoints: z.array(endpointType) });

/** An endpoint, a deprecated resource (the interface, 2.3). */
export type Endpoint = z.output<typeof endpointType>;
/** The answer to `listEndpoints`. */
export type ListEndpointsResponse = z.output<typeof endpointsAnswer>;

export interface ListEndpointsInput extends CallOptions {
  readonly groupId?: string | undefined;
  readonly chatbotId?: string | undefined;
}

/** A project with its configuration, now or as it was. */
export const getProject = gatewayOperation({
  name: 'getProject',
  verb: 'get',
  path: '/backend/v1/projects/{project}',
  ask: ({ project, configAt }: GetProjectInput) => ({
    value: pathValue('project', project),
    query: { configAt: configAt === undefined ? undefined : instantText('configAt', configAt) },
  }),
  answer: z.looseObject({ project: projectType }),
  // An answer to a uuid must be about that project. How a gateway compares names, the interface does not say.
  about: ({ project: asked }, { project: { id, name, friendlyId } }) =>
    isUuid(asked) ? { field: 'project.id', asked, names: [id, name, friendlyId] } : undefined,
});

/** Endpoints. The interface marks this operation deprecated: it serves to show what still has to migrate. */
export const listEndpoints = gatewayOperation({
  name: 'listEndpoints',
  verb: 'get',
  path: '/backend/v1/endpoints',
  ask: ({ groupId, chatbotId }: ListEndpointsInput) => ({ query: { groupId, chatbotId } }),
  answer: endpointsAnswer,
  maxBytes: listingBytes,
});

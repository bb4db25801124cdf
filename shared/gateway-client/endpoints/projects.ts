import * as z from 'zod';
import type { Call } from '../call.ts';
import { configType } from '../config-schema.ts';
import { open, requiredText, text } from './field-types.ts';
import { instantText, isUuid, pathValue, queryString } from './input-checks.ts';
import type { CallOptions } from '../options.ts';
import { type Schema, schemaOf, schemaOfAsked } from './schema.ts';

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
const schema = schemaOf(responseType);

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

/** Reads a project with its configuration, now or as it was. */
export async function getProject(call: Call, input: GetProjectInput): Promise<GetProjectResponse> {
  const configAt = input.configAt === undefined ? undefined : instantText('configAt', input.configAt);
  return call({
    operation: 'getProject',
    verb: 'get',
    pathTemplate: '/backend/v1/projects/{project}',
    path: `/backend/v1/projects/${pathValue('project', input.project)}${queryString({ configAt })}`,
    schema: schemaFor(input.project),
    namesResource: true,
    options: input,
  });
}

/** An answer to a uuid must be about that project. How a gateway compares names, the interface does not say. */
function schemaFor(asked: string): Schema<GetProjectResponse> {
  if (!isUuid(asked)) return schema;
  return schemaOfAsked(schema, asked, {
    field: 'project.id',
    namesOf: ({ project }) => [project.id, project.name, project.friendlyId],
  });
}

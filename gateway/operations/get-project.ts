/** Interface 4.1: a project by id or name, with its configuration now or as it was. */
import type { Context } from 'hono';
import type { GatewayEnvironment } from '../http/environment.ts';
import { notFound, invalid } from '../http/problem.ts';
import { QueryReader } from '../http/query.ts';
import type { GatewayParts } from '../parts.ts';

/** Answers the project; with `configAt` everything but `config` is as it is now. */
export function getProject(context: Context<GatewayEnvironment>, { store }: GatewayParts): Response {
  const query = new QueryReader(context.req.url);
  const configAt = query.instant('configAt');
  query.finish();

  const project = store.findProject(context.req.param('project') ?? '');
  if (project === undefined) throw notFound('project');
  if (configAt === undefined) return context.json({ project });
  const config = store.projectConfigs.at(project.id, configAt);
  if (config === undefined) throw beforeItExisted(project.createdAt);
  return context.json({ project: { ...project, config } });
}

/** There is no configuration of something that was not there: said as a fault of the question. */
export function beforeItExisted(createdAt: string): Error {
  return invalid(
    ['query', 'configAt'],
    `configAt is earlier than the first configuration (${createdAt})`,
    'value_error',
  );
}

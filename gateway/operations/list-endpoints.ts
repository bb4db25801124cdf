/** Interface 4.2: the endpoints, deprecated in favour of projects. */
import type { Context } from 'hono';
import type { GatewayEnvironment } from '../http/environment.ts';
import { QueryReader } from '../http/query.ts';
import type { GatewayParts } from '../parts.ts';

const deprecatedSince = '@1767225600'; // 2026-01-01T00:00:00Z, as RFC 9745 writes it. No Sunset: the interface names no end

/** Answers all endpoints, or those of a group, a chatbot, or both, and says with every answer that this is deprecated. */
export function listEndpoints(context: Context<GatewayEnvironment>, { store }: GatewayParts): Response {
  const query = new QueryReader(context.req.url);
  const groupId = query.text('groupId');
  const chatbotId = query.text('chatbotId');
  query.finish();

  const endpoints = store.endpoints
    .all()
    .filter((endpoint) => groupId === undefined || endpoint.groupId === groupId)
    .filter((endpoint) => chatbotId === undefined || endpoint.chatbotId === chatbotId);
  return context.json({ endpoints }, 200, { deprecation: deprecatedSince });
}

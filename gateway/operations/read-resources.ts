/** Interface 4.1: a project by id or name, with its configuration now or as it was. */
import type { Context } from 'hono';
import * as z from 'zod';
import { type GatewayEnvironment, type GatewayParts, invalidField, notFound } from '../http/environment.ts';
import type { CampaignRun, Config } from '../model/resources.ts';
import { attackedProject } from '../seed/seed-ids.ts';
import {
  booleanParameter,
  offsetInstant,
  parameter,
  readQuery,
  textParameter,
  uuidInPath,
} from '../http/request-input.ts';

const configQuery = z.object({ configAt: parameter(offsetInstant.transform((text) => new Date(text))) });

/** Answers the project; with `configAt` everything but `config` is as it is now. */
export function serveProject(context: Context<GatewayEnvironment>, { store }: GatewayParts): Response {
  const { configAt } = readQuery(context, configQuery);

  const project = store.findProject(context.req.param('project') ?? '');
  if (project === undefined) throw notFound('project');
  if (configAt === undefined) return context.json({ project });
  const config = store.projectConfigs.at(project.id, configAt);
  if (config === undefined) throw beforeItExisted(project.createdAt);
  return context.json({ project: { ...project, config } });
}

/** There is no configuration of something that was not there: said as a fault of the question. */
function beforeItExisted(createdAt: string): Error {
  return invalidField(
    ['query', 'configAt'],
    `configAt is earlier than the first configuration (${createdAt})`,
    'value_error',
  );
}

// Interface 4.3: a campaign, its counters, and its configuration now or as it was.

/**
 * Answers the campaign; `configAt` turns back name, description and attacks, never the counters.
 */
export function serveCampaign(context: Context<GatewayEnvironment>, { store, now }: GatewayParts): Response {
  const id = uuidInPath(context, 'campaignId');
  const { configAt } = readQuery(context, configQuery);

  store.campaignRuns.settle(now());
  const campaign = store.campaigns.get(id);
  if (campaign === undefined) throw notFound('campaign');
  if (configAt === undefined) return context.json({ campaign });
  const config = store.campaignConfigs.at(id, configAt);
  if (config === undefined) throw beforeItExisted(campaign.createdAt);
  return context.json({ campaign: { ...campaign, ...config } });
}

// Interface 4.2: the endpoints, deprecated in favour of projects.

const endpointsQuery = z.object({ groupId: textParameter, chatbotId: textParameter });

const deprecatedSince = '@1767225600'; // 2026-01-01T00:00:00Z, as RFC 9745 writes it. No Sunset: the interface names no end

/**
 * Answers all endpoints, or those of a group, a chatbot, or both, and says with every answer that
 * this is deprecated.
 */
export function serveEndpoints(context: Context<GatewayEnvironment>, { store }: GatewayParts): Response {
  const { groupId, chatbotId } = readQuery(context, endpointsQuery);

  const endpoints = store.endpoints
    .all()
    .filter((endpoint) => groupId === undefined || endpoint.groupId === groupId)
    .filter((endpoint) => chatbotId === undefined || endpoint.chatbotId === chatbotId);
  return context.json({ endpoints }, 200, { deprecation: deprecatedSince });
}

// Not in the interface: a run as it is now. A gateway that publishes its own API document has it.

const includesQuery = z.object({
  includeResults: booleanParameter,
  includeProviders: booleanParameter,
  includeSchedule: booleanParameter,
  includeCampaign: booleanParameter,
});

/** Answers the run; one that is complete has a score. What its providers answered this gateway does not know. */
export function serveCampaignRun(context: Context<GatewayEnvironment>, { store, now }: GatewayParts): Response {
  const id = uuidInPath(context, 'campaignRunId');
  readQuery(context, includesQuery);

  const run = store.campaignRuns.get(id, now());
  if (run === undefined) throw notFound('campaign run');
  return context.json({ campaignRun: shownRun(run, store), providers: {}, campaign: null, schedule: null });
}

/** A run as it is answered. */
export function shownRun(run: CampaignRun, store: GatewayParts['store']) {
  const unknown = { scheduleId: null, attackRuns: [], providerErrors: {} };
  return {
    ...run,
    ...unknown,
    ...resultOf(run, store),
    startAt: run.startAt === '' ? null : run.startAt,
    purged: false,
  };
}

/** Prompts of every run. */
const prompts = 1180;

/** What a complete run found: it follows from the project as it was when the run began. */
function resultOf({ status, campaignId, startAt }: CampaignRun, store: GatewayParts['store']) {
  if (status !== 'complete') return { progress: 0, total: null, CASIScore: null };
  const config = store.projectConfigs.at(attackedProject(campaignId), new Date(startAt));
  return { progress: prompts, total: prompts, CASIScore: config === undefined ? null : scoreOf(config) };
}

/** Each scanner that blocks adds as much; the seed has three of them, and a score of 87. */
const perScanner = 26;
const withoutAny = 9;

/** The score of a run against this configuration: the same one for the same scanners, and a lower one for fewer that block. */
function scoreOf({ scanners }: Config): number {
  const blocking = scanners.filter(
    ({ enabled, blocking: blocks, mode }) => enabled !== 'false' && blocks !== 'false' && mode !== 'audit',
  );
  return Math.min(100, withoutAny + perScanner * blocking.length);
}

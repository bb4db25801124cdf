/** Reads projects, endpoints and campaigns. */
import { optional, readQuery, text, time } from './fields.ts';
import type { PeerRequest } from './request.ts';
import { later } from './run-life.ts';
import { found, type PeerProject, type PeerState } from './state.ts';

/** `GET /backend/v1/projects/{project}`: by id, friendly id or name. */
export function readProject(state: PeerState, name: string, { query }: PeerRequest) {
  const { configAt } = readQuery(query, { configAt: optional(time) }, state.behaviour.unknownFields);
  const project = [...state.projects.values()].find(({ fields }) =>
    [fields.id, fields.friendlyId, fields.name].includes(name),
  );
  const { fields, configs } = found(project, 'project', state.behaviour);
  return { project: { ...fields, config: configOf(configs, configAt ?? state.now()) } };
}

/** Before its first configuration a project has that one too. */
function configOf(configs: PeerProject['configs'], at: Date) {
  return (configs.findLast(({ from }) => from <= at) ?? configs[0])?.config;
}

/** `GET /backend/v1/endpoints`. */
export function listEndpoints(state: PeerState, { query }: PeerRequest) {
  const fields = { groupId: optional(text()), chatbotId: optional(text()) };
  const { groupId, chatbotId } = readQuery(query, fields, state.behaviour.unknownFields);
  const endpoints = [...state.endpoints.values()].filter(
    (one) =>
      (groupId === undefined || one.groupId === groupId) && (chatbotId === undefined || one.chatbotId === chatbotId),
  );
  return { endpoints };
}

/** `GET /backend/v1/campaigns/{campaignId}`. */
export function readCampaign(state: PeerState, id: string, { query }: PeerRequest) {
  readQuery(query, { configAt: optional(time) }, state.behaviour.unknownFields);
  const campaign = found(state.campaigns.get(id), 'campaignId', state.behaviour);
  return { campaign: { ...campaign, ...runsOf(state, id) } };
}

/** What a campaign says of its runs: a begin shows after `lastRunLateMs`. */
function runsOf(state: PeerState, campaignId: string) {
  const { counts, lastRunLateMs } = state.behaviour;
  const runs = [...state.runs.values()].filter((run) => run.campaignId === campaignId);
  const begins = runs
    .flatMap((run) => run.begins.map((at) => ({ id: run.id, at })))
    .filter(({ at }) => later(at, lastRunLateMs) <= state.now())
    .toSorted((one, other) => one.at.getTime() - other.at.getTime());
  const last = begins.at(-1);
  return {
    runCount: counts === 'created' ? runs.length : begins.length,
    lastRun: last?.id ?? null,
    lastRunAt: last?.at ?? null,
  };
}

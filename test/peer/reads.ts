/** Reads campaigns and a project; the listing of packages, which a worker asks for to find out whether the gateway answers. */
import { integerText, readQuery, text, time } from './fields.ts';
import type { PeerRequest } from './request.ts';
import { later } from './run-life.ts';
import { project } from './seed.ts';
import { found, type PeerState } from './state.ts';

/** `GET /backend/v1/scanner-packages`: this gateway has none. */
export function listPackages(state: PeerState, { query }: PeerRequest) {
  readQuery(
    query,
    { limit: integerText(1, 100).optional(), cursor: text(1).optional() },
    state.behaviour.unknownFields,
  );
  return { packages: [], next: null, prev: null };
}

/** `GET /backend/v1/projects/{project}`: by id, friendly id or name. This gateway has one, whose configuration never changed. */
export function readProject(state: PeerState, name: string, { query }: PeerRequest) {
  readQuery(query, { configAt: time.optional() }, state.behaviour.unknownFields);
  const isIts = [project.id, project.friendlyId, project.name].includes(name);
  return { project: found(isIts ? project : undefined) };
}

/** `GET /backend/v1/campaigns/{campaignId}`. */
export function readCampaign(state: PeerState, id: string, { query }: PeerRequest) {
  readQuery(query, { configAt: time.optional() }, state.behaviour.unknownFields);
  const campaign = found(state.campaigns.get(id));
  return { campaign: { ...campaign, ...runsOf(state, id) } };
}

/** What a campaign says of its runs: a begin shows after `lastRunLateMs`. */
function runsOf(state: PeerState, campaignId: string) {
  const runs = [...state.runs.values()].filter((run) => run.campaignId === campaignId);
  const begun = runs.flatMap(({ id, begunAt }) => (begunAt === undefined ? [] : [{ id, begunAt }]));
  const last = begun
    .filter(({ begunAt }) => later(begunAt, state.behaviour.lastRunLateMs) <= state.now())
    .toSorted((one, other) => one.begunAt.getTime() - other.begunAt.getTime())
    .at(-1);
  return { runCount: runs.length, lastRun: last?.id ?? null, lastRunAt: last?.begunAt ?? null };
}

/** Reads a project, campaigns and runs; the listing of packages, which a worker asks for to find out whether the gateway answers. */
import * as z from 'zod';
import { readFields, Refusal, time } from './fields.ts';
import type { PeerRequest } from './request.ts';
import { later } from './run-life.ts';
import { campaigns, project } from './seed.ts';
import { found, type PeerRun, type PeerState } from './state.ts';

/** The query of a request: of a parameter that comes several times the last one counts. */
const readQuery = ({ query }: PeerRequest, shape: z.ZodRawShape) =>
  readFields(Object.fromEntries(query), shape, 'query');

const limit = z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(1).max(100));

/** `GET /backend/v1/scanner-packages`: this gateway has none. */
export function listPackages(_state: PeerState, request: PeerRequest) {
  readQuery(request, { limit: limit.optional(), cursor: z.string().min(1).optional() });
  return { packages: [], next: null, prev: null };
}

/** `GET /backend/v1/projects/{project}`: by id, friendly id or name. */
export function readProject(_state: PeerState, request: PeerRequest, name: string) {
  readQuery(request, { configAt: time.optional() });
  const isIts = [project.id, project.friendlyId, project.name].includes(name);
  return { project: found(isIts ? project : undefined) };
}

/** `GET /backend/v1/campaigns/{campaignId}`. */
export function readCampaign(state: PeerState, request: PeerRequest, id: string) {
  readQuery(request, { configAt: time.optional() });
  return { campaign: { ...found(campaigns.get(id)), ...runsOf(state, id) } };
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

/** `GET /backend/v1/campaign-runs/{campaignRunId}`. */
export function readRun(state: PeerState, request: PeerRequest, id: string) {
  const { readsRuns } = state.behaviour;
  if (readsRuns !== true) throw new Refusal(readsRuns, 'Not available');
  const flag = z.enum(['true', 'false']).optional();
  readQuery(request, { includeResults: flag, includeProviders: flag, includeSchedule: flag, includeCampaign: flag });
  return { campaignRun: shown(found(state.runs.get(id))) };
}

function shown({ id, name, campaignId, status, startAt, createdAt, preserve }: PeerRun) {
  const run = { id, name, campaignId, status, startAt, createdAt, preserve, createdBy: 'peer', purged: false };
  return { ...run, attackRuns: [], total: null, CASIScore: null, providerErrors: {} };
}

const status = z.enum(['scheduled', 'in_progress', 'complete', 'error', 'cancelling', 'cancelled', 'schedule_error']);

/** `GET /backend/v1/campaign-runs`: the newest first. */
export function listRuns(state: PeerState, { query }: PeerRequest) {
  const { makesRuns, listedLateMs = Infinity, matchesPart } = state.behaviour;
  if (makesRuns !== true) throw new Refusal(makesRuns, 'Not available');
  const given = { ...Object.fromEntries(query), status: query.getAll('status') };
  const shape = { limit: limit.default(10), cursor: z.string().regex(/^\d+$/).default('0'), status: z.array(status) };
  const read = readFields(given, { ...shape, name: z.string().optional() }, 'query');
  const matching = [...state.runs.values()].filter((run) => {
    const isNamed = matchesPart ? run.name.includes(read.name ?? '') : run.name === (read.name ?? run.name);
    const isWanted = read.status.length === 0 || read.status.some((word) => word === run.status);
    return isNamed && isWanted && state.now().getTime() - run.createdAt.getTime() >= listedLateMs;
  });
  const [from, to] = [Number(read.cursor), Number(read.cursor) + read.limit];
  const page = matching.toReversed().slice(from, to).map(shown);
  return { campaignRuns: page, next: to < matching.length ? String(to) : null, prev: null };
}

/** Makes, reads and lists campaign runs. */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { booleanText, integerText, invalid, readFields, readQuery, text, time, timeAfter, uuid } from './fields.ts';
import { pageOf } from './pages.ts';
import { objectOf, type PeerRequest } from './request.ts';
import { begin, progressOf } from './run-life.ts';
import { addRun, found, type PeerRun, type PeerSchedule, type PeerState, runStatuses } from './state.ts';

const providerIds = z.array(uuid).min(1).max(5);
const name = text(1, 100);
const campaignId = uuid;
const amount = z.int().min(1).max(1_000);

/** `POST /backend/v1/campaign-schedules`: makes a schedule and its first run. */
export function addSchedule(state: PeerState, { body }: PeerRequest) {
  const given = readFields(
    objectOf(body),
    {
      name,
      campaignId,
      providerIds,
      startAt: timeAfter(state.now()),
      frequency: z.enum(['days', 'weeks']),
      interval: amount,
      count: amount.nullish(),
      endAt: time.nullish(),
    },
    { place: 'body', unknown: state.behaviour.unknownFields },
  );
  const { count, endAt } = given;
  if (typeof count === 'number' && endAt instanceof Date) throw invalid(['body', 'endAt'], 'Either count or endAt');
  found(state.campaigns.get(given.campaignId), 'campaignId', state.behaviour);
  const schedule: PeerSchedule = {
    id: randomUUID(),
    name: given.name,
    campaignId: given.campaignId,
    providerIds: given.providerIds,
    startAt: given.startAt,
    everyDays: given.interval * (given.frequency === 'weeks' ? 7 : 1),
    count: endAt instanceof Date ? undefined : (count ?? 4),
    endAt: endAt ?? undefined,
    made: 1,
  };
  state.schedules.set(schedule.id, schedule);
  const run = addRun(state, { ...schedule, id: undefined, scheduleId: schedule.id });
  return { id: schedule.id, campaignRunId: run.id };
}

/** `POST /backend/v1/campaign-runs`: makes a run that begins at once. */
export function addRunNow(state: PeerState, { body }: PeerRequest) {
  const options = { place: 'body', unknown: state.behaviour.unknownFields } as const;
  const given = readFields(objectOf(body), { name, campaignId, providerIds }, options);
  found(state.campaigns.get(given.campaignId), 'campaignId', state.behaviour);
  const now = state.now();
  const run = addRun(state, { ...given, startAt: now });
  begin(state, run, now);
  return { id: run.id };
}

/** `GET /backend/v1/campaign-runs/{campaignRunId}`. */
export function readRun(state: PeerState, id: string, { query }: PeerRequest) {
  const flag = booleanText.optional();
  const asked = readQuery(
    query,
    { includeResults: flag, includeProviders: flag, includeSchedule: flag, includeCampaign: flag },
    state.behaviour.unknownFields,
  );
  const run = found(state.runs.get(id), 'campaignRunId', state.behaviour);
  const providers = asked.includeProviders === true ? run.providerIds.map((one) => [one, { id: one }] as const) : [];
  return {
    campaignRun: shown(state, run),
    providers: Object.fromEntries(providers),
    campaign: asked.includeCampaign === true ? (state.campaigns.get(run.campaignId) ?? null) : null,
    schedule: asked.includeSchedule === true ? (state.schedules.get(run.scheduleId ?? '') ?? null) : null,
  };
}

/** `GET /backend/v1/campaign-runs`: the newest first. */
export function listRuns(state: PeerState, { query }: PeerRequest) {
  const asked = readQuery(
    query,
    {
      cursor: text(1).optional(),
      limit: integerText(1, 100).optional(),
      status: z.array(z.enum(runStatuses)).optional(),
      campaignScheduleId: uuid.optional(),
      name: text().optional(),
      before: time.optional(),
      after: time.optional(),
    },
    state.behaviour.unknownFields,
  );
  const { status, campaignScheduleId, before, after } = asked;
  const runs = [...state.runs.values()]
    .filter((run) => status === undefined || status.includes(run.status))
    .filter((run) => campaignScheduleId === undefined || run.scheduleId === campaignScheduleId)
    .filter((run) => asked.name === undefined || run.name.includes(asked.name))
    .filter((run) => (before === undefined || run.startAt < before) && (after === undefined || run.startAt > after))
    .toReversed();
  const page = pageOf(runs, { cursor: asked.cursor, limit: asked.limit ?? 10 });
  return { campaignRuns: page.items.map((run) => shown(state, run)), next: page.next, prev: page.prev };
}

function shown(state: PeerState, run: PeerRun) {
  const isScored = run.status === 'complete';
  return {
    id: run.id,
    campaignId: run.campaignId,
    name: run.name,
    status: run.status,
    startAt: run.startAt,
    createdAt: run.createdAt,
    createdBy: 'peer',
    attackRuns: [],
    preserve: run.preserve,
    purged: false,
    progress: progressOf(run, state.now()),
    total: run.course?.total ?? null,
    CASIScore: isScored ? (run.course?.score ?? null) : null,
    scheduleId: run.scheduleId,
    remediation: { available: false, id: null },
    providerErrors: run.course?.providerErrors ?? {},
  };
}

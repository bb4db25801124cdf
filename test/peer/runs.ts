/** Makes and reads campaign runs. */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { booleanText, invalid, readFields, readQuery, text, time, timeAfter, uuid } from './fields.ts';
import { objectOf, type PeerRequest } from './request.ts';
import { progressOf } from './run-life.ts';
import { addRun, found, type PeerRun, type PeerSchedule, type PeerState } from './state.ts';

const amount = z.int().min(1).max(1_000);

/** `POST /backend/v1/campaign-schedules`: makes a schedule and its first run. */
export function addSchedule(state: PeerState, { body }: PeerRequest) {
  const given = readFields(
    objectOf(body),
    {
      name: text(1, 100),
      campaignId: uuid,
      providerIds: z.array(uuid).min(1).max(5),
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
  found(state.campaigns.get(given.campaignId));
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

/** `GET /backend/v1/campaign-runs/{campaignRunId}`. */
export function readRun(state: PeerState, id: string, { query }: PeerRequest) {
  const flag = booleanText.optional();
  const asked = readQuery(
    query,
    { includeResults: flag, includeProviders: flag, includeSchedule: flag, includeCampaign: flag },
    state.behaviour.unknownFields,
  );
  const run = found(state.runs.get(id));
  const providers = asked.includeProviders === true ? run.providerIds.map((one) => [one, { id: one }] as const) : [];
  return {
    campaignRun: shown(state, run),
    providers: Object.fromEntries(providers),
    campaign: asked.includeCampaign === true ? (state.campaigns.get(run.campaignId) ?? null) : null,
    schedule: asked.includeSchedule === true ? (state.schedules.get(run.scheduleId ?? '') ?? null) : null,
  };
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

/** The operations that the peer has, and the order of its questions: token, path, then the rest. */
import * as z from 'zod';
import { changeRun } from './change-run.ts';
import { addDataset } from './datasets.ts';
import { invalid, name, readFields, Refusal, timeAfter, uuid } from './fields.ts';
import { listPackages, listRuns, readCampaign, readProject, readRun } from './reads.ts';
import { objectOf, type PeerRequest } from './request.ts';
import { campaigns } from './seed.ts';
import { addRun, found, type PeerState } from './state.ts';

/** An answer, before it is written. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

type Operation = (state: PeerState, request: PeerRequest, word: string) => unknown;

const uuidOf =
  (parameter: string, operation: Operation): Operation =>
  (state, request, word) => {
    const { data } = uuid.safeParse(word);
    if (data === undefined) throw invalid(['path', parameter], 'Input should be a valid UUID', 'uuid_parsing');
    return operation(state, request, data);
  };

/** By the path below `/backend/v1`, and the method. */
const routes: readonly (readonly [path: RegExp, operations: Readonly<Record<string, Operation>>])[] = [
  [/^\/projects\/([^/]+)$/, { GET: readProject }],
  [/^\/campaigns\/([^/]+)$/, { GET: uuidOf('campaignId', readCampaign) }],
  [/^\/scanner-packages$/, { GET: listPackages }],
  [
    /^\/campaign-runs\/([^/]+)$/,
    {
      PATCH: uuidOf('campaignRunId', (state, { body }, id) => changeRun(state, id, body)),
      GET: uuidOf('campaignRunId', readRun),
    },
  ],
  [/^\/campaign-runs$/, { GET: listRuns }],
  [/^\/datasets$/, { POST: addDataset }],
  [/^\/campaign-schedules$/, { POST: addSchedule }],
];

/** Applies a request in one step, and says what is answered. */
export function answerTo(state: PeerState, request: PeerRequest): Answer {
  try {
    if (!request.isAuthorized) throw new Refusal(401, 'Not authenticated');
    return { status: 200, body: routed(state, request) };
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, body: { detail: error.detail } };
    throw error;
  }
}

function routed(state: PeerState, request: PeerRequest): unknown {
  const path = request.path.replace(/^\/backend\/v1/, '');
  for (const [pattern, operations] of routes) {
    const [isIts, word = ''] = pattern.exec(path) ?? [];
    if (isIts === undefined) continue;
    const operation = operations[request.method];
    if (operation === undefined) throw new Refusal(405, 'Method Not Allowed');
    return operation(state, request, decodeURIComponent(word));
  }
  throw new Refusal(404, 'Not Found');
}

/** `POST /backend/v1/campaign-schedules`: makes a schedule of one run. */
function addSchedule(state: PeerState, { body }: PeerRequest) {
  const { makesRuns } = state.behaviour;
  if (makesRuns !== true) throw new Refusal(makesRuns, 'Not enough permissions');
  const given = readFields(objectOf(body), {
    name,
    campaignId: uuid,
    providerIds: z.array(uuid).min(1).max(5),
    startAt: timeAfter(state.now()),
    frequency: z.enum(['days', 'weeks']),
    interval: z.int().min(1).max(1_000),
    count: z.literal(1),
  });
  found(campaigns.get(given.campaignId));
  const { id } = addRun(state, given);
  return { id, campaignRunId: id };
}

/** The operations that the peer has, and the order of its questions: token, path, then the rest. */
import { changeRun } from './change-run.ts';
import { addDataset } from './datasets.ts';
import { invalid, Refusal, uuid } from './fields.ts';
import { listPackages, readCampaign, readProject } from './reads.ts';
import type { PeerRequest } from './request.ts';
import { addSchedule, readRun } from './runs.ts';
import type { PeerState } from './state.ts';

/** An answer, before it is written. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Route {
  readonly method: string;
  /** `{…}` stands for one word. */
  readonly path: string;
  /** A gateway may be without it. */
  readonly isReadOfRuns?: true;
  readonly answer: (state: PeerState, request: PeerRequest, word: string) => unknown;
}

const root = '/backend/v1';

const routes: readonly Route[] = [
  { method: 'GET', path: '/projects/{project}', answer: (state, request, word) => readProject(state, word, request) },
  {
    method: 'GET',
    path: '/campaigns/{campaignId}',
    answer: (state, request, word) => readCampaign(state, uuidOf(word, 'campaignId'), request),
  },
  { method: 'GET', path: '/scanner-packages', answer: listPackages },
  {
    method: 'PATCH',
    path: '/campaign-runs/{campaignRunId}',
    answer: (state, { body }, word) => changeRun(state, uuidOf(word, 'campaignRunId'), body),
  },
  { method: 'POST', path: '/datasets', answer: addDataset },
  { method: 'POST', path: '/campaign-schedules', answer: addSchedule },
  {
    method: 'GET',
    path: '/campaign-runs/{campaignRunId}',
    isReadOfRuns: true,
    answer: (state, request, word) => readRun(state, uuidOf(word, 'campaignRunId'), request),
  },
];

function uuidOf(word: string, name: string): string {
  const { data } = uuid.safeParse(word);
  if (data === undefined) throw invalid(['path', name], 'Input should be a valid UUID', 'uuid_parsing');
  return data;
}

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
  const here = routes.flatMap((route) => {
    const word = wordOf(route.path, request.path);
    return word === undefined ? [] : [{ route, word }];
  });
  const match = here.find(({ route }) => route.method === request.method);
  if (match === undefined) {
    throw here.length === 0 ? new Refusal(404, 'Not Found') : new Refusal(405, 'Method Not Allowed');
  }
  const { readsRuns } = state.behaviour;
  if (match.route.isReadOfRuns === true && readsRuns !== true) throw new Refusal(readsRuns, 'Not available');
  return match.route.answer(state, request, match.word);
}

/** The word of a path that stands for `{…}`, or an empty one; undefined if the path is another. */
function wordOf(pattern: string, path: string): string | undefined {
  const parts = `${root}${pattern}`.split('/');
  const words = path.split('/');
  if (parts.length !== words.length) return undefined;
  let word = '';
  for (const [at, part] of parts.entries()) {
    if (part.startsWith('{')) word = decoded(words[at] ?? '');
    else if (part !== words[at]) return undefined;
  }
  return word;
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    throw new Refusal(400, 'The path cannot be read');
  }
}

import type { UpdateCampaignRunInput } from '#shared/gateway-client/index.ts';

/** How a gateway of the model behaves. */
export interface GatewayKind {
  /** `startAt`: as the real one. A word: at once, or at a `startAt` to come; `again`: a repeated one begins the run again. */
  readonly starts: 'startAt' | 'word' | 'word, again';
  /** How it answers the stop of a run that has ended. @default 200 */
  readonly lateStop?: 200 | 409 | 422 | 'names status';
  /** How it answers a start of a run that runs, has run or was cancelled. @default 409 */
  readonly lateStart?: 200 | 409 | 422 | 'names startAt';
  /** By how much its clock is ahead. @default 0 */
  readonly aheadMs?: number;
  /** After this a begun run is its campaign's last one. @default 0 */
  readonly lastRunLagMs?: number;
  /** A run ends by itself after this. @default never */
  readonly runsForMs?: number;
}

/** What a request was answered. */
export type ModelAnswer =
  | { readonly status: 200 }
  | { readonly status: 404 | 409 | 422; readonly text: string; readonly fields: readonly string[] };

/** One time that a run began, or ended without beginning any more, and the command whose request did it. */
export interface RunEffect {
  readonly atMs: number;
  readonly campaignRunId: string;
  readonly kind: 'begins' | 'ends';
  /** The command; absent: it ended by itself. */
  readonly by?: string;
}

interface ModelRun {
  state: 'scheduled' | 'running' | 'over';
  /** When it begins, and the command that said so. */
  begins?: { readonly atMs: number; readonly by: string };
  /** It began this often. */
  begun: number;
  /** Its latest `startAt`. */
  startsMs?: number;
  endsMs?: number;
  /** A command ended it. */
  isCancelled?: boolean;
}

/** The text with which an ended run is refused, for `alreadyInState`. */
export const endedText = 'the run has ended already';

const shownState = { scheduled: 'scheduled', running: 'in_progress' } as const;
const scheduledFarMs = 40 * 86_400_000;

/**
 * Runs at a gateway, and what takes effect on them. It keeps its own log, which no product code can influence.
 * @example const model = createRunModel({ starts: 'startAt' }, Date.now());
 */
export function createRunModel(kind: GatewayKind, beginMs: number) {
  const runs = new Map<string, ModelRun>();
  const effects: RunEffect[] = [];
  const own = { atMs: beginMs + scheduledFarMs, by: 'the schedule of the gateway' };

  function runOf(id: string): ModelRun {
    const known = runs.get(id) ?? { state: 'scheduled', begins: own, begun: 0 };
    runs.set(id, known);
    return known;
  }

  function begin(id: string, run: ModelRun, { atMs, by }: { readonly atMs: number; readonly by: string }): void {
    run.state = 'running';
    run.begun += 1;
    run.begins = undefined;
    run.endsMs = kind.runsForMs === undefined ? undefined : atMs + kind.runsForMs;
    effects.push({ atMs, campaignRunId: id, kind: 'begins', by });
  }

  function end(id: string, run: ModelRun, atMs: number, by: string | undefined): void {
    effects.push({ atMs, campaignRunId: id, kind: 'ends', by });
    run.state = 'over';
    run.isCancelled = by !== undefined;
    run.begins = undefined;
    run.endsMs = undefined;
  }

  /** What has come by then, in order. */
  function passTo(nowMs: number): void {
    for (const [id, run] of runs) {
      if (run.begins !== undefined && run.begins.atMs <= nowMs) begin(id, run, run.begins);
      if (run.endsMs !== undefined && run.endsMs <= nowMs) end(id, run, run.endsMs, undefined);
    }
    effects.sort((a, b) => a.atMs - b.atMs);
  }

  function stop(id: string, by: string, nowMs: number): ModelAnswer {
    const run = runOf(id);
    if (run.state !== 'over') {
      end(id, run, nowMs, by);
      return { status: 200 };
    }
    const { lateStop = 200 } = kind;
    if (lateStop === 200) return { status: 200 };
    const fields = lateStop === 'names status' ? ['body.status'] : [];
    return { status: lateStop === 'names status' ? 422 : lateStop, text: endedText, fields };
  }

  function startByInstant(id: string, by: string, { nowMs, startAt }: { nowMs: number; startAt: string }): ModelAnswer {
    const run = runOf(id);
    const atMs = Date.parse(startAt) - (kind.aheadMs ?? 0);
    if (atMs <= nowMs) return { status: 422, text: 'must be in the future', fields: ['body.startAt'] };
    if (run.state === 'scheduled') {
      run.begins = { atMs, by };
      run.startsMs = atMs;
      return { status: 200 };
    }
    const { lateStart = 409 } = kind;
    if (lateStart === 200) return { status: 200 };
    const fields = lateStart === 'names startAt' ? ['body.startAt'] : [];
    return { status: lateStart === 'names startAt' ? 422 : lateStart, text: 'the run is not scheduled', fields };
  }

  /** A run that was stopped before it began may begin by a word that lands after it. */
  function startByWord(id: string, by: string, { nowMs, startAt }: { nowMs: number; startAt?: string }): ModelAnswer {
    const run = runOf(id);
    const isAgain = kind.starts === 'word, again';
    if (run.begun > 0 && !isAgain) return { status: 200 };
    if (run.state === 'running') end(id, run, nowMs, by);
    const atMs = startAt === undefined ? nowMs : Math.max(nowMs, Date.parse(startAt));
    run.state = 'scheduled';
    run.begins = { atMs, by };
    passTo(nowMs);
    return { status: 200 };
  }

  return {
    kind,
    effects: effects as readonly RunEffect[],
    passTo,
    /** Takes one PATCH at an instant. */
    take({ campaignRunId: id, status, startAt }: UpdateCampaignRunInput, by: string, nowMs: number): ModelAnswer {
      passTo(nowMs);
      if (status === 'cancelled') return stop(id, by, nowMs);
      if (kind.starts !== 'startAt' && status === 'running') return startByWord(id, by, { nowMs, startAt });
      if (status !== undefined) return { status: 422, text: 'is no status', fields: ['body.status'] };
      if (startAt !== undefined && kind.starts === 'startAt') return startByInstant(id, by, { nowMs, startAt });
      return { status: 200 };
    },
    /** A person begins a run at the gateway. */
    beginByHand(id: string, nowMs: number): void {
      begin(id, runOf(id), { atMs: nowMs, by: 'a person' });
    },
    /** The campaign as it reads. */
    campaign(nowMs: number): { readonly lastRun?: string; readonly lastRunAt?: string; readonly runCount: number } {
      passTo(nowMs);
      const shown = effects.filter((one) => one.kind === 'begins' && one.atMs + (kind.lastRunLagMs ?? 0) <= nowMs);
      const last = shown.at(-1);
      const lastRunAt = last && new Date(last.atMs + (kind.aheadMs ?? 0)).toISOString();
      return { lastRun: last?.campaignRunId, lastRunAt, runCount: shown.length };
    },
    /** The run as it reads, if the gateway has that. */
    read(id: string, nowMs: number): { readonly id: string; readonly status: string; readonly startAt: string } {
      passTo(nowMs);
      const { state, startsMs = own.atMs, isCancelled = false } = runOf(id);
      const status = state === 'over' ? (isCancelled ? 'cancelled' : 'complete') : shownState[state];
      return { id, status, startAt: new Date(startsMs + (kind.aheadMs ?? 0)).toISOString() };
    },
    /** A person ends a run at the gateway. */
    endByHand(id: string, nowMs: number): void {
      passTo(nowMs);
      end(id, runOf(id), nowMs, 'a person');
    },
    /** What a run is doing. */
    stateOf: (id: string) => runOf(id).state,
    /** Runs that are running. */
    running: () => [...runs].flatMap(([id, { state }]) => (state === 'running' ? [id] : [])),
  };
}

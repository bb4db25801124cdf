import type { WireAnswer, WireResult } from '#shared/gateway-client/transport/exchange.ts';
import type { Transport, WireRequest } from '#shared/gateway-client/transport/transport.ts';
import { jsonAnswer, reset, silence } from '../model/world/gateway-faults.ts';
import type { Environment } from '../model/world/virtual-function.ts';
import type { VirtualTime } from '../model/world/virtual-time.ts';

/** What the gateway does with one request; in each case `afterMs` later, if that is given. */
export type NightAnswer = {
  readonly kind:
    | 'ok'
    | 'applied, then reset'
    | 'applied, then silence'
    | 'applied, then 500'
    | 'reset, not applied'
    | 'reset, applied late'
    | 'other campaign'
    | number;
  /** Until the answer. @default 100 */
  readonly afterMs?: number;
};

/** One time that a run was running. */
export interface Stint {
  readonly campaignRunId: string;
  /** Id of the command whose request began it. */
  readonly by: string;
  readonly fromMs: number;
  endedMs?: number;
  /** Id of the command whose request stopped it. */
  endedBy?: string;
  /** Id of the start that began the run again while it was running. */
  overlappedBy?: string;
}

/** One PATCH as it came in. */
export interface SentPatch {
  readonly atMs: number;
  readonly campaignRunId: string;
  readonly status: string | undefined;
  /** Id of the command that it was sent for. */
  readonly by: string;
}

/** How a campaign tells of its runs. */
export interface CampaignShown {
  readonly id: string;
  /** @default 'number' */
  readonly runCount?: 'number' | 'digits' | 'absent';
  /** `instant`: RFC 3339. Any other text is shown as it is. @default 'instant' */
  readonly lastRunAt?: string;
  /** @default 'start' */
  readonly countsAt?: 'start' | 'end';
  /** Runs before this night. @default 7 */
  readonly runsBefore?: number;
}

const threeDaysMs = 3 * 24 * 3_600_000;
const otherCampaign = '018f0000-0000-7000-8000-00000000beef';
const answerMs = 100;
/** A server works on one request for a minute at most. */
const lateMs = 40_000;

/** The gateway of a night: it counts effects, and answers the next requests as a test orders. */
export function createNightGateway(
  time: VirtualTime,
  options: { readonly campaign: CampaignShown | undefined; readonly commandOf: (requestId: string) => string },
) {
  const { campaign, commandOf } = options;
  const stints: Stint[] = [];
  const patches: SentPatch[] = [];
  const orders: Record<'start' | 'stop' | 'read', NightAnswer[]> = { start: [], stop: [], read: [] };
  const outages: {
    readonly what: 'start' | 'stop' | 'read';
    readonly untilMs: number;
    readonly answer: NightAnswer;
  }[] = [];
  const refused = new Map<string, number>();
  let runs = campaign?.runsBefore ?? 7;
  let lastRunMs = time.nowMs() - threeDaysMs;

  const current = (campaignRunId: string) =>
    stints.findLast((stint) => stint.campaignRunId === campaignRunId && stint.endedMs === undefined);

  function count(when: 'start' | 'end'): void {
    if ((campaign?.countsAt ?? 'start') !== when) return;
    runs += 1;
    lastRunMs = time.nowMs();
  }

  function end(stint: Stint | undefined, { status, by }: Pick<SentPatch, 'status' | 'by'>): void {
    if (stint === undefined) return;
    stint.endedMs = time.nowMs();
    if (status === 'running') stint.overlappedBy = by;
    else stint.endedBy = by;
    count('end');
  }

  /** What a test ordered for a request, if anything. */
  function orderOf(what: 'start' | 'stop' | 'read'): NightAnswer | undefined {
    const outage = outages.find((one) => one.what === what && time.nowMs() < one.untilMs);
    return outage?.answer ?? orders[what].shift();
  }

  function change({ campaignRunId, status, by }: Omit<SentPatch, 'atMs'>): WireAnswer {
    if (status !== undefined) end(current(campaignRunId), { status, by });
    if (status === 'running') {
      stints.push({ campaignRunId, by, fromMs: time.nowMs() });
      count('start');
    }
    return jsonAnswer(200, { message: 'ok' });
  }

  function read(id: string): WireAnswer {
    const { runCount = 'number', lastRunAt = 'instant' } = campaign ?? {};
    const shown = {
      runCount: { number: runs, digits: String(runs), absent: undefined }[runCount],
      lastRunAt: { instant: new Date(lastRunMs).toISOString(), absent: undefined }[lastRunAt] ?? lastRunAt,
    };
    const isOther = id === otherCampaign;
    return jsonAnswer(200, { campaign: { id, ...(isOther ? { lastRunAt: '2026-11-10T22:00:00Z' } : shown) } });
  }

  function answered(order: NightAnswer, act: () => WireAnswer): WireResult {
    const { kind } = order;
    switch (kind) {
      case 'ok':
        return { answer: act() };
      case 'applied, then reset':
        act();
        return reset;
      case 'applied, then silence':
        act();
        return silence;
      case 'applied, then 500':
        act();
        return { answer: jsonAnswer(500, { message: 'internal error' }) };
      case 'reset, not applied':
        return reset;
      case 'reset, applied late':
        time.at(lateMs, () => void act());
        return reset;
      case 'other campaign':
        return { answer: read(otherCampaign) };
      default:
        return { answer: jsonAnswer(kind, { message: `refused with ${kind}` }) };
    }
  }

  /** An answer, and when it comes. */
  interface Handled {
    readonly result: WireResult;
    readonly afterMs: number;
  }

  function handle(request: WireRequest, from: string): Handled {
    const id = request.path.split('/').at(-1) ?? '';
    return request.method === 'GET' ? handleRead(id, from) : handleChange(id, request);
  }

  function handleRead(id: string, from: string): Handled {
    // The watcher reads for itself: what a test orders is for the worker.
    const isWorker = from.startsWith('update-campaign-runs');
    const order: NightAnswer = (isWorker ? orderOf('read') : undefined) ?? { kind: 'ok' };
    return { result: answered(order, () => read(id)), afterMs: order.afterMs ?? answerMs };
  }

  function handleChange(id: string, request: WireRequest): Handled {
    const { status }: { readonly status?: string } = JSON.parse(request.body?.toString('utf8') ?? '{}');
    const by = commandOf(headerOf(request, 'x-request-id'));
    patches.push({ atMs: time.nowMs(), campaignRunId: id, status, by });
    const ordered = orderOf(status === 'running' ? 'start' : 'stop');
    const order: NightAnswer = ordered ?? { kind: refused.get(id) ?? 'ok' };
    const result = answered(order, () => change({ campaignRunId: id, status, by }));
    const isSilent = order.kind === 'applied, then silence';
    return { result, afterMs: order.afterMs ?? (isSilent ? request.limits.totalMs : answerMs) };
  }

  return {
    /** Each time that a run was running, in the order in which they began. */
    stints: stints as readonly Readonly<Stint>[],
    /** Every PATCH. */
    patches: patches as readonly SentPatch[],
    /** Ids of the runs that are running. */
    running: () => stints.filter(({ endedMs }) => endedMs === undefined).map(({ campaignRunId }) => campaignRunId),
    /** What the next requests of a kind get; a read is one by the worker, not by the watcher. */
    answer: (what: 'start' | 'stop' | 'read', ...answers: readonly NightAnswer[]) => void orders[what].push(...answers),
    /** What all requests of a kind get until then. */
    answerUntil: (instant: string, what: 'start' | 'stop' | 'read', answer: NightAnswer) =>
      void outages.push({ what, untilMs: Date.parse(instant), answer }),
    /** Every PATCH of a run is refused with this status. */
    refuse: (campaignRunId: string, status: number) => void refused.set(campaignRunId, status),

    /** The wire of one process. */
    transportOf: (environment: Environment): Transport => ({
      async send(request) {
        const { result, afterMs } = await environment.effect(1, () => handle(request, environment.id));
        await environment.wait(afterMs);
        return result;
      },
      close: async () => {},
    }),
  };
}

/** The gateway of a night. */
export type NightGateway = ReturnType<typeof createNightGateway>;

function headerOf({ headers }: WireRequest, name: string): string {
  return headers[headers.indexOf(name) + 1] ?? '';
}

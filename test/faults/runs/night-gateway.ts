import type { Transport, WireRequest, WireResult } from '#shared/gateway-client/transport/transport.ts';
import { createRunModel, type GatewayKind } from '../../builders/run-model.ts';
import {
  complaintOf,
  jsonAnswer,
  refused,
  reset,
  runAnswer,
  silence,
  type WireAnswer,
} from '../model/world/gateway-faults.ts';
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
    | 'silence'
    | 'reset, applied late'
    | 'no connection'
    | 'other campaign'
    | number;
  /** Until the answer. @default 100 */
  readonly afterMs?: number;
  /** The field that a refusal is about. @default none */
  readonly field?: string;
};

/** What a request is for. */
export type Asked = 'start' | 'stop' | 'read';

/** One time that a run was running. */
export interface Stint {
  readonly campaignRunId: string;
  /** Id of the command whose request began it. */
  readonly by: string;
  readonly fromMs: number;
  readonly endedMs?: number;
  /** Id of the command whose request stopped it. */
  readonly endedBy?: string;
}

/** One PATCH as it came in. */
interface SentPatch {
  readonly atMs: number;
  readonly campaignRunId: string;
  readonly asks: 'start' | 'stop';
  /** Id of the command that it was sent for. */
  readonly by: string;
  /** Its idempotency key, if it has one. */
  readonly key: string | undefined;
}

/** How a campaign tells of its runs. */
export interface CampaignShown {
  readonly id: string;
  /** @default 'number' */
  readonly runCount?: 'number' | 'digits' | 'absent';
  /** `instant`: RFC 3339. Any other text is shown as it is. @default 'instant' */
  readonly lastRunAt?: string;
  /** @default 'shown' */
  readonly lastRun?: 'shown' | 'absent';
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
  options: {
    readonly kind: GatewayKind;
    readonly campaign: CampaignShown | undefined;
    readonly commandOf: (requestId: string) => string;
  },
) {
  const { kind, campaign, commandOf } = options;
  const firstMs = time.nowMs();
  const model = createRunModel(kind, firstMs);
  const patches: SentPatch[] = [];
  const orders: Record<Asked, NightAnswer[]> = { start: [], stop: [], read: [] };
  const outages: { readonly what: Asked; readonly untilMs: number; readonly answer: NightAnswer }[] = [];
  const refusals = new Map<string, NightAnswer>();
  let heard: ((what: Asked) => void) | undefined;

  function stints(): readonly Stint[] {
    model.passTo(time.nowMs());
    const { effects } = model;
    return effects.flatMap((begun, position): readonly Stint[] => {
      if (begun.kind !== 'begins') return [];
      const { campaignRunId, by = '', atMs: fromMs } = begun;
      const end = effects.slice(position + 1).find((one) => one.kind === 'ends' && one.campaignRunId === campaignRunId);
      return [{ campaignRunId, by, fromMs, endedMs: end?.atMs, endedBy: end?.by }];
    });
  }

  /** What a test ordered for a request, if anything. */
  function orderOf(what: Asked): NightAnswer | undefined {
    const outage = outages.find((one) => one.what === what && time.nowMs() < one.untilMs);
    return outage?.answer ?? orders[what].shift();
  }

  function read(id: string): WireAnswer {
    const { runCount = 'number', lastRunAt = 'instant', lastRun = 'shown', runsBefore = 7 } = campaign ?? {};
    const now = model.campaign(time.nowMs());
    const runs = runsBefore + now.runCount;
    const lastAt = now.lastRunAt ?? new Date(firstMs - threeDaysMs).toISOString();
    const shown = {
      runCount: { number: runs, digits: String(runs), absent: undefined }[runCount],
      lastRunAt: lastRunAt === 'absent' ? undefined : lastRunAt === 'instant' ? lastAt : lastRunAt,
      lastRun: lastRun === 'shown' ? now.lastRun : undefined,
    };
    const isOther = id === otherCampaign;
    return jsonAnswer(200, { campaign: { id, ...(isOther ? { lastRunAt: '2026-11-10T22:00:00Z' } : shown) } });
  }

  function answered(order: NightAnswer, act: () => WireAnswer): WireResult {
    const { field } = order;
    switch (order.kind) {
      case 'ok':
        return act();
      case 'applied, then reset':
        act();
        return reset;
      case 'applied, then silence':
        act();
        return silence;
      case 'applied, then 500':
        act();
        return jsonAnswer(500, { message: 'internal error' });
      case 'reset, not applied':
        return reset;
      case 'silence':
        return silence;
      case 'reset, applied late':
        time.at(lateMs, () => void act());
        return reset;
      case 'no connection':
        return refused;
      case 'other campaign':
        return read(otherCampaign);
      default: {
        const text = `refused with ${order.kind}`;
        return jsonAnswer(order.kind, complaintOf(text, field === undefined ? [] : [`body.${field}`]));
      }
    }
  }

  /** An answer, and when it comes. */
  interface Handled {
    readonly result: WireResult;
    readonly afterMs: number;
  }

  function handle(request: WireRequest, from: string): Handled {
    const id = request.path.split('/').at(-1) ?? '';
    return request.method === 'GET' ? handleRead(id, request, from) : handleChange(id, request);
  }

  function handleRead(id: string, request: WireRequest, from: string): Handled {
    // The watcher reads for itself: what a test orders is for the worker.
    const isWorker = from.startsWith('update-campaign-runs');
    if (isWorker) heard?.('read');
    const order: NightAnswer = (isWorker ? orderOf('read') : undefined) ?? { kind: 'ok' };
    return { result: answered(order, () => read(id)), afterMs: order.afterMs ?? waitOf(order, request) };
  }

  function handleChange(campaignRunId: string, request: WireRequest): Handled {
    const { status, startAt }: { readonly status?: string; readonly startAt?: string } = JSON.parse(
      request.body?.toString('utf8') ?? '{}',
    );
    const by = commandOf(headerOf(request, 'x-request-id'));
    const asks = status === 'cancelled' ? 'stop' : 'start';
    heard?.(asks);
    patches.push({ atMs: time.nowMs(), campaignRunId, asks, by, key: keyOf(request) });
    const order: NightAnswer = orderOf(asks) ?? refusals.get(campaignRunId) ?? { kind: 'ok' };
    const act = () => {
      const gatewayMs = time.nowMs() + (kind.aheadMs ?? 0);
      return runAnswer(model.take({ campaignRunId, status, startAt }, by, time.nowMs()), gatewayMs);
    };
    const result = answered(order, act);
    return { result, afterMs: order.afterMs ?? waitOf(order, request) };
  }

  return {
    /** Each time that a run was running, in the order in which they began. */
    stints,
    /** Every PATCH. */
    patches: patches as readonly SentPatch[],
    /** Ids of the runs that are running. */
    running(): readonly string[] {
      model.passTo(time.nowMs());
      return model.running();
    },
    /** A person cancels a run there. */
    cancelByHand: (campaignRunId: string) =>
      void model.take({ campaignRunId, status: 'cancelled' }, 'a person', time.nowMs()),
    /** A person begins a run there. */
    beginByHand: (campaignRunId: string) => model.beginByHand(campaignRunId, time.nowMs()),
    /** Tells of each request of the worker as it arrives. */
    onRequest: (listener: (what: Asked) => void) => void (heard = listener),
    /** What the next requests of a kind get; a read is one by the worker, not by the watcher. */
    answer: (what: Asked, ...answers: readonly NightAnswer[]) => void orders[what].push(...answers),
    /** What all requests of a kind get until then. */
    answerUntil: (instant: string, what: Asked, answer: NightAnswer) =>
      void outages.push({ what, untilMs: Date.parse(instant), answer }),
    /** Every PATCH of a run is answered so. */
    refuse: (campaignRunId: string, answer: NightAnswer) => void refusals.set(campaignRunId, answer),

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

/** A caller that gets no answer waits until its own deadline. */
function waitOf({ kind }: NightAnswer, { totalMs }: WireRequest): number {
  return kind.toString().endsWith('silence') ? totalMs : answerMs;
}

/** A gateway that remembers answers would answer a second request of one key without doing it. */
function keyOf({ headers }: WireRequest): string | undefined {
  return headers['idempotency-key'];
}

function headerOf({ headers }: WireRequest, name: string): string {
  return headers[name] ?? '';
}

import type { Transport, WireRequest, WireResult } from '#shared/gateway-client/transport/transport.ts';
import { createRunModel, type GatewayKind, type RunEffect } from '../../../builders/run-model.ts';
import {
  complaintOf,
  type GatewayFault,
  gatewayFaults,
  type GatewayFaultName,
  jsonAnswer,
  pageAnswer,
  refused,
  reset,
  runAnswer,
  silence,
  truncated,
  type WireAnswer,
} from './gateway-faults.ts';
import type { Environment } from './virtual-function.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What a request is for: faults are ordered by it. A `read` is one by the worker: the watcher reads for itself. */
export type Asked = WireRequest['method'] | 'start' | 'stop' | 'read' | 'anything';

/** What one request meets. */
export interface Order {
  /** @default none */
  readonly fault?: GatewayFaultName | GatewayFault;
  /** Until the answer. @default as any other */
  readonly afterMs?: number;
}

/** One request as it left a worker. */
interface SentRequest {
  readonly atMs: number;
  readonly from: string;
  readonly method: WireRequest['method'];
  readonly path: string;
  readonly requestId: string;
  /** The command that it is for. */
  readonly by: string;
  /** Of a PATCH. */
  readonly asks: 'start' | 'stop' | undefined;
  /** What the client allows for the exchange, and what the platform leaves of the invocation. */
  readonly totalMs: number;
  readonly remainingMs: number;
}

/** What differs from one gateway to the next. */
export interface GatewayOptions {
  readonly kind: GatewayKind;
  /** The command of an attempt: effects are told by it. */
  readonly commandOf: (requestId: string) => string;
  /** Whether the campaign that is read shows this run. @default it shows each */
  readonly isShown?: (campaignRunId: string) => boolean;
  /** How long a request takes to come, and an answer. @default drawn */
  readonly latencyMs?: readonly [to: number, back: number];
  /** How much later a late effect comes. @default drawn, within the minute that a server works on one request */
  readonly lateMs?: number;
  /** Beyond it 429: as many at once as fit into one second, then one at a time. @default any number */
  readonly requestsPerSecond?: number;
}

/** How long after it was sent a request may still take effect: what a server works on one request at most. */
const longestZombieMs = 60_000;

interface Outage {
  readonly fault: GatewayFaultName;
  readonly untilMs: number;
  readonly what: Asked;
}

/** The status codes by which a refusal may say that a run is not going. */
const saysNotGoing: ReadonlySet<number> = new Set([409, 422]);

/**
 * The gateway as the client's transport sees it: runs whose log of effects no product code
 * can influence, datasets that are counted, and faults on order.
 */
export function createGatewayModel(time: VirtualTime, options: GatewayOptions) {
  const { kind, commandOf, isShown = () => true, latencyMs, lateMs, requestsPerSecond = Infinity } = options;
  const admits = rateLimit(requestsPerSecond, time);
  const counts = { refused: 0, lastDoneMs: time.nowMs() };
  const datasets: { readonly id: string; readonly key: string; readonly atMs: number }[] = [];
  const requests: SentRequest[] = [];
  const tokens = new Set<string>();
  // The campaign that is read shows its own runs alone.
  const shown = createRunModel(kind, time.nowMs());
  const others = createRunModel(kind, time.nowMs());
  const modelOf = (id: string) => (isShown(id) ? shown : others);
  const liedAbout = new Set<string>();
  let next: { readonly what: Asked; readonly order: Order }[] = [];
  let outages: Outage[] = [];
  let heard: ((asks: SentRequest['asks']) => void) | undefined;

  function orderFor(request: WireRequest, from: string): Order {
    const isFor = ({ what }: { readonly what: Asked }) => concerns(what, request, from);
    const index = next.findIndex(isFor);
    const [ordered] = index < 0 ? [] : next.splice(index, 1);
    return ordered?.order ?? outages.findLast((one) => time.nowMs() < one.untilMs && isFor(one)) ?? {};
  }

  /** Does what a request asks for. */
  function apply(request: WireRequest): WireAnswer {
    counts.lastDoneMs = time.nowMs();
    const id = request.path.split('/').at(-1) ?? '';
    if (request.method === 'POST') return createDataset(headerOf(request, 'idempotency-key'));
    if (request.method === 'PATCH') return changeRun(id, request);
    if (request.path.includes('/campaigns/')) {
      return jsonAnswer(200, { campaign: { id, name: 'chat-bot', ...shown.campaign(time.nowMs()) } });
    }
    if (request.path.includes('/campaign-runs/')) {
      return jsonAnswer(200, { campaignRun: modelOf(id).read(id, time.nowMs()) });
    }
    return jsonAnswer(200, { packages: [], next: null, prev: null });
  }

  function createDataset(key: string): WireAnswer {
    const id = `dataset-${datasets.length + 1}`;
    datasets.push({ id, key, atMs: time.nowMs() });
    return jsonAnswer(201, { id });
  }

  function changeRun(campaignRunId: string, request: WireRequest): WireAnswer {
    const { status, startAt } = bodyOf(request);
    const by = commandOf(headerOf(request, 'x-request-id'));
    const answer = modelOf(campaignRunId).take({ campaignRunId, status, startAt }, by, time.nowMs());
    return runAnswer(answer, time.nowMs() + (kind.aheadMs ?? 0));
  }

  /** The gateway says of a run what is not so. */
  function noteLie(fault: GatewayFault, { method, path }: WireRequest): void {
    const { reply } = fault;
    if (method !== 'PATCH' || reply.kind !== 'status' || reply.field !== undefined) return;
    if (!saysNotGoing.has(reply.status)) return;
    liedAbout.add(path.split('/').at(-1) ?? '');
  }

  /** What reaches the gateway: whether it is done, and what the client sees, after how long. */
  function handle(request: WireRequest, from: string): { readonly result: WireResult; readonly afterMs: number } {
    heard?.(asksOf(request));
    const order = orderFor(request, from);
    const { afterMs = latencyMs?.[1] ?? time.between(20, 200) } = order;
    const fault = typeof order.fault === 'string' ? gatewayFaults[order.fault] : order.fault;
    const result = answerTo(request, fault);
    return { result, afterMs: result === silence ? request.totalMs : afterMs };
  }

  function answerTo(request: WireRequest, fault: GatewayFault | undefined): WireResult {
    if (fault?.reply.kind === 'refused') return refused;
    if (!tokens.has(headerOf(request, 'authorization').replace('Bearer ', ''))) {
      return jsonAnswer(401, { message: complaint(request) });
    }
    if (!admits()) {
      counts.refused += 1;
      return jsonAnswer(429, { message: 'too many' }, { 'retry-after': '1' });
    }
    if (fault === undefined) return apply(request);
    noteLie(fault, request);
    const answer = fault.applies === 'now' ? apply(request) : undefined;
    if (fault.applies === 'late') time.at(lateMs ?? time.between(0, longestZombieMs), () => apply(request));
    return fault.reply.kind === 'silence' ? silence : replyOf(fault.reply, request, answer);
  }

  return {
    datasets,
    requests,
    tokens,
    /** Requests beyond the rate, and when the last one was done. */
    counts: counts as Readonly<typeof counts>,
    /** What took effect on runs until then, in order; each by the id of a request. */
    effects(untilMs = time.nowMs()): readonly RunEffect[] {
      shown.passTo(untilMs);
      others.passTo(untilMs);
      return [...shown.effects, ...others.effects].toSorted((a, b) => a.atMs - b.atMs);
    },
    /** Ids of the runs that are running now. */
    running(): readonly string[] {
      shown.passTo(time.nowMs());
      others.passTo(time.nowMs());
      return [...shown.running(), ...others.running()];
    },
    /** Runs of which a refusal said that they are not going, whether they were or not. */
    liedAbout: liedAbout as ReadonlySet<string>,
    /** Tells of each request as it arrives. */
    onRequest: (listener: typeof heard) => void (heard = listener),
    /** What the next requests of a kind meet, one each. */
    fail: (what: Asked, ...orders: readonly Order[]) => void next.push(...orders.map((order) => ({ what, order }))),
    /** Everything fails so for a while, or the requests of one kind. */
    breakFor: (fault: GatewayFaultName, ms: number, what: Asked = 'anything') =>
      void outages.push({ fault, untilMs: time.nowMs() + ms, what }),
    heal: () => {
      next = [];
      outages = [];
    },

    /** The wire of one process. */
    transportOf: (environment: Environment): Transport => ({
      async send(request) {
        const { id: from, remainingMs } = environment;
        const { method, totalMs } = request;
        const requestId = headerOf(request, 'x-request-id');
        requests.push({
          atMs: time.nowMs(),
          from,
          method,
          path: request.path,
          requestId,
          by: commandOf(requestId),
          asks: asksOf(request),
          totalMs,
          remainingMs: remainingMs(),
        });
        const toMs = latencyMs?.[0] ?? time.between(20, 200);
        const { result, afterMs } = await environment.effect(toMs, () => handle(request, from));
        await environment.wait(afterMs);
        return result;
      },
      close: async () => {},
    }),
  };
}

/** The gateway of a simulation. */
export type GatewayModel = ReturnType<typeof createGatewayModel>;

/** A bucket of tokens, which one second fills. */
function rateLimit(requestsPerSecond: number, { nowMs }: VirtualTime): () => boolean {
  const most = Math.max(1, requestsPerSecond);
  let [left, filledAt] = [most, nowMs()];
  return () => {
    if (most === Infinity) return true;
    left = Math.min(most, left + ((nowMs() - filledAt) * requestsPerSecond) / 1000);
    filledAt = nowMs();
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}

function replyOf(reply: GatewayFault['reply'], request: WireRequest, answer: WireAnswer | undefined): WireResult {
  switch (reply.kind) {
    case 'truncated':
      // A refusal that is cut is a refusal all the same: its row of the table says nothing of its
      // body.
      return answer !== undefined && answer.status < 300 ? truncated(answer) : (answer ?? jsonAnswer(200, {}));
    case 'body':
      return jsonAnswer(200, reply.body);
    case 'page':
      return pageAnswer(reply.status);
    case 'status': {
      const fields = reply.field === undefined ? [] : [`body.${reply.field}`];
      const location = reply.status === 302 ? 'https://elsewhere.example.com/' : undefined;
      const headers = { 'retry-after': reply.retryAfter, location };
      return jsonAnswer(reply.status, complaintOf(complaint(request), fields), headers);
    }
    default:
      return reset;
  }
}

function asksOf(request: WireRequest): SentRequest['asks'] {
  const { status, startAt } = request.method === 'PATCH' ? bodyOf(request) : {};
  if (status === 'cancelled') return 'stop';
  return status === 'running' || startAt !== undefined ? 'start' : undefined;
}

function concerns(what: Asked, request: WireRequest, from: string): boolean {
  if (what === 'anything' || what === request.method || what === asksOf(request)) return true;
  return what === 'read' && request.method === 'GET' && from.startsWith('update-campaign-runs');
}

/** A gateway that quotes the token at us: the client must not hand that on. */
function complaint(request: WireRequest): string {
  return `this is what you sent: ${headerOf(request, 'authorization')}`;
}

function headerOf({ headers }: WireRequest, name: string): string {
  return headers[name] ?? '';
}

function bodyOf({ body }: WireRequest): Partial<Record<string, string>> {
  const parsed: Partial<Record<string, string>> = JSON.parse(String(body ?? '{}'));
  return parsed;
}

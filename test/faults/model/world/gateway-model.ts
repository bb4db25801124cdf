import type { Transport, WireRequest, WireResult } from '#shared/gateway-client/transport/transport.ts';
import { createRunModel, type RunEffect } from '../../../builders/run-model.ts';
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
import { type GatewayName, gateways, readableRuns } from '../stage-config.ts';
import type { Environment } from './virtual-function.ts';
import type { VirtualTime } from './virtual-time.ts';

/** One request as it left a worker. */
interface SentRequest {
  readonly atMs: number;
  readonly from: string;
  readonly method: WireRequest['method'];
  readonly path: string;
  readonly requestId: string;
  /** What the client allows for the exchange, and what the platform leaves of the invocation. */
  readonly totalMs: number;
  readonly remainingMs: number;
}

/**
 * How long after it was sent a request may still take effect: what a server works on one request at
 * most.
 */
const longestZombieMs = 60_000;

interface Outage {
  readonly fault: GatewayFaultName;
  readonly untilMs: number;
  readonly concerns: (request: WireRequest) => boolean;
}

/** The status codes by which a refusal may say that a run is not going. */
const saysNotGoing: ReadonlySet<number> = new Set([409, 422]);

/**
 * The gateway as the client's transport sees it: runs whose log of effects no product code
 * can influence, datasets that are counted, and faults on order.
 */
export function createGatewayModel(time: VirtualTime, options: { readonly gateway: GatewayName }) {
  const { kind } = gateways[options.gateway];
  const datasets: { readonly id: string; readonly key: string; readonly atMs: number }[] = [];
  const requests: SentRequest[] = [];
  const tokens = new Set<string>();
  // The campaign that is read shows its own runs alone.
  const shown = createRunModel(kind, time.nowMs());
  const others = createRunModel(kind, time.nowMs());
  const modelOf = (id: string) => (readableRuns.has(id) ? shown : others);
  const liedAbout = new Set<string>();
  let next: { readonly method: WireRequest['method']; readonly fault: GatewayFaultName }[] = [];
  let outage: Outage | undefined;

  function takeFault(request: WireRequest): GatewayFault | undefined {
    const isOut = outage !== undefined && time.nowMs() < outage.untilMs && outage.concerns(request);
    const index = next.findIndex(({ method }) => method === request.method);
    const [ordered] = index < 0 ? [] : next.splice(index, 1);
    const name = ordered?.fault ?? (isOut ? outage?.fault : undefined);
    return name === undefined ? undefined : gatewayFaults[name];
  }

  /** Does what a request asks for. */
  function apply(request: WireRequest): WireAnswer {
    const id = request.path.split('/').at(-1) ?? '';
    if (request.method === 'POST') return createDataset(headerOf(request, 'idempotency-key'));
    if (request.method === 'PATCH') return changeRun(id, request);
    if (request.path.includes('/campaigns/')) {
      return jsonAnswer(200, { campaign: { id, name: 'chat-bot', ...shown.campaign(time.nowMs()) } });
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
    const by = headerOf(request, 'x-request-id');
    const answer = modelOf(campaignRunId).take({ campaignRunId, status, startAt }, by, time.nowMs());
    return runAnswer(answer, time.nowMs());
  }

  /** The gateway says of a run what is not so. */
  function noteLie(fault: GatewayFault, { method, path }: WireRequest): void {
    const { reply } = fault;
    if (method !== 'PATCH' || reply.kind !== 'status' || reply.field !== undefined) return;
    if (!saysNotGoing.has(reply.status)) return;
    liedAbout.add(path.split('/').at(-1) ?? '');
  }

  /** What reaches the gateway: whether it is done, and what the client sees, after how long. */
  function handle(request: WireRequest): { readonly result: WireResult; readonly afterMs: number } {
    const fault = takeFault(request);
    const soon = time.between(20, 200);
    if (fault?.reply.kind === 'refused') return { result: refused, afterMs: soon };
    if (!tokens.has(headerOf(request, 'authorization').replace('Bearer ', ''))) {
      return { result: jsonAnswer(401, { message: complaint(request) }), afterMs: soon };
    }
    if (fault === undefined) return { result: apply(request), afterMs: soon };
    noteLie(fault, request);
    const answer = fault.applies === 'now' ? apply(request) : undefined;
    if (fault.applies === 'late') time.at(time.between(0, longestZombieMs), () => apply(request));
    if (fault.reply.kind === 'silence') return { result: silence, afterMs: request.totalMs };
    return { result: replyOf(fault, request, answer), afterMs: soon };
  }

  return {
    datasets,
    requests,
    tokens,
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
    /** The next requests of a method fail so. */
    fail: (method: WireRequest['method'], fault: GatewayFaultName, calls: number) => {
      next.push(...Array.from({ length: calls }, () => ({ method, fault })));
    },
    /** Everything fails so for a while, or the starts of runs alone. */
    breakFor: (fault: GatewayFaultName, ms: number, what: 'everything' | 'starts' = 'everything') => {
      const concerns = (request: WireRequest) => what === 'everything' || isStart(request);
      outage = { fault, untilMs: time.nowMs() + ms, concerns };
    },
    heal: () => {
      next = [];
      outage = undefined;
    },

    /** The wire of one process. */
    transportOf: (environment: Environment): Transport => ({
      async send(request) {
        const { id: from, remainingMs } = environment;
        const { method, totalMs } = request;
        const requestId = headerOf(request, 'x-request-id');
        const sent = {
          atMs: time.nowMs(),
          from,
          method,
          path: request.path,
          requestId,
          totalMs,
          remainingMs: remainingMs(),
        };
        requests.push(sent);
        const { result, afterMs } = await environment.effect(time.between(20, 200), () => handle(request));
        await environment.wait(afterMs);
        return result;
      },
      close: async () => {},
    }),
  };
}

/** The gateway of a simulation. */
export type GatewayModel = ReturnType<typeof createGatewayModel>;

function replyOf(fault: GatewayFault, request: WireRequest, answer: WireAnswer | undefined): WireResult {
  const { reply } = fault;
  switch (reply.kind) {
    case 'truncated':
      // A refusal that is cut is a refusal all the same: its row of the table says nothing of its
      // body.
      return answer !== undefined && answer.status < 300 ? truncated(answer) : (answer ?? jsonAnswer(200, {}));
    case 'page':
      return pageAnswer(reply.status);
    case 'status':
      return jsonAnswer(
        reply.status,
        complaintOf(complaint(request), reply.field === undefined ? [] : [`body.${reply.field}`]),
        {
          'retry-after': reply.retryAfter,
          location: reply.status === 302 ? 'https://elsewhere.example.com/' : undefined,
        },
      );
    case 'refused':
    case 'reset':
    case 'silence':
      return reset;
  }
}

function isStart(request: WireRequest): boolean {
  const { status, startAt } = request.method === 'PATCH' ? bodyOf(request) : {};
  return status === 'running' || startAt !== undefined;
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

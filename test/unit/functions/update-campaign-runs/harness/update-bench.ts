import { BadStatusError, ConnectionLostError, NotSentError } from '#shared/gateway-client/index.ts';
import type { UpdateCampaignRunInput } from '#shared/gateway-client/index.ts';
import type { ConfigPart, ResolvedGuards, ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import type { ResolvedBlackout } from '#shared/schedule/blackouts.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { answerPlan } from '#functions/answer-questions/plan.ts';
import { createSlotQueue } from '#functions/_gateway/rate-limiter.ts';
import type { Gate } from '#functions/_gateway/gate.ts';
import type { Log } from '#functions/_handler/output.ts';
import { commandsOfMode, ledgerOfMode, type RecordResult } from '#functions/_handler/observe.ts';
import type { QueueRecord } from '#functions/_handler/queue-worker.ts';
import type { RunCommandDeps } from '#functions/_runs/decide/state.ts';
import { handleCommand } from '#functions/_runs/handle-command.ts';
import {
  type GatewayCallDeps,
  createGatewayCalls,
  observedGateway,
} from '#functions/update-campaign-runs/send-patch.ts';
import { expectDocumented } from '../../../../builders/documented-event.ts';

export const nightlyIds = ['018f0000-0000-7000-8000-000000000001', '018f0000-0000-7000-8000-000000000002'] as const;
export const smokeId = '018f0000-0000-7000-8000-0000000000aa';
export const campaignId = '018f0000-0000-7000-8000-00000000c0de';
/** The nightly run, with the gateway's project. */
export const nightlyOfProject: ResolvedRun = {
  name: 'nightly',
  campaign: 'chat-bot',
  campaignId,
  project: 'chat-app',
  pool: { kind: 'list', campaignRunIds: nightlyIds },
  guards: { target: 'chat-bot', overlap: 'skip', longestRun: 'PT8H' },
};
export const tenOClock = Date.parse('2026-11-20T22:00:00Z');

/** A campaign whose count of runs proves a start, and its absence. */
export const proving = { campaignId, confirm: { by: 'runCount', within: 'PT30M' } } as const;

/** After this much no clock says any more that a request without an answer may still land. */
export const surelyLandedMs = 361_000;

/** What the gateway does with the next PATCH. */
export type Answer =
  | 'ok'
  | 'not-sent'
  | 'applied-then-lost'
  | 'lost'
  /** No answer, and the effect so much later. */
  | { lateMs: number }
  | { status: number; text: string; retryAfterMs?: number };

/** How one delivery differs from a first one to a worker whose clock is right. */
export interface Delivery {
  readonly ledger?: Ledger;
  /** @default the bench's own table */
  readonly acting?: RunCommandDeps['acting'];
  readonly gateway?: GatewayCallDeps['gateway'];
  readonly bus?: RunCommandDeps['bus'];
  readonly receiveCount?: number;
  /** @default now */
  readonly sentAt?: Date;
  /** @default one that keeps nothing */
  readonly log?: Log;
  /** By how much this worker's clock is fast. */
  readonly skewMs?: number;
  readonly remainingMs?: () => number;
}

/** The worker with a ledger in memory, a gateway that counts effects, and a clock that tests move. */
export function createUpdateBench(
  options: ConfigOptions & {
    /** @default 'act' */
    mode?: 'act' | 'observe';
    blackouts?: readonly ResolvedBlackout[];
    runs?: Record<string, ResolvedRun>;
    campaignAnswers?: Answer[];
    /** @default the bench's own, which `answerWith` tells what to do */
    gateway?: GatewayCallDeps['gateway'];
    rateLimiter?: RunCommandDeps['rateLimiter'];
  } = {},
) {
  const {
    mode = 'act',
    blackouts = [],
    runs: _runs,
    campaignAnswers,
    gateway: given,
    rateLimiter,
    ...configured
  } = options;
  const table = createMemoryLedger();
  const ledger = { ...ledgerOfMode(mode, table), all: table.all };
  const patches: UpdateCampaignRunInput[] = [];
  const transitions: string[] = [];
  const effects: UpdateCampaignRunInput[] = [];
  const events: { type: string; detail: Record<string, unknown> }[] = [];
  const statuses = new Map<string, string>();
  const told: string[] = [];
  const counted: string[] = [];
  const sent: CampaignRunCommand[] = [];
  const landing: { atMs: number; input: UpdateCampaignRunInput }[] = [];
  let answers: Answer[] = [];
  let runCount = 7;
  let { runs } = options;
  let nowMs = tenOClock;
  let gateUntilMs = 0;
  let lastRunAt: string | undefined;
  let deliveries = 0;

  function apply(input: UpdateCampaignRunInput): void {
    if (input.status === undefined || statuses.get(input.campaignRunId) === input.status) return;
    statuses.set(input.campaignRunId, input.status);
    transitions.push(`${input.campaignRunId.slice(-2)}:${input.status}`);
    effects.push(input);
    if (input.status === 'running') hasRun();
  }

  function hasRun(): void {
    runCount += 1;
    lastRunAt = new Date(nowMs).toISOString();
  }

  const gateway: GatewayCallDeps['gateway'] = {
    async updateCampaignRun(input) {
      patches.push(input);
      const answer = answers.shift() ?? 'ok';
      if (answer === 'not-sent') throw new NotSentError('PATCH');
      if (answer === 'lost') throw new ConnectionLostError('PATCH', undefined);
      if (typeof answer === 'object' && 'status' in answer) throw badStatus(answer);
      if (typeof answer === 'object') {
        landing.push({ atMs: nowMs + answer.lateMs, input });
        throw new ConnectionLostError('PATCH', undefined);
      }
      apply(input);
      if (answer === 'applied-then-lost') throw new ConnectionLostError('PATCH', undefined);
      return { message: 'ok' };
    },
    async getCampaign() {
      const answer = campaignAnswers?.shift() ?? 'ok';
      if (answer === 'not-sent') throw new NotSentError('GET');
      if (typeof answer === 'object' && 'status' in answer) throw badStatus(answer);
      return { campaign: { id: campaignId, runCount, lastRunAt } };
    },
  };

  const gateReasons: string[] = [];
  const gate: Gate = {
    waitMs: async () => Math.max(0, gateUntilMs - nowMs),
    async failed(_verdict, about, why) {
      told.push(`failed ${about}`);
      gateReasons.push(why);
    },
    answered: async () => void told.push('answered'),
  };

  const config = () => ({ ...configWith(configured), mode, blackouts, ...(runs === undefined ? {} : { runs }) });

  async function deliver(command: CampaignRunCommand | string, delivery: Delivery = {}): Promise<RecordResult> {
    deliveries += 1;
    const attempt = deliveries;
    const now = () => new Date(nowMs + (delivery.skewMs ?? 0));
    const record = recordOf(command, delivery, { messageId: `m${attempt}`, at: new Date(nowMs) });
    const context = {
      log: delivery.log ?? quietLog,
      now,
      remainingMs: delivery.remainingMs ?? (() => 30_000),
      attemptId: `attempt-${attempt}`,
    };
    const callBudgetMs = 14_000;
    const called = delivery.gateway ?? given ?? (mode === 'act' ? gateway : observedGateway(gateway));
    return handleCommand(record, context, {
      ledger: delivery.ledger ?? ledger,
      acting: delivery.acting ?? table,
      bus: delivery.bus ?? {
        async publish(type, detail) {
          expectDocumented(type, detail);
          events.push({ type, detail });
        },
      },
      commands: commandsOfMode(mode, { send: async (body) => void sent.push(JSON.parse(body)) }),
      calls: createGatewayCalls({ gateway: called, gate, callBudgetMs, config: config() }),
      gate,
      rateLimiter: rateLimiter ?? freeSlots,
      slotQueue: createSlotQueue(4000, () => nowMs),
      callBudgetMs,
      config: config(),
      random: () => 0.5,
      count: (name) => void counted.push(name),
    });
  }

  return {
    ledger,
    /** The rows of both modes, under the keys that they have there. */
    table,
    gateway,
    patches,
    transitions,
    /** The requests that made them. */
    effects,
    events,
    statuses,
    /** The metrics that were counted. */
    counted,
    /** What the gate was told. */
    told,
    /** Why, of each call that failed. */
    gateReasons,
    /** What the worker sent to its own queue. */
    sent,
    deliver,
    /** What `autopilot plan` is told about these commands. */
    preview: async (commands: readonly CampaignRunCommand[], until: Date, remainingMs = () => 60_000) =>
      answerPlan(
        { ask: 'preview', commands, until: until.toISOString() },
        {
          ledger,
          acting: table,
          gateway,
          gate,
          rateLimiter: freeSlots,
          callBudgetMs: 14_000,
          config: config(),
          now: () => new Date(nowMs),
          remainingMs,
        },
      ),
    answerWith: (...next: readonly Answer[]) => {
      answers = [...next];
    },
    /** A deployment of another configuration. */
    deployRuns: (next: Record<string, ResolvedRun>) => {
      runs = next;
    },
    startByHand: hasRun,
    changeByHand: (campaignRunId: string, status: string) => {
      statuses.set(campaignRunId, status);
    },
    closeGateFor: (ms: number) => {
      gateUntilMs = nowMs + ms;
    },
    passMs: (ms: number) => {
      nowMs += ms;
      for (const late of landing.splice(0).toSorted((a, b) => a.atMs - b.atMs)) {
        if (late.atMs <= nowMs) apply(late.input);
        else landing.push(late);
      }
    },
    now: () => new Date(nowMs),
  };
}

function recordOf(
  command: CampaignRunCommand | string,
  { receiveCount = 1, sentAt }: Delivery,
  { messageId, at }: { readonly messageId: string; readonly at: Date },
): QueueRecord {
  const body = typeof command === 'string' ? command : JSON.stringify(command);
  const queueArn = 'arn:aws:sqs:eu-west-1:000000000000:commands';
  return { messageId, body, receiveCount, sentAt: sentAt ?? at, queueArn };
}

const freeSlots = { waitMs: () => 0, take: () => undefined };

const quietLog = { debug() {}, info() {}, warn() {}, error() {} };

function badStatus({
  status,
  text,
  retryAfterMs,
}: {
  status: number;
  text: string;
  retryAfterMs?: number;
}): BadStatusError {
  const details = { text, fields: [] };
  return new BadStatusError('PATCH', {
    status,
    details,
    namesResource: true,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** What the campaign of the bench says of its starts, every setting of its guards included. */
type ConfigOptions = Partial<Pick<ResolvedRun, 'campaignId' | 'confirm'> & ResolvedGuards> & {
  /** @default false */
  readonly startsRepeatSafely?: boolean;
};

/** The configuration of the bench. */
export function configWith(options: ConfigOptions): ConfigPart<'update-campaign-runs'> {
  const { startsRepeatSafely = false, campaignId: id, confirm, ...guards } = options;
  const campaign = {
    campaign: 'chat-bot',
    guards: { target: 'chat-bot', overlap: 'skip' as const, ...guards },
    confirm,
    stopAfter: 'PT8H',
    ...(id === undefined ? {} : { campaignId: id }),
  };
  const runs: Record<string, ResolvedRun> = {
    nightly: {
      ...campaign,
      name: 'nightly',
      pool: { kind: 'list', campaignRunIds: nightlyIds },
      nameTemplate: 'nightly {date}',
    },
    smoke: {
      ...campaign,
      name: 'smoke',
      pool: { kind: 'repeat', campaignRunId: smokeId },
      stopAfter: 'PT30M',
    },
  };
  return {
    stage: 'test',
    mode: 'act',
    blackouts: [],
    timezone: 'Europe/Dublin',
    gateway: {
      baseUrl: 'http://127.0.0.1:1',
      status: { start: 'running', stop: 'stopped' },
      requestsPerSecond: { datasets: 4, runs: 1, reads: 1 },
      alreadyInState: ['already running'],
      startsRepeatSafely,
      postMayRepeatOn: [],
    },
    runs,
    requestsPerSecond: 1,
    readsPerSecond: 1,
  };
}

/** A complete start of the smoke run at ten; a test states only what it is about. */
export function aCommand(fields: Partial<CampaignRunCommand> = {}): CampaignRunCommand {
  const target = fields.campaignRunId === undefined ? { run: 'smoke' } : {};
  return {
    version: 1,
    id: 'weeknights@2026-11-20T22:00:00Z',
    action: 'start',
    issuedAt: '2026-11-20T22:00:00Z',
    origin: { kind: 'schedule', name: 'weeknights' },
    ...target,
    ...fields,
  };
}

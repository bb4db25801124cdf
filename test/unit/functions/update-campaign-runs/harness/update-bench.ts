import { ConnectionLostError, NotSentError, type UpdateCampaignRunInput } from '#shared/gateway-client/index.ts';
import type { ConfigPart, ResolvedGuards, ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import type { ResolvedBlackout } from '#shared/schedule/blackouts.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { createObservedLedger } from '#shared/ledger/observed-ledger.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { readRunsInFlight } from '#shared/ledger/open-rows.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { freeIds, type RunRow } from '#shared/ledger/rows/run-row.ts';
import type { TargetRow } from '#shared/ledger/rows/target-row.ts';
import { setSwitch, type SwitchSubject } from '#shared/ledger/switches.ts';
import { answerPlan } from '#functions/answer-questions/plan.ts';
import type { Gate } from '#functions/_gateway/gate.ts';
import type { Log } from '#functions/_handler/function-log.ts';
import type { QueueRecord, RecordResult } from '#functions/_handler/queue-record.ts';
import { commandsOfMode } from '#functions/_handler/stage-ledger.ts';
import type { RunCommandDeps } from '#functions/_runs/decide/state.ts';
import { handleCommand } from '#functions/_runs/handle-command.ts';
import { plannedStopOf } from '#functions/_runs/decide/own-stops.ts';
import { type GatewayCallDeps, createGatewayCalls } from '#functions/update-campaign-runs/send-patch.ts';
import { stageSenders } from '../../../../builders/commands-by-sender.ts';
import { expectDocumented } from '../../../../builders/documented-event.ts';
import { createRunModel, type GatewayKind } from '../../../../builders/run-model.ts';
import { quietLog, statusError } from '../../../../builders/ports.ts';

/** What the gateway does with the next request. */
export type Answer =
  | 'ok'
  | 'not-sent'
  | 'applied-then-lost'
  | 'lost'
  /** No answer, and the effect so much later. */
  | { lateMs: number }
  | { status: number; text: string; retryAfterMs?: number; fields?: readonly string[] };

export const nightlyIds = ['018f0000-0000-7000-8000-000000000001', '018f0000-0000-7000-8000-000000000002'] as const;
export const smokeId = '018f0000-0000-7000-8000-0000000000aa';
export const smokeIds = [smokeId, '018f0000-0000-7000-8000-0000000000ab', '018f0000-0000-7000-8000-0000000000ac'];
export const campaignId = '018f0000-0000-7000-8000-00000000c0de';
/** The nightly run, with the gateway's project. */
export const nightlyOfProject: ResolvedRun = {
  name: 'nightly',
  campaign: 'chat-bot',
  campaignId,
  project: 'chat-app',
  campaignRunIds: nightlyIds,
  guards: { target: 'chat-bot', overlap: 'skip', longestRun: 'PT8H' },
};
export const tenOClock = Date.parse('2026-11-20T22:00:00Z');

/** A campaign that can be read, and is expected to show each start within half an hour. */
export const proving = { campaignId, confirm: { within: 'PT30M' } } as const;

/** What the campaign of the bench says of its starts, every setting of its guards included. */
type ConfigOptions = Partial<Pick<ResolvedRun, 'campaignId' | 'confirm'> & ResolvedGuards> & {
  /** Of a gateway that starts by a word. @default false */
  readonly startsRepeatSafely?: boolean;
  readonly kind?: GatewayKind;
  readonly readsRuns?: boolean;
  readonly schedules?: ConfigPart<'update-campaign-runs'>['schedules'];
};

/** The configuration of the bench. */
export function configWith(options: ConfigOptions): ConfigPart<'update-campaign-runs'> {
  const { startsRepeatSafely = false, readsRuns, campaignId: id, confirm, kind, schedules = [], ...guards } = options;
  const isByWord = kind !== undefined && kind.starts !== 'startAt';
  const campaign = {
    campaign: 'chat-bot',
    guards: { target: 'chat-bot', overlap: 'skip' as const, ...guards },
    confirm,
    stopAfter: 'PT8H',
    ...(id === undefined ? {} : { campaignId: id }),
  };
  const runs: Record<string, ResolvedRun> = {
    nightly: { ...campaign, name: 'nightly', campaignRunIds: nightlyIds, nameTemplate: 'nightly {date}' },
    smoke: { ...campaign, name: 'smoke', campaignRunIds: smokeIds, stopAfter: 'PT30M' },
  };
  return {
    stage: 'test',
    mode: 'act',
    blackouts: [],
    timezone: 'Europe/Dublin',
    gateway: {
      baseUrl: 'http://127.0.0.1:1',
      status: { start: isByWord ? 'running' : undefined, stop: 'cancelled' },
      startLead: 'PT1M',
      requestsPerSecond: { datasets: 4, runs: 1, reads: 1 },
      alreadyInState: { start: ['already running'], stop: ['has ended already'] },
      startsRepeatSafely: !isByWord || startsRepeatSafely,
      postMayRepeatOn: [],
      readsRuns,
    },
    runs,
    schedules,
    runIdsLow: 1,
    requestsPerSecond: 1,
    readsPerSecond: 1,
  };
}

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
  /** Who sent it, as SQS proves it. @default each message is trusted, as in a plan */
  readonly senderId?: string;
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
    /** What each reading of a run is answered. @default as the run is */
    runAnswers?: Answer[];
    /** What the first requests that change a run are answered, as by `answerWith`. */
    answers?: readonly Answer[];
    /** @default the bench's own, which `answerWith` tells what to do */
    gateway?: GatewayCallDeps['gateway'];
    rateLimiter?: RunCommandDeps['rateLimiter'];
    /** @default one that the bench opens and closes */
    gate?: Gate;
    /** @default as the real one */
    kind?: GatewayKind;
  } = {},
) {
  const {
    mode = 'act',
    blackouts = [],
    runs: _runs,
    campaignAnswers,
    runAnswers,
    answers: firstAnswers = [],
    gateway: given,
    rateLimiter,
    gate: givenGate,
    ...configured
  } = options;
  const { kind = { starts: 'startAt' } } = options;
  const table = createMemoryLedger();
  const ledger = mode === 'act' ? table : createObservedLedger(createMemoryLedger(), table);
  const model = createRunModel(kind, tenOClock);
  const patches: UpdateCampaignRunInput[] = [];
  const readRuns: string[] = [];
  const transitions: string[] = [];
  const counted: string[] = [];
  const events: { type: string; detail: Record<string, unknown> }[] = [];
  const told: string[] = [];
  const sent: CampaignRunCommand[] = [];
  const landing: { atMs: number; input: UpdateCampaignRunInput; by: string }[] = [];
  let answers = [...firstAnswers];
  let { runs } = options;
  let nowMs = tenOClock;
  let gateUntilMs = 0;
  let deliveries = 0;
  let current = '';

  /** What an answer that refuses throws; its `Date` is the gateway's clock. */
  function refuse(answer: Answer, what: string, gatewayMs = nowMs): void {
    if (answer === 'not-sent') throw new NotSentError(what);
    if (answer === 'lost') throw new ConnectionLostError(what, undefined);
    if (typeof answer !== 'object' || !('status' in answer)) return;
    const { status, text, retryAfterMs, fields = [] } = answer;
    const details = { text, fields: fields.map((field) => ({ field, message: text })) };
    const date = new Date(Math.floor(gatewayMs / 1000) * 1000);
    throw statusError(status, { details, namesResource: true, retryAfterMs, date }, what);
  }

  function apply(input: UpdateCampaignRunInput, by: string, atMs = nowMs): void {
    const answer = model.take(input, by, atMs);
    if (answer.status !== 200) refuse(answer, 'PATCH', atMs + (kind.aheadMs ?? 0));
    transitions.push(`${input.campaignRunId.slice(-2)}:${input.status === 'cancelled' ? 'stops' : 'starts'}`);
  }

  const gateway: GatewayCallDeps['gateway'] = {
    async updateCampaignRun(input) {
      patches.push(input);
      const answer = answers.shift() ?? 'ok';
      refuse(answer, 'PATCH');
      if (typeof answer === 'object' && 'lateMs' in answer)
        landing.push({ atMs: nowMs + answer.lateMs, input, by: current });
      else apply(input, current);
      if (answer !== 'ok') throw new ConnectionLostError('PATCH', undefined);
      return { message: 'ok' };
    },
    async getCampaign() {
      refuse(campaignAnswers?.shift() ?? 'ok', 'GET');
      return { campaign: { id: campaignId, ...model.campaign(nowMs) } };
    },
    async readCampaignRun({ campaignRunId }) {
      readRuns.push(campaignRunId);
      refuse(runAnswers?.shift() ?? 'ok', 'GET');
      return { campaignRun: model.read(campaignRunId, nowMs) };
    },
  };

  const gateReasons: string[] = [];
  const gate: Gate = givenGate ?? {
    waitMs: async () => Math.max(0, gateUntilMs - nowMs),
    async failed({ why }, about) {
      told.push(`failed ${about}`);
      gateReasons.push(why);
    },
    answered: async () => void told.push('answered'),
  };

  const config = () => ({ ...configWith(configured), mode, blackouts, ...(runs === undefined ? {} : { runs }) });

  async function deliver(command: CampaignRunCommand | string, delivery: Delivery = {}): Promise<RecordResult> {
    deliveries += 1;
    const attempt = deliveries;
    current = typeof command === 'string' ? '' : command.id;
    const record = recordOf(command, delivery, { messageId: `m${attempt}`, at: new Date(nowMs) });
    const context = {
      log: delivery.log ?? quietLog,
      now: () => new Date(nowMs + (delivery.skewMs ?? 0)),
      remainingMs: delivery.remainingMs ?? (() => 30_000),
      attemptId: `attempt-${attempt}`,
    };
    const callBudgetMs = 14_000;
    const called = delivery.gateway ?? given ?? gateway;
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
      callBudgetMs,
      config: config(),
      random: () => 0.5,
      senders: sendersFor(delivery),
      count: (name) => void counted.push(name),
    });
  }

  function passMs(ms: number): void {
    nowMs += ms;
    const due = landing.filter(({ atMs }) => atMs <= nowMs).toSorted((a, b) => a.atMs - b.atMs);
    for (const late of due) {
      landing.splice(landing.indexOf(late), 1);
      model.take(late.input, late.by, late.atMs);
    }
    model.passTo(nowMs);
  }

  const commandOf = async (id: string) => ledger.read<CommandRow>(ledgerKeys.command(id));

  /** The planned stops of all runs in flight, as the watcher makes them. */
  async function plannedStops(): Promise<readonly CampaignRunCommand[]> {
    const runsInFlight = await readRunsInFlight(ledger);
    return runsInFlight.flatMap(({ entry }) => (entry.plansStop ? [plannedStopOf(entry)] : []));
  }

  return {
    ledger,
    commandOf,
    outcomeOf: async (id: string) => (await commandOf(id))?.outcome,
    /** The runs in flight of the campaign. */
    inFlight: async () => (await ledger.read<TargetRow>(ledgerKeys.target('chat-bot')))?.runs ?? [],
    /** The ids that starts of the nightly run have not used. */
    freeIds: async () => freeIds(await ledger.read<RunRow>(ledgerKeys.run('nightly')), nightlyIds),
    /** An operator freezes, thaws, pauses or resumes. */
    turn: async (subject: SwitchSubject, isOn: boolean) =>
      void (await setSwitch(table, subject, { isOn, by: 'ann', reason: 'CHG-7', at: new Date(nowMs) })),
    plannedStops,
    /** What the watcher does each minute: every planned stop whose time has come is delivered. */
    async deliverDueStops(): Promise<void> {
      for (const stop of await plannedStops()) if (Date.parse(stop.issuedAt) <= nowMs) await deliver(stop);
    },
    /** Delivers what the worker has sent to its own queue. */
    async deliverSent(): Promise<void> {
      for (const stop of sent.splice(0)) await deliver(stop);
    },
    /** The rows of what is done for real, and of the switches. */
    table,
    gateway,
    /** The runs at the gateway, and what took effect on them. */
    model,
    patches,
    /** The runs that were read, in order. */
    readRuns,
    /** The requests that the gateway took, as `01:starts` and `01:stops`. */
    transitions,
    events,
    /** The metrics that were counted, in order. */
    counted,
    /** What the gate was told. */
    told,
    /** Why, of each call that failed. */
    gateReasons,
    /** What the worker sent to its own queue. */
    sent,
    deliver,
    /** The ids of runs that began, in order. */
    begun: () => model.effects.flatMap((one) => (one.kind === 'begins' ? [one.campaignRunId] : [])),
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
    /** A person begins a run of the campaign that no configuration knows. */
    startByHand: () => model.beginByHand('018f0000-0000-7000-8000-0000000000ff', nowMs),
    closeGateFor: (ms: number) => {
      gateUntilMs = nowMs + ms;
    },
    passMs,
    now: () => new Date(nowMs),
  };
}

export type UpdateBench = ReturnType<typeof createUpdateBench>;

function sendersFor({ senderId }: Delivery): RunCommandDeps['senders'] {
  return senderId === undefined ? 'trusted' : stageSenders;
}

/** A message of the queue as the worker sees it. */
function recordOf(
  command: CampaignRunCommand | string,
  { receiveCount = 1, sentAt, senderId }: Delivery,
  { messageId, at }: { readonly messageId: string; readonly at: Date },
): QueueRecord {
  const body = typeof command === 'string' ? command : JSON.stringify(command);
  const queueArn = 'arn:aws:sqs:eu-west-1:000000000000:commands';
  return { messageId, body, receiveCount, sentAt: sentAt ?? at, senderId, queueArn };
}

const freeSlots = { waitMs: () => 0, take: async () => {} };

/** A complete start of the smoke run at ten; a test states only what it is about. */
export function aCommand(fields: Partial<CampaignRunCommand> = {}): CampaignRunCommand {
  const isOfId = fields.campaignRunId !== undefined && fields.action === 'stop';
  return {
    version: 1,
    id: 'weeknights@2026-11-20T22:00:00Z',
    action: 'start',
    issuedAt: '2026-11-20T22:00:00Z',
    origin: { kind: 'schedule', name: 'weeknights' },
    ...(isOfId ? {} : { run: 'smoke' }),
    ...fields,
  };
}

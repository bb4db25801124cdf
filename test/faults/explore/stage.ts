import {
  BadStatusError,
  ConnectionLostError,
  GatewayTimeoutError,
  NotSentError,
  type UpdateCampaignRunInput,
} from '#shared/gateway-client/index.ts';
import { createRateLimiter } from '#functions/_gateway/rate-limiter.ts';
import type { RunCommandDeps, RunsConfig } from '#functions/_runs/decide/state.ts';
import { handleCommand } from '#functions/_runs/handle-command.ts';
import { commandsOfMode } from '#functions/_handler/stage-ledger.ts';
import {
  createGatewayCalls,
  type GatewayCallDeps,
  observedGateway,
} from '#functions/update-campaign-runs/send-patch.ts';
import { sendDeferredStarts } from '#functions/watch-campaigns/send-due-commands.ts';
import { readRuns } from '#functions/watch-campaigns/read-runs.ts';
import { watchRuns } from '#functions/watch-campaigns/watch-runs.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { createObservedLedger } from '#shared/ledger/observed-ledger.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { SenderName } from '#shared/messages/command-senders.ts';
import { ofEdge, statusError } from '../../builders/ports.ts';
import { createRunModel } from '../../builders/run-model.ts';
import { senderIdOf, stageSenders } from '../../builders/commands-by-sender.ts';
import type { SentRequest } from './evidence.ts';
import { type Chance, type Fate, hourMs, type History, type Minutes, minuteMs, tenOClock } from './history.ts';
import { createLightLedger, type Written } from '../../builders/light-ledger.ts';
import { createVirtualTime } from '../model/world/virtual-time.ts';

/** No history needs as many events: more of them go in circles. */
const mostEvents = 60_000;

/** One message of the queue. */
interface Message {
  readonly command: CampaignRunCommand;
  readonly sentMs: number;
  readonly skewMs: number;
  readonly senderId: string;
  receives: number;
}

/** How one message is sent. */
interface Sending {
  readonly atMs: number;
  readonly skewMs: number;
  readonly senderId: string;
}

/** Who sends such a command. */
function senderOf({ origin }: CampaignRunCommand): string {
  if (origin.kind === 'operator') return 'AIDA-person';
  return senderIdOf(origin.kind === 'schedule' ? 'schedules' : origin.name);
}

const functionMs = 30_000;
const visibilityMs = 180_000;
const ledgerMs = 5;
const requestMs = 40;
const callBudgetMs = 14_000;
/** The queue gives a message up after so many deliveries. */
const mostReceives = 1000;
/** A server works on one request for 60 s at most. */
const lateMs = 59_000;
/** The platform ended the attempt at its 30th second, and the request took its minute from then. */
const landsAfterDeathMs = 29_000 + lateMs;

/**
 * The worker and the watcher of the product, with their queue, over a gateway of the model, in virtual time.
 * @param onWritten - hears what is written to the table of what is done for real
 */
export function createStage(
  history: History,
  chance: Chance,
  onWritten: (rows: readonly Written[], nowMs: number) => void,
) {
  const { kind } = history;
  const time = createVirtualTime(0, tenOClock, mostEvents);
  const model = createRunModel(kind, tenOClock);
  const ledger = createLightLedger((rows) => {
    onWritten(rows, time.nowMs());
    for (const { after } of rows) wakeFor(after);
  });
  const observed = createLightLedger((rows) => {
    for (const { after } of rows) {
      // A start that is deferred then was never real, and is not sent once the stage acts.
      if (after.kind === 'command' && (after.outcome ?? after.openState === 'DEFERRED')) reported.add(after.id);
      wakeFor(after);
    }
  });
  const reported = new Set<string>();
  const attempts = new Map<string, CampaignRunCommand>();
  const waiting = new Set<Message>();
  const requests: SentRequest[] = [];
  const refused = new Map<string, number[]>();
  const ticks = new Set<number>();
  const errors: string[] = [];
  let isPurged = (_message: Message): boolean => false;
  let made = 0;

  const log = { debug() {}, info() {}, warn() {}, error: (_event: string, says: string) => void errors.push(says) };
  const minuteNow = () => (time.nowMs() - tenOClock) / minuteMs;
  const isIn = (of: Minutes | undefined) =>
    of !== undefined && minuteNow() >= of.from && minuteNow() < of.from + of.lasts;
  const configNow = (): RunsConfig => {
    const { deployed, observing } = history;
    const now = deployed !== undefined && minuteNow() >= deployed.atMinute ? deployed.config : history.config;
    return isIn(observing) ? { ...now, mode: 'observe' } : now;
  };
  const ledgerOf = ({ mode }: RunsConfig) => (mode === 'act' ? ledger : createObservedLedger(observed, ledger));
  const queueOf = ({ mode }: RunsConfig, by: SenderName) =>
    commandsOfMode(mode, { send: async (body) => sendDue(body, senderIdOf(by)) });
  const clock = { monotonicMs: time.nowMs, sleep: time.sleep };
  const limiter =
    history.rate === undefined
      ? { waitMs: () => 0, take: async () => {} }
      : createRateLimiter({ runs: history.rate, reads: 2 }, { clock });
  const gate = {
    waitMs: async () => {
      const { gateClosed } = history;
      return isIn(gateClosed) && gateClosed !== undefined
        ? (gateClosed.from + gateClosed.lasts - minuteNow()) * minuteMs
        : 0;
    },
    answered: async () => {},
    failed: async () => {},
  };

  function refuse(
    by: string,
    status: number,
    more: { readonly text?: string; readonly fields?: readonly string[] } = {},
  ): never {
    refused.set(by, [...(refused.get(by) ?? []), status]);
    const { text = `refused with ${status}`, fields = [] } = more;
    const details = { text, fields: fields.map((field) => ({ field, message: text })) };
    const date = new Date(Math.floor((time.nowMs() + (kind.aheadMs ?? 0)) / 1000) * 1000);
    throw new BadStatusError('PATCH', { status, details, namesResource: true, date });
  }

  function take(input: UpdateCampaignRunInput, by: string): void {
    const answer = model.take(input, by, time.nowMs());
    if (answer.status !== 200) refuse(by, answer.status, answer);
  }

  /** Lands, and no worker hears what comes of it. */
  function land(input: UpdateCampaignRunInput, by: string): void {
    model.take(input, by, time.nowMs());
  }

  /** What a request does once it is there. */
  function arrive(fate: Fate, input: UpdateCampaignRunInput, command: CampaignRunCommand | undefined): void {
    const by = command?.id ?? '';
    if (fate === 'names a field') {
      refuse(by, 422, { fields: [command?.action === 'start' ? 'body.name' : 'body.status'] });
    }
    if (typeof fate === 'number') refuse(by, fate);
    if (fate === 'ok') take(input, by);
    if (fate === 'applied, no answer' || fate === 'applied, 500' || fate === 'applied, edge 530') land(input, by);
    if (fate === 'late, no answer') time.at(lateMs, () => land(input, by));
  }

  const gateway: GatewayCallDeps['gateway'] = {
    async updateCampaignRun(input) {
      const command = attempts.get(input.requestId ?? '');
      const by = command?.id ?? '';
      const fate = chance.fate(command?.action === 'start');
      if (fate === 'not sent') throw new NotSentError('PATCH');
      requests.push({ by, atMs: time.nowMs() });
      await time.sleep(requestMs);
      arrive(fate, input, command);
      await time.sleep(fate === 'hangs' ? 12_000 : requestMs);
      if (fate === 'ok') return { message: 'ok' };
      if (fate === 'hangs') throw new GatewayTimeoutError('PATCH', { phase: 'headers' });
      if (fate === 'applied, 500' || fate === 'not applied, 500') refuse(by, 500);
      throwOfEdge(fate);
      throw new ConnectionLostError('PATCH', undefined);
    },
    async getCampaign({ campaignId }) {
      await time.sleep(requestMs);
      if (isIn(history.unreadable)) throw new NotSentError('GET');
      return { campaign: { id: campaignId, ...model.campaign(time.nowMs()) } };
    },
    async readCampaignRun({ campaignRunId }) {
      await time.sleep(requestMs);
      if (isIn(history.unreadable)) throw new NotSentError('GET');
      return { campaignRun: model.read(campaignRunId, time.nowMs()) };
    },
  };

  const readPorts = {
    gateway,
    gate,
    rateLimiter: limiter,
    callBudgetMs,
    remainingMs: () => 60_000,
    bus: { publish: async () => {} },
  };

  function send(
    command: CampaignRunCommand,
    { atMs = time.nowMs() + ledgerMs, skewMs = 0, senderId = senderOf(command) }: Partial<Sending> = {},
  ): void {
    const message: Message = { command, sentMs: atMs, skewMs, senderId, receives: 0 };
    waiting.add(message);
    time.at(atMs - time.nowMs(), () => deliver(message));
  }

  function sendDue(body: string, senderId: string): void {
    const command: CampaignRunCommand = JSON.parse(body);
    send(command, { senderId });
    if (history.dueAgainMs !== undefined) send(command, { atMs: time.nowMs() + history.dueAgainMs, senderId });
  }

  async function deliver(message: Message): Promise<void> {
    if (isPurged(message)) return void waiting.delete(message);
    message.receives += 1;
    if (message.receives === mostReceives) errors.push(`${message.command.id} is in the dead-letter queue`);
    made += 1;
    const attemptId = `a${made}`;
    const { command, skewMs, senderId } = message;
    attempts.set(attemptId, command);
    const beganMs = time.nowMs();
    const dies = async (input?: UpdateCampaignRunInput): Promise<never> => {
      if (input !== undefined) time.at(beganMs + landsAfterDeathMs - time.nowMs(), () => land(input, command.id));
      time.at(beganMs + visibilityMs - time.nowMs(), () => deliver(message));
      return new Promise<never>(() => {});
    };
    const record = {
      messageId: `m${made}`,
      body: JSON.stringify(command),
      receiveCount: message.receives,
      sentAt: new Date(message.sentMs),
      senderId,
      queueArn: 'arn:aws:sqs:eu-west-1:000000000000:commands',
    };
    const context = {
      log,
      now: () => new Date(time.nowMs() + skewMs),
      remainingMs: () => functionMs - (time.nowMs() - beganMs),
      attemptId,
    };
    const result = await handleCommand(record, context, depsOf(dies));
    if (result.kind === 'done') return void waiting.delete(message);
    time.at(Math.max(1, result.delayMs), () => deliver(message));
  }

  function depsOf(dies: (input?: UpdateCampaignRunInput) => Promise<never>): RunCommandDeps {
    const now = configNow();
    const acts = now.mode === 'act';
    const client = acts ? gateway : observedGateway(gateway);
    const calls = createGatewayCalls({ gateway: client, gate, callBudgetMs, config: now });
    return {
      ledger: mortalLedger(ledgerOf(now), dies),
      acting: ledger,
      bus: { publish: async () => {} },
      senders: stageSenders,
      commands: queueOf(now, 'update-campaign-runs'),
      calls: {
        readCampaign: calls.readCampaign,
        readRun: calls.readRun,
        async patch(effect, context) {
          const death = chance.death('before a PATCH');
          if (death !== false) await dies(acts && death === 'late' ? effect.input : undefined);
          const answer = await calls.patch(effect, context);
          if (chance.death('after a PATCH') !== false) await dies();
          return answer;
        },
      },
      gate,
      rateLimiter: limiter,
      callBudgetMs,
      config: now,
      random: () => 0.5,
      count: () => {},
    };
  }

  function mortalLedger(table: Ledger, dies: () => Promise<never>): Ledger {
    return {
      ...table,
      /** Each row is read consistently, and not all of them in one instant. */
      async readMany(keys) {
        await time.sleep(ledgerMs);
        const first = await table.readMany(keys.filter((key) => key.startsWith('target#')));
        await time.sleep(ledgerMs);
        return new Map([...(await table.readMany(keys)), ...first]);
      },
      async writeAll(changes) {
        if (chance.death('before a write') !== false) await dies();
        await time.sleep(ledgerMs);
        const written = await table.writeAll(changes);
        if (chance.death('after a write') !== false) await dies();
        return written;
      },
    };
  }

  /** The watcher ticks at minutes at which something may be due; any other tick changes nothing. */
  function wakeFor(row: Written['after']): void {
    if (row.kind === 'target' && row.runs.length > 0) {
      tickAt(time.nowMs() + minuteMs);
      for (const { endsAt } of row.runs) tickAt(Date.parse(endsAt));
    }
    if (row.openState === 'DEFERRED') tickAt(Date.parse(row.openSince ?? ''));
  }

  function tickAt(atMs: number): void {
    const minute = Math.ceil(Math.max(atMs, time.nowMs() + 1) / minuteMs);
    if (ticks.has(minute)) return;
    ticks.add(minute);
    time.at(minute * minuteMs - time.nowMs(), async () => {
      ticks.delete(minute);
      if (isIn(history.watcherDown)) return tickAt(time.nowMs() + minuteMs);
      const reports = { log, count: () => {}, level: () => {} };
      const config = configNow();
      const deps = {
        ledger: ledgerOf(config),
        acting: config.mode === 'act' ? undefined : ledger,
        commands: queueOf(config, 'watch-campaigns'),
        reports,
        now: () => new Date(time.nowMs()),
      };
      await watchRuns(deps);
      await sendDeferredStarts(deps);
      const { readsRuns: isReading } = config.gateway;
      if (isReading === true) await readRuns({ ...deps, ...readPorts, config });
      const isOpen = [...ledger.all(), ...observed.all()].some(
        ({ openState }) => openState === 'RUN_IN_FLIGHT' || openState === 'DEFERRED',
      );
      if (isOpen) tickAt(time.nowMs() + (isReading === true ? minuteMs : hourMs + minuteMs));
    });
  }

  const { observing } = history;
  if (observing !== undefined) tickAt(tenOClock + (observing.from + observing.lasts) * minuteMs);

  return {
    time,
    ledger,
    model,
    send,
    /** Every request that left. */
    requests: requests as readonly SentRequest[],
    /** Statuses that refused, by command. */
    refused: refused as ReadonlyMap<string, readonly number[]>,
    /** What the worker reported as an error of its own. */
    errors: errors as readonly string[],
    /** Commands that ended, or were deferred, while the stage only observed. */
    reported: reported as ReadonlySet<string>,
    /** Messages that are not done. */
    waiting: waiting as ReadonlySet<Message>,
    /** From now on these messages come no more. */
    purge(which: (message: Message) => boolean) {
      const gone = new Set([...waiting].filter((message) => which(message)));
      for (const message of gone) waiting.delete(message);
      const before = isPurged;
      isPurged = (message) => gone.has(message) || before(message);
      return gone;
    },
  };
}

/** The stage of one history. */
export type Stage = ReturnType<typeof createStage>;

/** Not noted as refused: no person is needed for it. */
function throwOfEdge(fate: Fate): void {
  const [, status] = /edge (\d+)$/.exec(String(fate)) ?? [];
  if (status !== undefined) throw statusError(Number(status), { details: ofEdge, namesResource: true }, 'PATCH');
}

import type { Gate } from '#functions/_gateway/gate.ts';
import { createSlotQueue } from '#functions/_gateway/rate-limiter.ts';
import type { RunCommandDeps, RunsConfig } from '#functions/_runs/decide/state.ts';
import { handleCommand } from '#functions/_runs/handle-command.ts';
import { createGatewayCalls } from '#functions/update-campaign-runs/send-patch.ts';
import type { UpdateCampaignRunInput } from '#shared/gateway-client/index.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import type { RunRow } from '#shared/ledger/rows/run-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { type CampaignShown, createCountingGateway, type PatchFate } from './counting-gateway.ts';
import { createLightLedger } from './light-ledger.ts';
import { createModelWatcher } from './model-watcher.ts';
import { createVirtualWorld } from './virtual-world.ts';

/** What decides how a history goes on, beside its messages. */
export interface StageOptions {
  readonly startMs: number;
  /** As deployed at this moment. */
  readonly config: () => RunsConfig;
  readonly campaign: CampaignShown;
  readonly campaignId: string;
  readonly fateOf: (input: UpdateCampaignRunInput, by: string) => PatchFate;
  /** Asked between any two effects of an attempt. `late`: its request was sent and takes effect after its death. */
  readonly dies: (
    where: 'before a write' | 'after a write' | 'before a PATCH' | 'after a PATCH',
  ) => false | 'dead' | 'late';
  /** By how much the clock of the worker is ahead that handles this delivery. */
  readonly skewMs: (command: CampaignRunCommand) => number;
  readonly ignoresRunning?: boolean;
  readonly gateWaitMs?: () => number;
  /** The gate of a worker, over the ledger of the history. @default one that is open, but for `gateWaitMs` */
  readonly gateOver?: (ledger: Ledger, now: () => Date) => Gate;
  /** @default 0.5 each time */
  readonly random?: () => number;
  readonly isWatcherDown?: () => boolean;
  /** What the watcher sends comes a second time so much later. */
  readonly dueAgainMs?: number;
  readonly onWritten: (rows: readonly { before?: Stored; after: Stored }[], nowMs: number) => void;
}

/** One message of the queue. */
interface Message {
  readonly id: string;
  readonly body: string;
  readonly command: CampaignRunCommand;
  readonly sentMs: number;
  receives: number;
}

/** The queue gives a message up after so many deliveries. */
const mostReceives = 1000;
const functionMs = 30_000;
const visibilityMs = 180_000;
const ledgerMs = 5;
const callBudgetMs = 14_000;
/** The platform ended the attempt at its 30th second, and the request took its minute from then. */
const landsAfterDeathMs = 29_000 + 59_000;

/** The worker, its queue, the watcher and the gateway of one history. */
export function createStage(options: StageOptions) {
  const world = createVirtualWorld(options.startMs);
  const ledger = createLightLedger((rows) => {
    for (const { after } of rows) watcher.notice(after);
    options.onWritten(rows, world.nowMs());
  });
  const attempts = new Map<string, CampaignRunCommand>();
  const waiting = new Set<Message>();
  let isPurged = (_message: Message): boolean => false;
  let made = 0;
  const errors: string[] = [];
  const log = {
    debug() {},
    info() {},
    warn() {},
    error: (_event: string, sentence: string) => void errors.push(sentence),
  };

  const gate = options.gateOver?.(ledger, () => new Date(world.nowMs())) ?? {
    waitMs: async () => options.gateWaitMs?.() ?? 0,
    answered: () => undefined,
    failed: async () => {},
  };
  const gateway = createCountingGateway(world, { ...options, commandOf });
  const watcher = createModelWatcher({ world, ledger, send: sendDue, isDown: options.isWatcherDown });

  /** A start may send the planned stop that is in its way: then that one is what the request is for. */
  function commandOf({ requestId = '', status, campaignRunId }: UpdateCampaignRunInput): string {
    const command = attempts.get(requestId);
    if (command === undefined || command.action !== 'start' || status === 'running') return command?.id ?? '';
    const row = ledger.get(ledgerKeys.run(campaignRunId)) as Stored<RunRow> | undefined;
    return row !== undefined && 'stop' in row ? row.stop.id : '';
  }

  function send(command: CampaignRunCommand, atMs = world.nowMs() + ledgerMs): void {
    made += 1;
    const message: Message = { id: `m${made}`, body: JSON.stringify(command), command, sentMs: atMs, receives: 0 };
    waiting.add(message);
    world.at(atMs, () => deliver(message));
  }

  function sendDue(command: CampaignRunCommand): void {
    send(command);
    if (options.dueAgainMs !== undefined) send(command, world.nowMs() + options.dueAgainMs);
  }

  async function deliver(message: Message): Promise<void> {
    if (isPurged(message)) return void waiting.delete(message);
    message.receives += 1;
    if (message.receives === mostReceives) errors.push(`${message.command.id} is in the dead-letter queue`);
    made += 1;
    const attemptId = `a${made}`;
    attempts.set(attemptId, message.command);
    const beganMs = world.nowMs();
    const skewMs = options.skewMs(message.command);
    const dies = async (input?: UpdateCampaignRunInput): Promise<never> => {
      if (input !== undefined) {
        const by = commandOf({ ...input, requestId: attemptId });
        world.at(beganMs + landsAfterDeathMs, () => gateway.take(input, by));
      }
      world.at(beganMs + visibilityMs, () => deliver(message));
      return world.die();
    };
    const record = {
      messageId: message.id,
      body: message.body,
      receiveCount: message.receives,
      sentAt: new Date(message.sentMs),
      queueArn: 'arn:aws:sqs:eu-west-1:000000000000:commands',
    };
    const context = {
      log,
      now: () => new Date(world.nowMs() + skewMs),
      remainingMs: () => functionMs - (world.nowMs() - beganMs),
      attemptId,
    };
    const result = await handleCommand(record, context, depsOf(dies));
    if (result.kind === 'done') return void waiting.delete(message);
    world.at(world.nowMs() + Math.max(1, result.delayMs), () => deliver(message));
  }

  function depsOf(dies: (input?: UpdateCampaignRunInput) => Promise<never>): RunCommandDeps {
    const config = options.config();
    const calls = createGatewayCalls({
      gateway: gateway.gateway,
      gate,
      callBudgetMs,
      config,
    });
    return {
      ledger: mortalLedger(dies),
      acting: ledger,
      bus: { publish: async () => {} },
      commands: { send: async (body) => send(JSON.parse(body)) },
      calls: {
        readCampaign: calls.readCampaign,
        async patch(input, context) {
          const before = options.dies('before a PATCH');
          if (before !== false) await dies(before === 'late' ? input : undefined);
          const answer = await calls.patch(input, context);
          if (options.dies('after a PATCH') !== false) await dies();
          return answer;
        },
      },
      gate,
      rateLimiter: { waitMs: () => 0, take: () => undefined },
      slotQueue: createSlotQueue(1000, world.nowMs),
      callBudgetMs,
      config,
      random: options.random ?? (() => 0.5),
      count: () => {},
    };
  }

  function mortalLedger(dies: () => Promise<never>): Ledger {
    return {
      ...ledger,
      async readMany(keys) {
        await world.sleep(ledgerMs);
        return ledger.readMany(keys);
      },
      async writeAll(changes) {
        if (options.dies('before a write') !== false) await dies();
        await world.sleep(ledgerMs);
        const written = await ledger.writeAll(changes);
        if (options.dies('after a write') !== false) await dies();
        return written;
      },
    };
  }

  return {
    world,
    ledger,
    gateway,
    send,
    /** What the worker reported as an error of its own. */
    errors: errors as readonly string[],
    /** Messages that are not done. */
    waiting: waiting as ReadonlySet<Message>,
    /** From now on these messages come no more. */
    purge(which: (message: Message) => boolean) {
      const gone = new Set([...waiting].filter((message) => which(message)));
      const before = isPurged;
      isPurged = (message) => gone.has(message) || before(message);
    },
  };
}

/** The stage of one history. */
export type Stage = ReturnType<typeof createStage>;

import { createHash } from 'node:crypto';
import {
  BadStatusError,
  ConnectionLostError,
  GatewayTimeoutError,
  NotSentError,
  type UpdateCampaignRunInput,
} from '#shared/gateway-client/index.ts';
import type { GatewayCallDeps } from '#functions/update-campaign-runs/send-patch.ts';
import type { VirtualWorld } from './virtual-world.ts';

/** What becomes of one PATCH. `applied late` takes effect up to 60 s after it was not answered. */
export type PatchFate =
  | 'ok'
  | 'applied, no answer'
  | 'not applied, no answer'
  | 'applied late, no answer'
  | 'not sent'
  | 'hangs'
  | 403
  | 422
  | 429
  | 500;

/** One request that took effect. */
export interface Effect {
  readonly atMs: number;
  readonly campaignRunId: string;
  readonly kind: 'start' | 'stop';
  /** The command that it was sent for. */
  readonly by: string;
  /** Of a start: its key, one per command and repeat that a person ordered. */
  readonly key?: string;
}

/** One time that a run was running. */
export interface Stint {
  readonly campaignRunId: string;
  readonly by: string;
  readonly fromMs: number;
  endMs?: number;
  endedBy?: Effect;
}

/** What a gateway shows of its campaign. */
export interface CampaignShown {
  readonly runCount: 'counts starts' | 'counts ends' | 'absent';
  /**
   * It shows when a run began last, in units of so many milliseconds. @default it does not show
   * that
   */
  readonly lastRunAtMs?: number;
  /** What becomes of a GET. @default it is answered */
  readonly fateOfRead?: () => 'ok' | 'not sent' | 'hangs' | 429;
}

const requestMs = 40;
/** A server works on one request for 60 s at most. */
const lateMs = 59_000;
const timeoutMs = 12_000;

/** A gateway that takes any status at any time and counts what took effect, for each command. */
export function createCountingGateway(
  world: VirtualWorld,
  options: {
    readonly campaign: CampaignShown;
    readonly campaignId: string;
    readonly fateOf: (input: UpdateCampaignRunInput, by: string) => PatchFate;
    /** A start that came before, of a run that it began and that still runs, is no effect. */
    readonly ignoresRunning?: boolean;
    /** The command that an attempt is about, or the planned stop that it sends. */
    readonly commandOf: (input: UpdateCampaignRunInput) => string;
  },
) {
  const effects: Effect[] = [];
  const stints: Stint[] = [];
  const refusals = new Map<string, number[]>();
  const running = new Map<string, Stint>();
  let counted = 7;
  let lastBeganMs = world.nowMs() - 86_400_000;
  let patches = 0;

  function end(campaignRunId: string, by: Effect): void {
    const stint = running.get(campaignRunId);
    if (stint === undefined) return;
    stint.endMs = world.nowMs();
    stint.endedBy = by;
    running.delete(campaignRunId);
    if (options.campaign.runCount === 'counts ends') counted += 1;
  }

  function take(input: UpdateCampaignRunInput, by: string): void {
    const { campaignRunId, status, idempotencyKey, startAt } = input;
    const beginsMs = Date.parse(startAt ?? '');
    if (beginsMs > world.nowMs()) return world.at(beginsMs, () => take({ ...input, startAt: undefined }, by));
    if (
      status === undefined ||
      (options.ignoresRunning === true && status === 'running' && running.get(campaignRunId)?.by === by)
    )
      return;
    const kind = status === 'running' ? 'start' : 'stop';
    const effect: Effect = { atMs: world.nowMs(), campaignRunId, kind, by, key: idempotencyKey };
    effects.push(effect);
    end(campaignRunId, effect);
    if (kind === 'stop') return;
    const stint = { campaignRunId, by, fromMs: world.nowMs() };
    running.set(campaignRunId, stint);
    stints.push(stint);
    lastBeganMs = world.nowMs();
    if (options.campaign.runCount === 'counts starts') counted += 1;
  }

  function refuse(by: string, status: number): never {
    refusals.set(by, [...(refusals.get(by) ?? []), status]);
    const details = { text: `refused with ${status}`, fields: [] };
    throw new BadStatusError('PATCH', { status, details, namesResource: true });
  }

  /**
   * No gateway refuses for good the stop of a run that it has stopped with the same request before.
   */
  function plausible(fate: PatchFate, { campaignRunId, status }: UpdateCampaignRunInput): PatchFate {
    const isRepeatedStop = status !== 'running' && running.has(campaignRunId);
    const isStoppedBefore = effects.some((one) => one.kind === 'stop' && one.campaignRunId === campaignRunId);
    return fate === 422 && isRepeatedStop && isStoppedBefore ? 'ok' : fate;
  }

  const gateway: GatewayCallDeps['gateway'] = {
    async updateCampaignRun(input) {
      const by = options.commandOf(input);
      patches += 1;
      const fate = plausible(options.fateOf(input, by), input);
      if (fate === 'not sent') throw new NotSentError('PATCH');
      await world.sleep(requestMs);
      if (typeof fate === 'number' && fate !== 500) refuse(by, fate);
      if (fate === 'ok' || fate === 'applied, no answer') take(input, by);
      if (fate === 'applied late, no answer') world.at(world.nowMs() + requestMs + lateMs, () => take(input, by));
      await world.sleep(fate === 'hangs' ? timeoutMs : requestMs);
      if (fate === 'ok') return { message: 'ok' };
      if (fate === 'hangs') throw new GatewayTimeoutError('PATCH', { phase: 'headers' });
      if (fate === 500) refuse(by, 500);
      throw new ConnectionLostError('PATCH', undefined);
    },
    async getCampaign() {
      await world.sleep(requestMs);
      const fate = options.campaign.fateOfRead?.() ?? 'ok';
      if (fate === 'not sent') throw new NotSentError('GET');
      if (fate === 429) refuse('', 429);
      if (fate === 'hangs') {
        await world.sleep(timeoutMs);
        throw new GatewayTimeoutError('GET', { phase: 'headers' });
      }
      const { runCount, lastRunAtMs } = options.campaign;
      const lastRunAt =
        lastRunAtMs === undefined
          ? undefined
          : new Date(Math.floor(lastBeganMs / lastRunAtMs) * lastRunAtMs).toISOString();
      return { campaign: { id: options.campaignId, runCount: runCount === 'absent' ? undefined : counted, lastRunAt } };
    },
  };
  return {
    gateway,
    /** Lets a request that its dead worker sent take effect. */
    take,
    effects: effects as readonly Effect[],
    stints: stints as readonly Stint[],
    /** Statuses that refused, by command. */
    refusals: refusals as ReadonlyMap<string, readonly number[]>,
    running: running as ReadonlyMap<string, Stint>,
    patches: () => patches,
  };
}

/** The gateway under test. */
export type CountingGateway = ReturnType<typeof createCountingGateway>;

/** The key of a start, as the promise of one key per command and repeat states it. */
export function keyOf(commandId: string, approvals = 0): string {
  return createHash('sha256')
    .update(approvals === 0 ? commandId : `${commandId}#${approvals}`)
    .digest('hex');
}

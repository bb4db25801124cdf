import type { Stored } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { RecordedOutcome } from '#shared/ledger/rows/row-base.ts';
import type { InFlight } from '#shared/ledger/rows/target-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { GatewayKind, RunEffect } from '../../builders/run-model.ts';
import type { TargetRow } from '#shared/ledger/rows/target-row.ts';
import type { ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';

export const minuteMs = 60_000;

/** An outcome as it was recorded, by the time of the gateway. */
export interface SeenOutcome extends RecordedOutcome {
  readonly atMs: number;
  readonly row: Stored<CommandRow>;
}

/** What is judged of an entry, as it was written last. */
export interface SeenEntry extends Pick<InFlight, 'run' | 'due' | 'endsAt' | 'plansStop'> {
  readonly target: string;
  /** When it was made, by the time of the gateway. */
  readonly madeMs: number;
}

/** A request that left, and the command that it is for. */
interface SentRequest {
  readonly by: string;
  readonly atMs: number;
}

/** A start that waited for the end of a blackout. */
interface SeenDeferred {
  readonly command: CampaignRunCommand;
  readonly atMs: number;
}

/** What is seen of the ledger while a history is played. */
export function createSeen() {
  const outcomes = new Map<string, SeenOutcome>();
  const entries = new Map<string, SeenEntry & InFlight>();
  const deferred: SeenDeferred[] = [];

  function seeTarget({ target, runs }: TargetRow, nowMs: number): void {
    for (const entry of runs) {
      const before = entries.get(entry.startId);
      const madeMs = before?.sentAt === entry.sentAt ? before.madeMs : nowMs;
      entries.set(entry.startId, { ...entry, target, madeMs });
    }
  }

  return {
    /** The first outcome of each command. */
    outcomes: outcomes as ReadonlyMap<string, SeenOutcome>,
    /** Every entry that was written, by its start. */
    entries: entries as ReadonlyMap<string, SeenEntry>,
    deferred: deferred as readonly SeenDeferred[],
    see: (rows: readonly Stored[], nowMs: number): void => {
      for (const row of rows) {
        if (row.kind === 'target') seeTarget(row, nowMs);
        if (row.kind !== 'command') continue;
        if (row.openState === 'DEFERRED') deferred.push({ command: row.command, atMs: nowMs });
        if (row.outcome !== undefined && !outcomes.has(row.id)) {
          outcomes.set(row.id, { ...row.outcome, atMs: nowMs, row });
        }
      }
    },
  };
}

/** A freeze, or a blackout. */
export interface Interval {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** What a history left: effects at the gateway, outcomes in the ledger. */
export interface Evidence extends Pick<ReturnType<typeof createSeen>, 'outcomes' | 'deferred'> {
  readonly entries: ReadonlyMap<string, SeenEntry>;
  /** As it was deployed first. */
  readonly config: { readonly runs: Readonly<Record<string, Pick<ResolvedRun, 'guards'>>> };
  readonly kind: GatewayKind;
  readonly frozen: readonly Interval[];
  readonly blackouts: readonly Interval[];
  /** Of people and schedules, and the repeats that people ordered. */
  readonly commands: readonly CampaignRunCommand[];
  readonly effects: readonly RunEffect[];
  /** Every PATCH that left. */
  readonly requests: readonly SentRequest[];
  /** Commands that may lack an outcome. */
  readonly unended: ReadonlySet<string>;
  /** Runs of which the gateway said what was not so. */
  readonly liedAbout: ReadonlySet<string>;
  /** When a planned stop has ended its run at the latest. */
  readonly latestEndMs: (endsAtMs: number) => number;
}

/** One time that a run was running. */
export interface Stint {
  readonly campaignRunId: string;
  readonly by: string;
  readonly fromMs: number;
  readonly endMs: number;
  readonly endedBy: string | undefined;
}

/** Each time that a run was running, in the order in which they began. */
export function stintsOf(effects: readonly RunEffect[]): readonly Stint[] {
  return effects.flatMap((begun, index) => {
    const { kind, campaignRunId, by = '', atMs: fromMs } = begun;
    if (kind !== 'begins') return [];
    const end = effects.slice(index + 1).find((one) => one.kind === 'ends' && one.campaignRunId === campaignRunId);
    return [{ campaignRunId, by, fromMs, endMs: end?.atMs ?? Infinity, endedBy: end?.by }];
  });
}

/** A stop that was parked, or that three dead attempts gave up, excuses what its runs do from then on. */
export function isExcused(
  { campaignRunId, by }: Pick<Stint, 'campaignRunId' | 'by'>,
  { outcomes, liedAbout }: Pick<Evidence, 'outcomes' | 'liedAbout'>,
): boolean {
  if (liedAbout.has(campaignRunId)) return true;
  return [...outcomes.values()].some(({ kind, row: { command, stops = {}, campaignRunId: about } }) => {
    if (kind !== 'parked' || command.action !== 'stop') return false;
    return command.startId === by || about === campaignRunId || Object.hasOwn(stops, campaignRunId);
  });
}

/**
 * The order that reliability.md gives (I5), written a second time: the worker is not judged by its
 * own code. A later instant is later, then the greater id. What comes from the future was issued when it was sent.
 */
export function isLater(
  one: CampaignRunCommand,
  other: CampaignRunCommand,
  { outcomes }: Pick<Evidence, 'outcomes'>,
): boolean {
  const issuedMs = ({ id, issuedAt }: CampaignRunCommand) => Date.parse(outcomes.get(id)?.row.sent ?? issuedAt);
  const [oneMs, otherMs] = [issuedMs(one), issuedMs(other)];
  return oneMs === otherMs ? one.id > other.id : oneMs > otherMs;
}

import type { Stored } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { RecordedOutcome } from '#shared/ledger/rows/row-base.ts';
import type { InFlight } from '#shared/ledger/rows/target-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { RunEffect } from '../../builders/run-model.ts';
import type { TargetRow } from '#shared/ledger/rows/target-row.ts';
import type { Written } from '../../builders/light-ledger.ts';
import type { History } from './history.ts';

/** An outcome as it was recorded, by the time of the gateway. */
export interface SeenOutcome extends RecordedOutcome {
  readonly atMs: number;
  readonly row: Stored<CommandRow>;
}

/** An entry as it was written last. */
export interface SeenEntry extends InFlight {
  readonly target: string;
  /** When it was made, by the time of the gateway. */
  readonly madeMs: number;
}

/** A request that left, and the command that it is for. */
export interface SentRequest {
  readonly by: string;
  readonly atMs: number;
}

/** What is seen of the ledger while a history is played. */
export function createSeen() {
  const outcomes = new Map<string, SeenOutcome>();
  const entries = new Map<string, SeenEntry>();

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
    see: (rows: readonly Written[], nowMs: number): void => {
      for (const { after } of rows) {
        if (after.kind === 'target') seeTarget(after, nowMs);
        if (after.kind !== 'command' || after.outcome === undefined || outcomes.has(after.id)) continue;
        outcomes.set(after.id, { ...after.outcome, atMs: nowMs, row: after });
      }
    },
  };
}

/** What a history left: effects at the gateway, outcomes in the ledger. */
export interface Evidence extends Pick<ReturnType<typeof createSeen>, 'outcomes' | 'entries'> {
  readonly history: Pick<History, 'config' | 'kind' | 'frozen' | 'observing'>;
  /** Of people and schedules, and the repeats that people ordered. */
  readonly commands: readonly CampaignRunCommand[];
  readonly effects: readonly RunEffect[];
  /** Every PATCH that left. */
  readonly requests: readonly SentRequest[];
  /** When a blackout deferred a start. */
  readonly deferred: readonly { readonly command: CampaignRunCommand; readonly atMs: number }[];
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

import type { Stored } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { RecordedOutcome } from '#shared/ledger/rows/row-base.ts';
import type { InFlight } from '#shared/ledger/rows/target-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { RunEffect } from '../../builders/run-model.ts';
import type { History } from './history.ts';
import type { SentRequest } from './stage.ts';

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

/** What a history left: effects at the gateway, outcomes in the ledger. */
export interface Evidence {
  readonly history: History;
  /** Of people and schedules, and the repeats that people ordered. */
  readonly commands: readonly CampaignRunCommand[];
  readonly effects: readonly RunEffect[];
  readonly outcomes: ReadonlyMap<string, SeenOutcome>;
  /** Every entry that was written, by its start. */
  readonly entries: ReadonlyMap<string, SeenEntry>;
  /** Every request that left. */
  readonly requests: readonly SentRequest[];
  /** When a blackout deferred a start. */
  readonly deferred: readonly { readonly command: CampaignRunCommand; readonly atMs: number }[];
  readonly refused: ReadonlyMap<string, readonly number[]>;
  readonly purged: ReadonlySet<string>;
  /** Commands that ended, or were deferred, while the stage only observed. */
  readonly reported: ReadonlySet<string>;
  readonly deaths: number;
}

/** One time that a run was running. */
export interface Stint {
  readonly campaignRunId: string;
  readonly by: string;
  readonly fromMs: number;
  readonly endMs: number;
}

/** A stop that was parked, or that three dead attempts gave up, excuses what its runs do from then on. */
export function isExcused({ campaignRunId, by }: Pick<Stint, 'campaignRunId' | 'by'>, { outcomes }: Evidence): boolean {
  return [...outcomes.values()].some(({ kind, row: { command, stops = {}, campaignRunId: about } }) => {
    if (kind !== 'parked' || command.action !== 'stop') return false;
    return command.startId === by || about === campaignRunId || Object.hasOwn(stops, campaignRunId);
  });
}

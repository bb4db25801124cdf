import type { OutcomeBus } from '../../shared/aws/outcome-bus.ts';
import type { ConfigPart } from '../../shared/config/resolved-automation.ts';
import type { GatewayClient } from '../../shared/gateway-client/index.ts';
import type { CommandItem } from '../../shared/ledger/items.ts';
import type { Ledger, Stored } from '../../shared/ledger/ledger.ts';
import type { CampaignRunCommand } from '../../shared/messages/campaign-run-command.ts';
import type { QueueRecord, RecordContext } from '../_runtime/queue-worker.ts';

/** What the worker needs of the world. */
export interface UpdateDeps {
  readonly ledger: Ledger;
  readonly bus: OutcomeBus;
  readonly gateway: Pick<GatewayClient, 'updateCampaignRun' | 'getCampaign'>;
  readonly config: ConfigPart<'update-campaign-runs'>;
  readonly random: () => number;
  /** Told when a configured run has few unused ids left. */
  readonly onRunningLow: (run: string, left: number) => void;
}

/** One command at work: what it says, the message that it came in, and the row that will hold its outcome. */
export interface CommandWork {
  /** As it was sent: what the ledger keeps. */
  readonly asked: CampaignRunCommand;
  /** As it counts now: after a person's approval its instant is that of the approval. */
  readonly command: CampaignRunCommand;
  readonly record: QueueRecord;
  readonly context: RecordContext;
  /** The command's row where there is one without an outcome: a person approved its repeat. */
  readonly row: Stored<CommandItem> | undefined;
}

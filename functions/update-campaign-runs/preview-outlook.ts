import type { ConfigPart } from '../../shared/config/resolved-automation.ts';
import type { CampaignReading } from '../../shared/ledger/campaign-reading.ts';
import type { BindingItem, CommandItem, GuardItem, RunItem, SwitchItem } from '../../shared/ledger/items.ts';
import type { CampaignRunCommand } from '../../shared/messages/campaign-run-command.ts';
import type { RunPolicy } from './run-policy.ts';

/** What a preview knows at its beginning. */
export interface Outlook {
  readonly config: Pick<ConfigPart<'update-campaign-runs'>, 'mode' | 'gateway' | 'timezone' | 'blackouts' | 'runs'>;
  /** Those that are on; nobody knows for how long, so they are taken to last. */
  readonly switches: readonly SwitchItem[];
  /** By the name of the guard item. */
  readonly guards: ReadonlyMap<string, GuardItem>;
  /** By the name of the run. */
  readonly bindings: ReadonlyMap<string, BindingItem>;
  readonly runsInFlight: readonly RunItem[];
  /** Starts that a blackout has put off. */
  readonly deferred: readonly CommandItem[];
  /** By campaign, as the gateway tells it. */
  readonly campaigns: ReadonlyMap<string, CampaignReading>;
  /** The policy of a start, or one sentence why there is none. */
  readonly policyOf: (command: CampaignRunCommand) => RunPolicy | string;
}

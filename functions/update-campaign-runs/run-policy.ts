import type { ConfigPart, ResolvedRun } from '../../shared/config/resolved-automation.ts';
import type { GuardPolicy } from '../../shared/guards/start-question.ts';
import { type BindingItem, ledgerKeys } from '../../shared/ledger/items.ts';
import type { Ledger } from '../../shared/ledger/ledger.ts';
import type { CampaignRunCommand } from '../../shared/messages/campaign-run-command.ts';

/** What the configuration says about the run that a command names; its guard item is named by campaign, target, or the bare uuid of a run that nobody configured. */
export interface RunPolicy extends GuardPolicy {
  /** The configured run, if it is one. */
  readonly run?: ResolvedRun;
  readonly campaignId?: string;
  readonly stopAfter?: string;
  /** How long a start counts as in flight if nothing stops it. */
  readonly inFlightFor: string;
  readonly nameTemplate?: string;
}

/** A run that nobody configured has no longestRun: it counts as in flight for a day, or for its own stopAfter. */
const unconfiguredInFlightFor = 'P1D';

/** The policy for a start, or one sentence why there is none. */
export type PolicyFound =
  | { readonly ok: true; readonly policy: RunPolicy }
  | { readonly ok: false; readonly detail: string };

/** Finds the policy of a start: by the run's name, by a uuid that a configured run holds, or by one that an operator bound to it. */
export async function findStartPolicy(
  command: CampaignRunCommand,
  config: ConfigPart<'update-campaign-runs'>,
  ledger: Pick<Ledger, 'read'>,
): Promise<PolicyFound> {
  const run = await configuredRun(command, config, ledger);
  if (run !== undefined) return { ok: true, policy: policyOf(run, command) };
  const { origin, campaignRunId } = command;
  if (campaignRunId === undefined) return { ok: false, detail: unknownName(command, config) };
  if (origin.kind !== 'operator' && origin.kind !== 'plan') {
    const who = `${origin.kind} ${origin.name}`;
    return {
      ok: false,
      detail: `run ${campaignRunId} is not configured: only operators and run plans may start it, not ${who}`,
    };
  }
  return {
    ok: true,
    policy: {
      guards: { target: campaignRunId, overlap: 'skip' },
      stopAfter: command.stopAfter,
      inFlightFor: command.stopAfter ?? unconfiguredInFlightFor,
    },
  };
}

/** The run of that name. */
export function runNamed(
  name: string,
  config: Pick<ConfigPart<'update-campaign-runs'>, 'runs'>,
): ResolvedRun | undefined {
  return Object.hasOwn(config.runs, name) ? config.runs[name] : undefined;
}

/** One sentence for a name that the configuration does not know. */
export function unknownName(
  command: CampaignRunCommand,
  config: Pick<ConfigPart<'update-campaign-runs'>, 'runs'>,
): string {
  const known = Object.keys(config.runs).toSorted().join(', ');
  return `no run is configured under the name "${command.run}"; known are: ${known || 'none'}`;
}

function policyOf(run: ResolvedRun, command: CampaignRunCommand): RunPolicy {
  const { campaign, campaignId, guards, nameTemplate } = run;
  const stopAfter = command.stopAfter ?? run.stopAfter;
  return {
    run,
    campaign,
    campaignId,
    guards,
    stopAfter,
    inFlightFor: stopAfter ?? guards.longestRun ?? unconfiguredInFlightFor,
    nameTemplate,
  };
}

/** The configured run of that name, or the one that holds that uuid by the configuration or because an operator bound it. */
export async function configuredRun(
  command: Pick<CampaignRunCommand, 'run' | 'campaignRunId'>,
  config: Pick<ConfigPart<'update-campaign-runs'>, 'runs'>,
  ledger: Pick<Ledger, 'read'>,
): Promise<ResolvedRun | undefined> {
  const { campaignRunId } = command;
  if (campaignRunId === undefined) return runNamed(command.run ?? '', config);
  const runs = Object.values(config.runs);
  const listed = runs.find(({ pool }) =>
    pool.kind === 'repeat'
      ? pool.campaignRunId === campaignRunId
      : pool.campaignRunIds.some((id) => id === campaignRunId),
  );
  if (listed !== undefined) return listed;
  for (const run of runs.filter(({ pool }) => pool.kind === 'list')) {
    const row = await ledger.read<BindingItem>(ledgerKeys.binding(run.name));
    if (row?.added.includes(campaignRunId) === true) return run;
  }
  return undefined;
}

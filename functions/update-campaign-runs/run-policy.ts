import type { ConfigPart, ResolvedRun } from '../../shared/config/resolved-automation.ts';
import type { CampaignRunCommand } from '../../shared/messages/campaign-run-command.ts';

/** What the configuration says about the run that a command names. */
export interface RunPolicy {
  /** The configured run, if it is one. */
  readonly run?: ResolvedRun;
  readonly campaignId?: string;
  /** Name of the guard item: campaign, target, or the bare uuid of a run that nobody configured. */
  readonly guardName: string;
  readonly overlap: 'skip' | 'allow';
  readonly stopAfter?: string;
  /** How long a start counts as in flight if nothing stops it. */
  readonly inFlightFor: string;
  readonly nameTemplate?: string;
}

/** A run that nobody configured has no longestRun: it counts as in flight for a day, or for its own stopAfter. */
const unconfiguredInFlightFor = 'P1D';

/** The policy for a command, or one sentence why the configuration has none. */
export type PolicyFound =
  | { readonly ok: true; readonly policy: RunPolicy }
  | { readonly ok: false; readonly detail: string };

/** Finds the policy by the run's name, or by a uuid that a configured run holds. */
export function findRunPolicy(command: CampaignRunCommand, config: ConfigPart<'update-campaign-runs'>): PolicyFound {
  const run = configuredRun(command, config);
  if (run !== undefined) {
    const { campaignId, guardName, overlap, nameTemplate } = run;
    const stopAfter = command.stopAfter ?? run.stopAfter;
    const inFlightFor = stopAfter ?? run.inFlightFor;
    return { ok: true, policy: { run, campaignId, guardName, overlap, stopAfter, inFlightFor, nameTemplate } };
  }
  if (command.run !== undefined) {
    const known = Object.keys(config.runs).toSorted().join(', ');
    return { ok: false, detail: `no run is configured under the name "${command.run}"; known are: ${known || 'none'}` };
  }
  if (command.action === 'start' && command.origin.kind !== 'operator' && command.origin.kind !== 'plan') {
    const { campaignRunId, origin } = command;
    return {
      ok: false,
      detail: `run ${campaignRunId} is not configured: only operators and run plans may start it, not ${origin.kind} ${origin.name}`,
    };
  }
  return {
    ok: true,
    policy: {
      guardName: command.campaignRunId ?? command.id,
      overlap: 'skip',
      stopAfter: command.stopAfter,
      inFlightFor: command.stopAfter ?? unconfiguredInFlightFor,
    },
  };
}

function configuredRun(
  command: CampaignRunCommand,
  config: ConfigPart<'update-campaign-runs'>,
): ResolvedRun | undefined {
  if (command.run !== undefined) return Object.hasOwn(config.runs, command.run) ? config.runs[command.run] : undefined;
  return Object.values(config.runs).find(({ binding }) =>
    binding.kind === 'repeat'
      ? binding.campaignRunId === command.campaignRunId
      : binding.campaignRunIds.some((id) => id === command.campaignRunId),
  );
}

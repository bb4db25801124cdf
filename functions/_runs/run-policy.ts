/** What the configuration says about the run of a command. */
import type { ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { RunIdPoolRow } from '#shared/ledger/rows/run-id-pool-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { RunPolicy, RunsConfig } from './decide/state.ts';

/** An unconfigured run without `stopAfter` counts as in flight for a day. */
const unconfiguredInFlightFor = 'P1D';

/** The run of that name. */
export function runNamed(name: string, { runs }: Pick<RunsConfig, 'runs'>): ResolvedRun | undefined {
  return Object.hasOwn(runs, name) ? runs[name] : undefined;
}

/** The configured run of a uuid: by the configuration, or because an operator bound the uuid to it. */
export function runOfId(
  campaignRunId: string,
  { runs }: Pick<RunsConfig, 'runs'>,
  pools: readonly RunIdPoolRow[] = [],
): ResolvedRun | undefined {
  const listed = Object.values(runs).find(({ pool }) =>
    pool.kind === 'repeat' ? pool.campaignRunId === campaignRunId : pool.campaignRunIds.includes(campaignRunId),
  );
  if (listed !== undefined) return listed;
  const bound = pools.find(({ added }) => added.includes(campaignRunId));
  return bound === undefined ? undefined : runNamed(bound.run, { runs });
}

/**
 * The configured run of a name or a uuid, with what operators bound.
 * @throws Error if the ledger cannot be read
 */
export async function readConfiguredRun(
  { run, campaignRunId }: Pick<CampaignRunCommand, 'run' | 'campaignRunId'>,
  config: Pick<RunsConfig, 'runs'>,
  ledger: Pick<Ledger, 'readMany'>,
): Promise<ResolvedRun | undefined> {
  if (campaignRunId === undefined) return runNamed(run ?? '', config);
  const listed = runOfId(campaignRunId, config);
  if (listed !== undefined) return listed;
  const rows = await ledger.readMany(Object.keys(config.runs).map((name) => ledgerKeys.runIdPool(name)));
  return runOfId(campaignRunId, config, poolsAmong([...rows.values()]));
}

/** The run id pools among rows. */
export function poolsAmong(rows: readonly (LedgerRow | undefined)[]): readonly RunIdPoolRow[] {
  return rows.filter((row): row is RunIdPoolRow => row?.kind === 'run-id-pool');
}

/** The policy of a start, or one sentence why there is none. */
export function startPolicy(
  command: CampaignRunCommand,
  run: ResolvedRun | undefined,
  config: Pick<RunsConfig, 'runs'>,
): RunPolicy | string {
  const { origin, campaignRunId } = command;
  if (run === undefined && campaignRunId === undefined) return unknownName(command.run ?? '', config);
  if (run === undefined && origin.kind !== 'operator' && origin.kind !== 'plan') {
    const who = `${origin.kind} ${origin.name}`;
    return `run ${campaignRunId} is not configured: only operators and run plans may start it, not ${who}`;
  }
  return policyOf(run, command);
}

function policyOf(run: ResolvedRun | undefined, command: CampaignRunCommand): RunPolicy {
  const { campaign, campaignId }: Partial<ResolvedRun> = run ?? {};
  const guards = run?.guards ?? { target: command.campaignRunId ?? '', overlap: 'skip' };
  const stopAfter = command.stopAfter ?? run?.stopAfter;
  const inFlightFor = stopAfter ?? guards.longestRun ?? unconfiguredInFlightFor;
  return { run, campaign, campaignId, guards, stopAfter, inFlightFor };
}

/** One sentence for a name that the configuration does not know. */
export function unknownName(name: string, { runs }: Pick<RunsConfig, 'runs'>): string {
  const known = Object.keys(runs).toSorted().join(', ');
  return `no run is configured under the name "${name}"; known are: ${known || 'none'}`;
}

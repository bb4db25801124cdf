import type { WatchedCampaign } from '../../shared/config/resolved-automation.ts';
import type { CommandItem, OpenState, OwnStart, RunItem } from '../../shared/ledger/items.ts';
import type { Ledger } from '../../shared/ledger/ledger.ts';
import type { OwnStarts } from './explain-move.ts';

/** After a run's end, or a start's effect where nothing more is known, a gateway may need this long to count it. */
const showsWithinMs = 3_600_000;

/** Says whether a run that the ledger knows may be one of a campaign. */
export type IsOfCampaign = (its: {
  readonly run?: string | undefined;
  readonly campaign?: string | undefined;
}) => boolean;

/** A run that nobody configured may be one of any campaign: a start of ours is never taken for somebody else's. */
export function isOfCampaign(campaign: WatchedCampaign, all: readonly WatchedCampaign[]): IsOfCampaign {
  const configured = new Set(all.flatMap(({ runs }) => runs));
  return ({ run, campaign: name }) => {
    if (run !== undefined && configured.has(run)) return campaign.runs.includes(run);
    return name === undefined || campaign.names.includes(name) || !all.some(({ names }) => names.includes(name));
  };
}

/** The starts of the runs in flight, those in doubt and those whose `startAt` is still to come included. Pure. */
export function startsInFlight(runs: readonly RunItem[], isOurs: IsOfCampaign): OwnStarts {
  return Object.fromEntries(
    runs.filter(isOurs).flatMap(({ wish, appliedStart, inDoubt, inFlightUntil, openSince }) => {
      const id = wish?.action === 'start' ? wish.id : (appliedStart ?? inDoubt?.id);
      const end = inFlightUntil ?? openSince;
      return id === undefined || end === undefined ? [] : [[id, ownStart(end, appliedStart === id)]];
    }),
  );
}

/** The starts that ended, as commands, since an hour before an instant: sent, or perhaps sent. */
export async function startsEndedSince(instant: string, isOurs: IsOfCampaign, ledger: Ledger): Promise<OwnStarts> {
  const since = new Date(Date.parse(instant) - showsWithinMs).toISOString();
  const rows = [...(await commandsSince('ENDED', since, ledger)), ...(await commandsSince('PARKED', since, ledger))];
  return Object.fromEntries(
    rows
      .filter(mayHaveStarted)
      .flatMap(({ id, command, facts, outcome, openSince = '' }) =>
        isOurs({ run: command.run, campaign: facts?.['campaign'] })
          ? [[id, ownStart(facts?.['effectAt'] ?? outcome?.at ?? openSince, outcome?.kind === 'applied')]]
          : [],
      ),
  );
}

/** A start that a newer stop made moot, and one whose outcome nobody knows, may have been sent before. */
function mayHaveStarted({ command, outcome }: CommandItem): boolean {
  if (command.action !== 'start') return false;
  return outcome?.kind === 'applied' || outcome?.kind === 'superseded' || outcome?.reason === 'START_OUTCOME_UNKNOWN';
}

async function commandsSince(state: OpenState, since: string, ledger: Ledger): Promise<readonly CommandItem[]> {
  const rows: CommandItem[] = [];
  let cursor: string | undefined;
  do {
    const page = await ledger.listOpen(state, cursor === undefined ? { since } : { since, cursor });
    rows.push(...page.items.filter((row): row is typeof row & CommandItem => row.kind === 'command'));
    cursor = page.next;
  } while (cursor !== undefined);
  return rows;
}

function ownStart(instant: string, isAccepted: boolean): OwnStart {
  const until = new Date(Date.parse(instant) + showsWithinMs).toISOString();
  return isAccepted ? { until, isAccepted } : { until };
}

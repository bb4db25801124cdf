import type { WatchedCampaign } from '#shared/config/resolve/resolved-automation.ts';
import {
  type CampaignLookRow,
  type CampaignReading,
  lastShown,
  type OwnStart,
} from '#shared/ledger/rows/campaign-row.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { rememberStartsElsewhere } from '#shared/ledger/starts-elsewhere.ts';
import { readOpenRuns } from '#shared/ledger/open-rows.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { OpenState } from '#shared/ledger/rows/ledger-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { RunRow, RunState, SentStart } from '#shared/ledger/rows/run-row.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import type { ReadCampaign, WatchDeps } from './watched-campaign.ts';

type NoticeDeps = Pick<WatchDeps, 'ledger' | 'bus' | 'reports' | 'config'>;

/** A campaign, and what the last look at it saw. */
export interface CampaignLook {
  readonly campaign: WatchedCampaign;
  readonly row: Stored<CampaignLookRow> | undefined;
}

/** Rows of the index come late by less. A tick comes every minute, so the next one decides. */
const suspectedForMs = 45_000;

/**
 * Compares a reading with the last one and with the starts that we made: has another user of the gateway started this campaign? The first look is a
 * baseline. A move without a reason is looked at once more before it is reported, and until then the last look stands.
 * @returns how many starts were reported
 */
export async function noticeStarts(
  { campaign, row }: CampaignLook,
  read: ReadCampaign,
  runs: readonly RunRow[],
  deps: NoticeDeps,
): Promise<number> {
  const isOurs = isOfCampaign(campaign, deps.config.campaigns);
  const inFlight = startsOfMode(deps, startsInFlight(runs, isOurs));
  if (row === undefined) {
    await deps.ledger.write<CampaignLookRow>(undefined, lookOf(read, {}, inFlight));
    return 0;
  }
  const move = await explain(row, read, { inFlight, isOurs }, deps);
  if (move.elsewhere > 0 && !(await isToBeReported({ campaign, row }, read, deps))) return 0;
  if (move.elsewhere > 0) await report({ campaign, row }, read, move, deps);
  await deps.ledger.write<CampaignLookRow>(row, lookOf(read, row.reading, move.ours));
  return move.elsewhere;
}

/**
 * By the runs in flight; if those are not enough, by what was ended meanwhile as well, read after
 * the campaign was.
 */
async function explain(
  row: CampaignLookRow,
  read: ReadCampaign,
  { inFlight, isOurs }: { readonly inFlight: OwnStarts; readonly isOurs: IsOfCampaign },
  deps: NoticeDeps,
): Promise<MoveExplained> {
  const move = explainMove(row.reading, read.reading, stillShowing({ ...inFlight, ...row.ours }, row.at));
  if (move.elsewhere === 0) return move;
  const now = startsInFlight(await readOpenRuns(deps.ledger), isOurs);
  const ended = await startsEndedSince(row.at, isOurs, deps.ledger);
  const ours = { ...startsOfMode(deps, { ...ended, ...now }), ...row.ours };
  return explainMove(row.reading, read.reading, stillShowing(ours, row.at));
}

/** What a stage that observes would have started was not started: it explains nothing. */
function startsOfMode({ config }: NoticeDeps, starts: OwnStarts): OwnStarts {
  return config.mode === 'observe' ? {} : starts;
}

function stillShowing(ours: OwnStarts, at: string): OwnStarts {
  return Object.fromEntries(Object.entries(ours).filter(([, { until }]) => Date.parse(until) >= Date.parse(at)));
}

/** At the second look, not at the first. */
async function isToBeReported({ campaign, row }: Known, read: ReadCampaign, deps: NoticeDeps): Promise<boolean> {
  if (row.suspectedAt !== undefined) {
    return Date.parse(read.at) - Date.parse(row.suspectedAt) >= suspectedForMs;
  }
  await deps.ledger.write<CampaignLookRow>(row, { ...row, suspectedAt: read.at });
  deps.reports.log.info(
    logEvents.campaignMoved,
    `${campaign.names.join(', ')} reads differently, and no start of ours says why: looked at again in a minute`,
    { campaignId: campaign.campaignId, before: row.reading, after: read.reading },
  );
  return false;
}

type Known = CampaignLook & { readonly row: Stored<CampaignLookRow> };

/** The event first: a tick that dies after it sends it once more, under the same id. */
async function report(
  { campaign, row }: Known,
  { at, reading, lastRun }: ReadCampaign,
  { elsewhere }: MoveExplained,
  { bus, ledger, reports }: NoticeDeps,
): Promise<void> {
  const { campaignId, names } = campaign;
  const facts = {
    campaignId,
    campaigns: names,
    starts: elsewhere,
    from: row.at,
    to: at,
    before: row.reading,
    after: reading,
    lastRun,
  };
  await bus.publish(eventTypes.campaignStartedElsewhere, {
    eventId: `started-elsewhere:${campaignId}@${row.suspectedAt ?? at}`,
    ...facts,
  });
  await rememberStartsElsewhere(ledger, {
    campaignId,
    campaigns: names,
    starts: elsewhere,
    from: row.at,
    to: at,
    lastRun,
  });
  reports.count(metricNames.startsElsewhere, elsewhere);
  reports.log.warn(
    logEvents.campaignStartedElsewhere,
    `${names.join(', ')} was started, but not by this stage (${elsewhere} since ${row.at})`,
    facts,
  );
}

/**
 * A field that the gateway does not show this time keeps its last value. A start that the gateway
 * did not accept is found again while it is in doubt. If it was proven not to have begun, it
 * explains nothing.
 */
function lookOf(read: ReadCampaign, before: CampaignLookRow['reading'], ours: OwnStarts): CampaignLookRow {
  const { campaignId, at, reading } = read;
  return {
    pk: ledgerKeys.campaignLook(campaignId),
    kind: 'campaign-look',
    campaignId,
    at,
    reading: lastShown(before, reading),
    ours: Object.fromEntries(
      Object.entries(stillShowing(ours, at)).filter(
        ([, start]) => start.isAccepted === true || start.isCounted === true,
      ),
    ),
  };
}

/** Starts of ours that a move of a campaign may be due to, by command id. */
export type OwnStarts = CampaignLookRow['ours'];

/** What of a move our own starts explain. */
export interface MoveExplained {
  /** Starts that did not come from this stage; 0: none. */
  readonly elsewhere: number;
  /** Our starts, those that the move shows counted. */
  readonly ours: OwnStarts;
}

/**
 * Says whether another person or tool started the campaign between two readings. If `runCount`
 * grew, it decides: each start of ours explains one run of it, once. The gateway may count at the
 * request, at the beginning or at the end of a run. If only `lastRunAt` moved, any start of ours
 * that may still show accounts for it. A count that falls was set back by hand: no start. Pure.
 */
export function explainMove(before: CampaignReading, after: CampaignReading, ours: OwnStarts): MoveExplained {
  const grown = grownBy(before.runCount, after.runCount);
  if (grown > 0) {
    const uncounted = Object.keys(ours).filter((id) => ours[id]?.isCounted !== true);
    const shown = new Set(uncounted.slice(0, grown));
    return { elsewhere: grown - shown.size, ours: withCounted(ours, shown) };
  }
  const isOther = after.lastRunAt !== undefined && after.lastRunAt !== before.lastRunAt;
  return { elsewhere: isOther && Object.keys(ours).length === 0 ? 1 : 0, ours };
}

function grownBy(before: number | undefined, after: number | undefined): number {
  return before === undefined || after === undefined ? 0 : Math.max(0, after - before);
}

function withCounted(ours: OwnStarts, shown: ReadonlySet<string>): OwnStarts {
  return Object.fromEntries(
    Object.entries(ours).map(([id, start]) => [id, shown.has(id) ? { ...start, isCounted: true as const } : start]),
  );
}

/** After a run's end, or a start's effect if nothing more is known, a gateway may need this long to count it. */
const showsWithinMs = 3_600_000;

/** Says whether a run that the ledger knows may be one of a campaign. */
export type IsOfCampaign = (its: {
  readonly run?: string | undefined;
  readonly campaign?: string | undefined;
}) => boolean;

/** An unconfigured run may be one of any campaign: a start of ours is never taken for another's. */
export function isOfCampaign(campaign: WatchedCampaign, all: readonly WatchedCampaign[]): IsOfCampaign {
  const configured = new Set(all.flatMap(({ runs }) => runs));
  return ({ run, campaign: name }) => {
    if (run !== undefined && configured.has(run)) return campaign.runs.includes(run);
    return name === undefined || campaign.names.includes(name) || !all.some(({ names }) => names.includes(name));
  };
}

/** The starts that runs hold, those in doubt and those whose `startAt` is still to come included. Pure. */
export function startsInFlight(runs: readonly RunRow[], isOurs: IsOfCampaign): OwnStarts {
  const held = runs.filter((row) => isOurs({ run: row.run })).flatMap(heldStarts);
  return Object.fromEntries(held.map(({ start, isAccepted }) => [start.startId, ownStart(start.until, isAccepted)]));
}

/** Its own, and the one that a stop or the next start returns to. */
function heldStarts(row: RunRow): readonly { readonly start: SentStart; readonly isAccepted: boolean }[] {
  const states: readonly RunState[] = 'before' in row ? [row.before, row] : [row];
  return states.flatMap((state) =>
    'start' in state ? [{ start: state.start, isAccepted: state.state === 'running' }] : [],
  );
}

/** The starts that ended, as commands, since an hour before an instant: sent, or perhaps sent. */
export async function startsEndedSince(instant: string, isOurs: IsOfCampaign, ledger: Ledger): Promise<OwnStarts> {
  const since = new Date(Date.parse(instant) - showsWithinMs).toISOString();
  const rows = [...(await commandsSince('ENDED', since, ledger)), ...(await commandsSince('PARKED', since, ledger))];
  return Object.fromEntries(
    rows
      .filter(mayHaveStarted)
      .filter(({ command, facts }) => isOurs({ run: command.run, campaign: facts?.campaign }))
      .map(({ id, facts, mayHaveRun, outcome, openSince = '' }) => {
        const endsAt = mayHaveRun?.until ?? facts?.effectAt ?? outcome?.at ?? openSince;
        return [id, ownStart(endsAt, outcome?.kind === 'applied')];
      }),
  );
}

/** It was applied, or its request left and was not proven to have failed. */
function mayHaveStarted({ command, outcome, mayHaveRun }: CommandRow): boolean {
  return command.action === 'start' && (outcome?.kind === 'applied' || mayHaveRun !== undefined);
}

async function commandsSince(state: OpenState, since: string, ledger: Ledger): Promise<readonly CommandRow[]> {
  const rows: CommandRow[] = [];
  let cursor: string | undefined;
  do {
    const page = await ledger.listOpen(state, cursor === undefined ? { since } : { since, cursor });
    rows.push(...page.items.filter((row): row is typeof row & CommandRow => row.kind === 'command'));
    cursor = page.next;
  } while (cursor !== undefined);
  return rows;
}

function ownStart(instant: string, isAccepted: boolean): OwnStart {
  const until = new Date(Date.parse(instant) + showsWithinMs).toISOString();
  return isAccepted ? { until, isAccepted } : { until };
}

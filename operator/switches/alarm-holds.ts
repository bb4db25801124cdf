/** Alarms that ring: which campaigns they hold, or would hold if the operator had not lifted the hold. */
import { alarmSwitch, campaignHeldBy } from '#shared/ledger/switches.ts';
import type { SwitchRow } from '#shared/ledger/rows/stage-rows.ts';
import { UsageError } from '../errors.ts';
import type { AskingDeps } from '../stage/operator-deps.ts';
import { readStageConfig, type StageConfig } from '../stage/stage-config.ts';
import { liftingCommand, type SwitchReport, toSwitchReport } from './switches.ts';

/** An alarm as it was read last: `by`, `reason` and `at` are of who held the campaign or lifted the hold. */
export interface AlarmReport extends SwitchReport {
  readonly campaign: string;
  /** The alarm's own name. */
  readonly alarm: string;
  readonly isHeld: boolean;
  readonly ringsSince?: string | undefined;
  /** The campaign halts on it. A hold of any other alarm stays until the operator lifts it. */
  readonly isFollowed: boolean;
}

/** Reports the rows of alarms. Pure. */
export function alarmReports(rows: readonly SwitchRow[], config: StageConfig | undefined): readonly AlarmReport[] {
  const reports = rows.flatMap((row): AlarmReport[] => {
    const campaign = row.scope === 'alarm' ? campaignHeldBy(row) : undefined;
    if (campaign === undefined) return [];
    const { isOn: isHeld, ringsSince } = row;
    const about = { campaign, alarm: row.name.slice(campaign.length + 1), isHeld, ringsSince };
    return [{ ...toSwitchReport(row), ...about, isFollowed: isFollowed(row, config) }];
  });
  return reports.filter((one) => one.isHeld || one.isFollowed);
}

/** A stage that does not answer is taken to follow it: the hold may be needed. */
function isFollowed({ name }: Pick<SwitchRow, 'name'>, config: StageConfig | undefined): boolean {
  if (config === undefined) return true;
  return Object.values(config.runs).some(({ campaign, guards }) =>
    guards?.haltOn?.some((arn) => alarmSwitch(campaign, arn).name === name),
  );
}

/**
 * Since when the alarm of a hold that is to be lifted rings; `undefined` of any other switch.
 * @param how.isMeant - the operator knows that it rings
 * @throws UsageError if the operator does not
 */
export async function ringsOnSince(
  row: SwitchRow,
  { isMeant, reason = 'TEXT' }: { readonly isMeant: boolean; readonly reason: string | undefined },
  deps: AskingDeps,
): Promise<string | undefined> {
  if (row.ringsSince === undefined) return undefined;
  const [one] = alarmReports([row], await readStageConfig(deps).catch(() => undefined));
  if (one?.isFollowed !== true) return undefined;
  if (isMeant || !one.isHeld) return row.ringsSince;
  throw new UsageError(
    `the alarm ${one.alarm} rings: ${one.campaign} is held until it is OK, and nothing was changed. To start its runs although it rings, with your reason as TEXT`,
    { command: [...liftingCommand(row), '--although-it-rings', '--reason', reason] },
  );
}

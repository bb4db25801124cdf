import type { Alarms, AlarmState } from '#shared/aws/alarms-and-calendars.ts';
import { AppError } from '#shared/errors/app-error.ts';
import { rowAt } from '#shared/ledger/ledger.ts';
import { readTargetsInFlight } from '#shared/ledger/open-rows.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { alarmNameOf, alarmSwitch, setSwitch } from '#shared/ledger/switches.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { endOf } from '../_runs/decide/own-stops.ts';
import { type DueCommand, sendDueCommands } from './send-due-commands.ts';
import { doEach, type WatchDeps } from '../_watch/watch-tick.ts';

type HaltOn = WatchDeps['config']['haltOn'];

/** What is needed to follow alarms. */
export type AlarmDeps = Pick<WatchDeps, 'ledger' | 'alarms' | 'commands' | 'reports' | 'now'> & {
  readonly config: Pick<WatchDeps['config'], 'haltOn'>;
};

/** A campaign and an alarm that it halts on. */
interface Followed {
  readonly campaign: string;
  readonly arn: string;
}

/**
 * Holds each campaign while one of its alarms is in ALARM, and stops its runs in flight, unless the operator lifted that hold. An alarm lifts only
 * its own hold, and only by being OK: INSUFFICIENT_DATA neither halts nor lifts. An event only brings this tick forward, so a lost one is made good by the next.
 * @returns what holds which campaign, in words
 * @throws at the end if an alarm does not exist, or could not be followed
 */
export async function followAlarms(deps: AlarmDeps): Promise<readonly string[]> {
  const { alarms, config } = deps;
  const all = followedIn(config.haltOn);
  if (alarms === undefined || all.length === 0) return [];
  const states = await alarms.statesOf(arnsOf(all));
  const lifted = new Set<Followed>();
  const following = doEach(all, async (one) => {
    if ((await follow(one, states[one.arn], deps)) === 'lifted') lifted.add(one);
  });
  await Promise.allSettled([following]);
  const ringing = all.filter((one) => states[one.arn] === 'ALARM' && !lifted.has(one));
  if (ringing.length > 0) await stopRuns(ringing, deps);
  await following;
  refuseMissing(all, states);
  return ringing.map(({ campaign, arn }) => `${campaign} is held by alarm ${alarmNameOf(arn)}`);
}

/**
 * Whether the alarms can be followed, for the empty event.
 * @throws AppError if they cannot be read, or one does not exist
 */
export async function checkAlarms(haltOn: HaltOn, alarms: Alarms): Promise<void> {
  const all = followedIn(haltOn);
  refuseMissing(all, await alarms.statesOf(arnsOf(all)));
}

function followedIn(haltOn: HaltOn = {}): readonly Followed[] {
  return Object.entries(haltOn).flatMap(([campaign, arns]) => [...new Set(arns)].map((arn) => ({ campaign, arn })));
}

function arnsOf(all: readonly Followed[]): readonly string[] {
  return [...new Set(all.map(({ arn }) => arn))];
}

async function follow(
  { campaign, arn }: Followed,
  state: AlarmState | undefined,
  deps: AlarmDeps,
): Promise<'lifted' | undefined> {
  if (state !== 'ALARM' && state !== 'OK') return undefined;
  const at = deps.now();
  const isOn = state === 'ALARM';
  const by = `alarm ${alarmNameOf(arn)}`;
  const reason = isOn ? 'it rings' : 'it is OK again';
  const wanted = { isOn, by, reason, at, ringsSince: isOn ? at.toISOString() : undefined };
  const switched = await setSwitch(deps.ledger, alarmSwitch(campaign, arn), wanted);
  if (switched?.isChanged !== true) return switched?.row?.isOn === false ? 'lifted' : undefined;
  const sentence = `campaign ${campaign} is ${isOn ? 'held' : 'held no longer'} by ${by}`;
  deps.reports.log.warn(isOn ? logEvents.campaignHeld : logEvents.campaignReleased, sentence, { campaign });
  return undefined;
}

/** A run whose start overrode the alarm goes on: a person took it on. */
async function stopRuns(ringing: readonly Followed[], deps: AlarmDeps): Promise<void> {
  const alarmOf = new Map(ringing.map(({ campaign, arn }) => [campaign, alarmNameOf(arn)]));
  const runs = (await readTargetsInFlight(deps.ledger)).flatMap((target) => target.runs);
  const halted = runs.filter(({ campaign, state }) => alarmOf.has(campaign) && state !== 'stopping');
  if (halted.length === 0) return;
  const starts = await deps.ledger.readMany([...new Set(halted.map(({ startId }) => ledgerKeys.command(startId)))]);
  const due = halted.flatMap((entry): readonly DueCommand[] => {
    const { command } = rowAt<CommandRow>(starts, ledgerKeys.command(entry.startId)) ?? {};
    if (command?.override?.guards.includes('alarm') === true) return [];
    const reason = `held by alarm ${alarmOf.get(entry.campaign)}`;
    const sentence = `stop of ${entry.campaignRunId} sent: ${reason}`;
    return [{ command: endOf(entry, deps.now(), reason, 'watch-campaigns'), lateMs: 0, sentence }];
  });
  await sendDueCommands('halts', due, deps);
}

/** Without it the campaign runs on while its target is in trouble: the tick fails, which rings, and doctor says why. */
function refuseMissing(all: readonly Followed[], states: Readonly<Record<string, AlarmState | undefined>>): void {
  const missing = all.filter(({ arn }) => states[arn] === undefined);
  if (missing.length === 0) return;
  const named = missing.map(({ campaign, arn }) => `${arn} (haltOn of ${campaign})`).join(', ');
  throw new AppError(`no such alarm in this account and region: ${named}`, { code: 'ALARM_MISSING', retryable: true });
}

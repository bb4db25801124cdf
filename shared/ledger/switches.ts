/** What is frozen, paused or held by an alarm: rows that every start reads. A person writes them, those of alarms `watch-campaigns`. Stops read none of them. */
import type { CampaignRunCommand } from '../messages/campaign-run-command.ts';
import { expiryOf, ledgerKeys } from './rows/row-keys.ts';
import type { Ledger, Stored } from './ledger.ts';
import { listOpenOfKind } from './open-rows.ts';
import type { PastSwitchRow, SwitchRow } from './rows/stage-rows.ts';

/** Which switch: the stage's, a campaign's or a schedule's. */
export type SwitchSubject = Pick<SwitchRow, 'scope' | 'name'>;

/** The switch that freezes every start of the stage. */
export const stageSwitch: SwitchSubject = { scope: 'stage', name: 'stage' };

/** The switch by which an alarm holds a campaign. Each alarm has its own, so the campaign is held until the last of them is off. */
export function alarmSwitch(campaign: string, alarmArn: string): SwitchSubject {
  return { scope: 'alarm', name: `${campaign}/${alarmNameOf(alarmArn)}` };
}

/** An alarm's own name, which may hold colons. */
export function alarmNameOf(alarmArn: string): string {
  return alarmArn.split(':').slice(6).join(':');
}

/** The campaign whose starts a switch holds back; `undefined` of another kind. No campaign's name has a slash. */
export function campaignHeldBy({ scope, name }: SwitchSubject): string | undefined {
  if (scope === 'campaign') return name;
  return scope === 'alarm' ? name.split('/', 1)[0] : undefined;
}

/** What is wanted of a switch. */
export interface Switching {
  readonly isOn: boolean;
  readonly by: string;
  readonly reason: string;
  readonly at: Date;
  /** When it ends by itself. @default it ends when a person lifts it */
  readonly until?: Date;
  /** Of an alarm that rings: since when. @default it rings no longer, or is none */
  readonly ringsSince?: string;
}

/** How setting a switch ended. */
export interface Switched {
  /** As it was; absent if it was never on. */
  readonly before: Stored<SwitchRow> | undefined;
  /** As it is. Its state. If it was as requested already, it still says who made it so. */
  readonly row: Stored<SwitchRow> | undefined;
  readonly isChanged: boolean;
}

/** A row that several people write at once is tried again this often. */
const writeTries = 5;

/** Sets a switch; one that is as wanted already stays as it is. */
export async function setSwitch(
  ledger: Pick<Ledger, 'read' | 'writeAll'>,
  subject: SwitchSubject,
  wanted: Switching,
): Promise<Switched | undefined> {
  for (let tries = 0; tries < writeTries; tries += 1) {
    const before = await readSwitch(ledger, subject);
    if (isAsWanted(before, wanted)) return { before, row: before, isChanged: false };
    const over = before && pastSwitch(before, wanted);
    const written = await ledger.writeAll([
      { before, after: switchRow(subject, wanted) },
      ...(over === undefined ? [] : [{ before: await ledger.read<PastSwitchRow>(over.pk), after: over }]),
    ]);
    if (written === 'row-changed') continue;
    return { before, row: written.find((row): row is Stored<SwitchRow> => row.kind === 'switch'), isChanged: true };
  }
  return undefined;
}

/** The record of a freeze or pause that is over, now that the row of its switch takes the next one. Pure. */
function pastSwitch(before: SwitchRow, { by, reason, at }: Switching): PastSwitchRow | undefined {
  if (!before.isOn) return undefined;
  const { scope, name, until } = before;
  const isLifted = isOnAt(before, at);
  const to = isLifted || until === undefined ? at.toISOString() : until;
  return {
    pk: ledgerKeys.pastSwitch(scope, name, before.at),
    kind: 'past-switch',
    scope,
    name,
    by: before.by,
    reason: before.reason,
    from: before.at,
    to,
    until,
    lifted: isLifted ? { by, reason } : undefined,
    openState: 'SWITCHED_BEFORE',
    openSince: to,
    expiresAt: expiryOf('past-switch', at),
  };
}

/** One that has ended is as good as off, but lifting it still writes who did. A hold that was lifted stays so until its alarm rings again. */
function isAsWanted(before: SwitchRow | undefined, { isOn, at, ringsSince }: Switching): boolean {
  if (!isOn) return before?.isOn !== true && before?.ringsSince === ringsSince;
  const isLifted = ringsSince !== undefined && before?.ringsSince !== undefined;
  return before !== undefined && (isOnAt(before, at) || isLifted);
}

/** Whether a switch holds starts back at an instant. Pure. */
export function isOnAt({ isOn, until }: Pick<SwitchRow, 'isOn' | 'until'>, instant: Date): boolean {
  return isOn && (until === undefined || instant.getTime() < Date.parse(until));
}

function switchRow({ scope, name }: SwitchSubject, wanted: Switching): SwitchRow {
  const { isOn, by, reason, at, until, ringsSince } = wanted;
  const since = at.toISOString();
  const isShown = isOn || ringsSince !== undefined;
  return {
    pk: ledgerKeys.switch(scope, name),
    kind: 'switch',
    scope,
    name,
    isOn,
    by,
    reason,
    at: since,
    until: until?.toISOString(),
    ringsSince,
    openState: isShown ? 'SWITCHED' : undefined,
    openSince: isShown ? since : undefined,
  };
}

/** One switch, on or off; `undefined` was never on. A consistent read. */
export async function readSwitch(
  ledger: Pick<Ledger, 'read'>,
  { scope, name }: SwitchSubject,
): Promise<Stored<SwitchRow> | undefined> {
  return ledger.read<SwitchRow>(ledgerKeys.switch(scope, name));
}

/** The switches that concern a start, the widest first. Pure. */
export function switchesOf(start: {
  readonly origin: CampaignRunCommand['origin'];
  readonly campaign: string | undefined;
  /** ARNs of the alarms that halt it. @default none */
  readonly haltOn?: readonly string[] | undefined;
}): readonly SwitchSubject[] {
  const { origin, campaign, haltOn = [] } = start;
  return [
    stageSwitch,
    ...(campaign === undefined ? [] : [{ scope: 'campaign', name: campaign } as const]),
    ...(campaign === undefined ? [] : haltOn.map((arn) => alarmSwitch(campaign, arn))),
    ...(origin.kind === 'schedule' ? [{ scope: 'schedule', name: origin.name } as const] : []),
  ];
}

/** Every switch that is on at an instant, the oldest first: read from the index, so a moment old. */
export async function listSwitches(ledger: Pick<Ledger, 'listOpen'>, now: Date): Promise<readonly SwitchRow[]> {
  return (await listOpenOfKind(ledger, 'SWITCHED', 'switch')).filter((row) => isOnAt(row, now));
}

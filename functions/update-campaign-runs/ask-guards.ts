import { judgeStart } from '../../shared/guards/judge.ts';
import type { Judgement } from '../../shared/guards/start-question.ts';
import { readSwitchesOf } from '../../shared/ledger/switches.ts';
import type { CampaignReading } from '../../shared/ledger/campaign-reading.ts';
import type { AskedStart } from './start-reservation.ts';
import { startTimes } from './start-times.ts';

/** Asks the guards about a start, by the switches as they are now: whoever freezes the stage is obeyed from that moment on. */
export async function askGuards(
  start: AskedStart & { readonly campaignRunId?: string },
  campaign?: CampaignReading,
): Promise<Judgement> {
  const { work, deps, policy, guard, campaignRunId } = start;
  const { command, row } = work;
  const { blackouts, timezone } = deps.config;
  const switches = await readSwitchesOf(deps.ledger, { origin: command.origin, campaign: policy.campaign });
  const now = work.context.now();
  return judgeStart({
    command,
    deferredUntil: row?.deferred?.until,
    policy,
    campaignRunId,
    guard,
    switches,
    blackouts,
    timezone,
    campaign,
    now,
    effectAt: new Date(startTimes(command, policy, now).effectAt),
  });
}

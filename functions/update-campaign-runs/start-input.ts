import type { ConfigPart } from '../../shared/config/resolved-automation.ts';
import type { UpdateCampaignRunInput } from '../../shared/gateway-client/index.ts';
import type { CampaignRunCommand } from '../../shared/messages/campaign-run-command.ts';
import type { RunPolicy } from './run-policy.ts';
import type { StartTimes } from './start-times.ts';

/** What the PATCH of a start says. Pure. */
export function startInput(
  start: { readonly command: CampaignRunCommand; readonly policy: RunPolicy; readonly campaignRunId: string },
  times: StartTimes,
  config: Pick<ConfigPart<'update-campaign-runs'>, 'gateway' | 'timezone'>,
): UpdateCampaignRunInput {
  const { command, policy, campaignRunId } = start;
  const date = localDate(times.effectAt, config.timezone);
  const name = command.name ?? policy.nameTemplate?.replaceAll('{date}', date);
  return {
    campaignRunId,
    status: config.gateway.status.start,
    ...(times.startAt === undefined ? {} : { startAt: times.startAt }),
    ...(name === undefined ? {} : { name }),
    ...(command.preserve === undefined ? {} : { preserve: command.preserve }),
  };
}

/** `2026-11-20`, the date on the wall of that zone. */
function localDate(instant: string, timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(new Date(instant));
}

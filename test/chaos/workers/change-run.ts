import {
  type CampaignRunCommand,
  defaultValidFor,
  parseCampaignRunCommand,
} from '#shared/messages/campaign-run-command.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import { idAtHand } from '../events/baseline-id.ts';
import { functionConfig } from './function-config.ts';
import { requestGateway } from './gateway-request.ts';

const { runs, gateway } = functionConfig('update-campaign-runs');

/** The command in a message. @throws Error if it is none */
export function commandOf(messageBody: string): CampaignRunCommand {
  const parsed = parseCampaignRunCommand(messageBody, new Date());
  if (!parsed.ok) throw new Error(parsed.problems.join('; '));
  return parsed.command;
}

/** As far ahead as Autopilot asks a gateway to begin a run. */
const leadMs = 60_000;

/**
 * Does what a command says: one PATCH. A start that comes too late is passed over, and so is a stop
 * by name, since nothing tells which run it is about.
 * @throws Error for whatever goes wrong, so that the queue delivers the message again
 */
export async function changeRun(command: CampaignRunCommand): Promise<void> {
  const { action } = command;
  const validUntil = Date.parse(command.issuedAt) + (durationMs(command.validFor ?? defaultValidFor) ?? 0);
  if (action === 'start' && Date.now() > validUntil) return;
  const id = idOf(command);
  if (id === undefined) return;
  const startAt = new Date(Date.now() + leadMs).toISOString();
  const body = action === 'start' ? { startAt } : { status: gateway.status.stop };
  await requestGateway(`${gateway.baseUrl}/backend/v1/campaign-runs/${id}`, 'PATCH', body);
}

function idOf({ id, action, campaignRunId, run = '' }: CampaignRunCommand): string | undefined {
  if (campaignRunId !== undefined) return campaignRunId;
  const known = runs[run];
  if (known === undefined) throw new Error(`no run is configured under the name ${run}`);
  return action === 'stop' ? undefined : idAtHand(id, known.campaignRunIds);
}

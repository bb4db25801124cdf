import {
  type CampaignRunCommand,
  defaultValidFor,
  parseCampaignRunCommand,
} from '#shared/messages/campaign-run-command.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import { functionConfig } from './function-config.ts';
import { requestGateway } from './gateway-request.ts';

const { runs, gateway } = functionConfig('update-campaign-runs');

/** The command in a message. @throws Error if it is none */
export function commandOf(messageBody: string): CampaignRunCommand {
  const parsed = parseCampaignRunCommand(messageBody, new Date());
  if (!parsed.ok) throw new Error(parsed.problems.join('; '));
  return parsed.command;
}

/**
 * Does what a command says: one PATCH. A start that comes too late is passed over.
 * @throws Error for whatever goes wrong, so that the queue delivers the message again
 */
export async function changeRun(command: CampaignRunCommand): Promise<void> {
  const { action, name, preserve } = command;
  const validUntil = Date.parse(command.issuedAt) + (durationMs(command.validFor ?? defaultValidFor) ?? 0);
  if (action === 'start' && Date.now() > validUntil) return;
  const body = {
    start: { status: gateway.status.start, name, preserve },
    stop: { status: gateway.status.stop },
    update: { name, preserve },
  }[action];
  await requestGateway(`${gateway.baseUrl}/backend/v1/campaign-runs/${idOf(command)}`, 'PATCH', body);
}

function idOf({ campaignRunId, run = '' }: CampaignRunCommand): string {
  const pool = runs[run]?.pool;
  const id = campaignRunId ?? (pool?.kind === 'repeat' ? pool.campaignRunId : undefined);
  if (id === undefined) throw new Error(`no run is configured under the name ${run}`);
  return id;
}

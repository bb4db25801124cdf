import type { ResolvedSchedule } from '#shared/config/resolve/resolved-automation.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';

/** Scheduler puts the instant for which an occurrence was planned in its place, whenever it is delivered. */
export const scheduledTime = '<aws.scheduler.scheduled-time>';

/** The command that a schedule sends, as the target's input: the id is stable for one occurrence, however often it is delivered. */
export function scheduledCommandInput(schedule: ResolvedSchedule): string {
  const command: CampaignRunCommand = {
    version: 1,
    id: commandIds.schedule(schedule.name, scheduledTime),
    action: schedule.action,
    run: schedule.run,
    issuedAt: scheduledTime,
    validFor: schedule.validFor,
    startDelay: schedule.startDelay,
    origin: { kind: 'schedule', name: schedule.name },
  };
  return JSON.stringify(command);
}

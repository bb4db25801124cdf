import type { CampaignRunCommand } from '../../shared/messages/campaign-run-command.ts';
import type { Previewed } from '../../shared/messages/preview.ts';
import { type Coming, type ComingCommand, type ComingStop, deferredStart, plannedStop, takeNext } from './coming.ts';
import type { Outlook } from './preview-outlook.ts';
import { endRun, type PreviewRows, previewRows, stopNamed } from './preview-rows.ts';
import { previewStart } from './preview-start.ts';
import { ended, patch, type Step } from './preview-step.ts';
import { runNamed, unknownName } from './run-policy.ts';

/**
 * What would become of commands to come: the worker's own decisions, taken one after the other on copies of the rows as each would leave them.
 * Pure; nothing is sent and nothing is written.
 * @param until - stops that are due later, and starts that are put off beyond it, are left out
 */
export function previewCommands(
  commands: readonly CampaignRunCommand[],
  outlook: Outlook,
  until: Date,
): readonly Previewed[] {
  const rows = previewRows(outlook);
  const coming: Coming[] = [
    ...commands.map((command) => ({ atMs: Date.parse(command.issuedAt), command })),
    ...outlook.runsInFlight.flatMap((row) => plannedStop(row)),
    ...outlook.deferred.flatMap((row) => deferredStart(row)),
  ];
  const told: Previewed[] = [];
  for (let next = takeNext(coming); next !== undefined && next.atMs <= until.getTime(); next = takeNext(coming)) {
    const { previewed, follows } = stepOf(next, rows, outlook);
    if (previewed !== undefined) told.push(previewed);
    if (follows !== undefined) coming.push(follows);
  }
  return told;
}

function stepOf(next: Coming, rows: PreviewRows, outlook: Outlook): Step {
  if ('due' in next) return dueStop(next, rows);
  return next.command.action === 'start' ? previewStart(next, rows, outlook) : stop(next, rows, outlook);
}

function dueStop({ atMs, due }: ComingStop, rows: PreviewRows): Step {
  const { campaignRunId, commandId, status, run } = due;
  // Stopped meanwhile, or started anew with a stop of its own.
  if (rows.running.get(campaignRunId) !== commandId) return {};
  endRun(campaignRunId, rows);
  return {
    previewed: {
      id: commandId,
      at: new Date(atMs).toISOString(),
      action: 'stop',
      origin: { kind: 'watcher', name: 'watch-campaigns' },
      ...(run === undefined ? {} : { run }),
      outcome: 'applied',
      detail: `planned by its start (${commandId})`,
      verdicts: [],
      requests: [patch(campaignRunId, { status })],
    },
  };
}

/** No guard is asked. */
function stop(coming: ComingCommand, rows: PreviewRows, { config }: Outlook): Step {
  const { command } = coming;
  const { run: name, campaignRunId = '' } = command;
  const run = name === undefined ? undefined : runNamed(name, config);
  if (name !== undefined && run === undefined && !rows.bindings.has(name)) {
    return ended(coming, { outcome: 'parked', reason: 'CONFIG', detail: unknownName(command, config) });
  }
  const ids = name === undefined ? [campaignRunId] : stopNamed(name, command, run, rows);
  if (ids.length === 0) return ended(coming, { outcome: 'skipped', reason: 'NOTHING_TO_STOP' });
  for (const id of ids) endRun(id, rows);
  const { stop: status } = config.gateway.status;
  return ended(coming, { outcome: 'applied', requests: ids.map((id) => patch(id, { status })) });
}
